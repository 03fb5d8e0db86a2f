"""Where the book is, and what search engines, other sites and old links need to find a page of it.

A page's description is the beginning of its first paragraph; a chapter's says before it which chapter of what it is.
What needs the site's public address (canonical addresses, the sitemap, the cards that other sites show for a link) is
left out where there is none.
"""

import os
import posixpath
import re
import shutil
import subprocess
import textwrap
from pathlib import Path
from urllib.parse import quote, urlsplit
from xml.sax.saxutils import escape

import numpy as np
from docutils import nodes
from matplotlib.figure import Figure
from sphinx.util import logging

from .arriving import SUBJECT, place

ROOT = Path(__file__).resolve().parents[2]
CARDS = "_images/cards"
PROMISE = "the book on differential privacy that runs"
LOG = logging.getLogger(__name__)


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


def set_address(app, config):
    """Tell Sphinx and the extension that announces cards the site's address."""
    if url := site_url():
        config.html_baseurl = config.ogp_site_url = url
        config.ogp_site_name = config.html_title
        config.ogp_custom_meta_tags = ['<meta name="twitter:card" content="summary_large_image" />']


def check_redirects(app, env):
    """Warn of a redirect to nowhere, or from a page that exists: either fails a strict build."""
    for old in wrong_redirects(app.config.redirects, env.found_docs):
        LOG.warning("_config.yml: a redirect must lead from a page that is gone to one that is there; see %s", old)


def wrong_redirects(redirects: dict[str, str], pages) -> list[str]:
    """Return those old pages that still are, or whose new address is no page's."""
    new = {old: posixpath.join(posixpath.dirname(old), to).removesuffix(".html") for old, to in redirects.items()}
    return [old for old in redirects if old in pages or posixpath.normpath(new[old]) not in pages]


def describe(app, pagename, templatename, context, doctree):
    """Give a page its description and its card, or tell search engines to leave it out."""
    if doctree is None:
        context["metatags"] = context.get("metatags", "") + '<meta name="robots" content="noindex" />'
        return
    lead, where, book = first_sentences(doctree), place(app.env, pagename), app.config.html_title
    subject = f"{SUBJECT.capitalize()}, {where}" if where else ""
    if pagename == app.config.root_doc:
        context["docstitle"] = PROMISE  # its own title is the book's
    elif where:
        context["docstitle"] = f"{book}, a book on {SUBJECT}"
    description = f"{subject}. {lead}" if where else lead
    tag = f'<meta name="description" content="{escape(description, {chr(34): "&quot;"})}" />'
    context["metatags"] = context.get("metatags", "") + tag
    if site_url():
        title = doctree.next_node(nodes.title).astext()
        image = f"{CARDS}/{pagename.replace('/', '-')}.png"
        draw_card(Path(app.outdir) / image, f"{book} · {subject}" if where else book, title, lead)
        context["meta"] = {
            **(context.get("meta") or {}),
            "og:title": f"{title} · {book}, a book on {SUBJECT}" if where else title,
            "og:description": description,
            "og:image": image,
            "og:image:width": "1200",
            "og:image:height": "630",
            "og:image:alt": f"{book}: {title}. Two peaks of noise overlap above a slider for epsilon.",
        }


def first_sentences(doctree, most: int = 200) -> str:
    """Return the first sentences of the first paragraph, as many as ``most`` characters hold, and at least one."""
    paragraph = doctree.next_node(nodes.paragraph)
    sentences = re.split(r"(?<=[.?!]) ", " ".join(paragraph.astext().split()))
    text = sentences[0]
    for sentence in sentences[1:]:
        if len(text) + len(sentence) >= most:
            break
        text += " " + sentence
    return text


