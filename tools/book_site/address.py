"""Where the book's repository and its site are, as far as the build can know."""

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def repository_url() -> str:
    """Return the repository's public https address, or "" where there is none.

    It comes from BOOK_REPOSITORY_URL, else from GitHub's own variables, else from git's ``origin``, if the repository
    is the book's own: a copy that was unpacked inside another repository has no address.
    """
    url = os.environ.get("BOOK_REPOSITORY_URL", "")
    if not url and os.environ.get("GITHUB_REPOSITORY"):
        url = os.environ.get("GITHUB_SERVER_URL", "https://github.com") + "/" + os.environ["GITHUB_REPOSITORY"]
    if not url and shutil.which("git") and Path(_git("rev-parse", "--show-toplevel")) == ROOT:
        url = _git("remote", "get-url", "origin")
    url = re.sub(r"^git@([^:]+):", r"https://\1/", url).removesuffix(".git").rstrip("/")
    url = re.sub(r"://[^/@]*@", "://", url)  # an address may carry a token: never publish one
    # A public host has a dot in its name and is no bare number.
    return url if re.fullmatch(r"https://[\w.-]+\.[a-z]{2,}/[^/\s]+/[^/\s]+", url) else ""


def _git(*arguments: str) -> str:
    """Return what git says at the book's root, or "" where it refuses."""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def site_url() -> str:
    """Return the address under which the site is published, ending in a slash, or "" where there is none.

    It is BOOK_SITE_URL, else the one at which GitHub Pages publishes the repository.
    """
    url = os.environ.get("BOOK_SITE_URL", "")
    if url and not re.fullmatch(r"https?://[\w.:-]+(/[\w.~%-]+)*/?", url):
        raise ValueError(f"BOOK_SITE_URL must be an address such as https://example.org/book/, got {url!r}")
    on_github = re.fullmatch(r"https://github\.com/([^/]+)/([^/]+)", repository_url())
    if not url and on_github:
        owner, name = on_github.groups()
        host = f"{owner}.github.io".lower()
        url = f"https://{host}/" + ("" if name.lower() == host else name)
    return url and url.rstrip("/") + "/"
