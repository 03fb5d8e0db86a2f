"""Where the built site is, and which pages it has."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
PAGES = re.findall(r"^(?:root:|\s+- file:) (\S+)(?: +# draft)?$", (ROOT / "_toc.yml").read_text(encoding="utf-8"), re.M)
CHAPTERS = [page for page in PAGES if re.search(r"/\d\d-", page)]


def content(html, name):
    """Return the content of the page's one meta tag of this name."""
    (found,) = re.findall(rf'<meta (?:name|property)="{name}" content="([^"]*)"', html)
    return found