def draw_card(file: Path, book: str, title: str, description: str):
    """Draw what other sites show for a link to a page: 1,200 by 630 pixels."""
    figure = Figure(figsize=(12, 6.3), dpi=100, facecolor="#10282e")
    axes = figure.add_axes((0, 0, 1, 0.42), facecolor="none")
    axes.axis("off")
    axes.set(xlim=(0, 12), ylim=(-0.35, 1.35))
    x = np.linspace(0, 12, 800)
    for centre, colour in ((8.6, "#4aa3df"), (9.7, "#f0883e")):
        y = np.exp(-1.5 * np.abs(x - centre))
        axes.fill_between(x, y, color=colour, alpha=0.25, linewidth=0)
        axes.plot(x, y, color=colour, linewidth=3)
    axes.plot([0.8, 11.2], [-0.12, -0.12], color="#5b7f87", linewidth=6, solid_capstyle="round")
    axes.plot(8.6, -0.12, "o", color="#4db8cc", markersize=22)
    words = {"color": "white", "family": "DejaVu Sans", "va": "top", "parse_math": False}
    figure.text(0.067, 0.9, book, size=21, **{**words, "color": "#7fd0df"})
    lines = textwrap.wrap(title, 32)[:2]
    figure.text(0.067, 0.8, "\n".join(lines), size=42, weight="bold", linespacing=1.15, **words)
    place = 0.63 if len(lines) == 1 else 0.53
    lead = textwrap.fill(description, 64, max_lines=3, placeholder=" …")
    figure.text(0.067, place, lead, size=20, linespacing=1.4, **{**words, "color": "#d5e6ea"})
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file)


def write_files_for_hosts(app):
    """Write robots.txt and the sitemap; make the bare address presentable, and 404.html work wherever it is shown."""
    site, url = Path(app.outdir), site_url()
    # One rule, which forbids nothing: pages that should not be listed say so themselves.
    robots = "User-agent: *\nDisallow:\n" + (f"Sitemap: {url}sitemap.xml\n" if url else "")
    (site / "robots.txt").write_text(robots, encoding="utf-8")
    if url:
        pages = [f"<url><loc>{url}{quote(page)}.html</loc></url>" for page in sorted(app.env.found_docs)]
        (site / "sitemap.xml").write_text(
            '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
            + "\n".join(pages)
            + "\n</urlset>\n",
            encoding="utf-8",
        )
    door, front = site / "index.html", site / f"{app.config.root_doc}.html"
    if door.exists():
        door.write_text(introduce(door.read_text("utf-8"), front.read_text("utf-8")), encoding="utf-8")
    missing = site / "404.html"
    html = missing.read_text(encoding="utf-8")
    missing.write_text(from_root(html, urlsplit(url).path or "/") if url else with_found_root(html), encoding="utf-8")


def introduce(door: str, front: str) -> str:
    """Give the site's bare address, which is what people share, the title, description and card of the front page."""
    kinds = r'name="description"|property="og:|name="twitter:'
    head = re.findall(rf'<title>.*?</title>|<meta (?:{kinds})[^>]*>|<link rel="canonical"[^>]*>', front)
    return re.sub(r'<meta name="robots"[^>]*>\n<title>.*?</title>', lambda _: "\n".join(head), door)


# Where the site's root isn't known, the page looks for its style sheet in the folders of its address, from the top.
FIND_ROOT = """<script>
  for (let parts = location.pathname.split("/").slice(0, -1), n = 1; n <= parts.length; n++) {
    const root = parts.slice(0, n).join("/") + "/";
    const request = new XMLHttpRequest();
    request.open("HEAD", root + "_static/styles/site.css", false);
    try { request.send(); } catch { break; } // a page that was opened from its file
    if (request.status !== 200) continue;
    document.head.append(Object.assign(document.createElement("base"), { href: root }));
    document.documentElement.dataset.content_root = root;
    break;
  }
</script>"""


def with_found_root(html: str) -> str:
    """Have a page find its site's root by itself: a host shows 404.html at any depth."""
    return html.replace("<head>", f"<head>\n{FIND_ROOT}", 1)


def from_root(html: str, root: str) -> str:
    """Make the relative links of a page absolute: a host shows 404.html at any depth."""
    html = html.replace('data-content_root="./"', f'data-content_root="{root}"')
    return re.sub(r'\b(href|src|action)="(?![a-z]+:|[#/])(?:\./)?', rf'\1="{root}', html)
