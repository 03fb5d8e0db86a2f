"""The ways from a page to running code, and what a visitor takes along.

A launch menu offers what this build can keep: Binder and Colab where the repository has a public address, live code
in the page where a Jupyter server can be asked for, JupyterLite where ``tools.make_lite`` has made it. What that,
``make thebe`` and ``make pdf`` left in ``_build`` becomes part of the site; nothing is loaded from another host.
The ZIP file, the wheel, and questions for course systems are written into it.
"""

import json
import os
import re
import shutil
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

from sphinx.errors import ConfigError

from tools import make_downloads, make_questions, make_reviews

from .meta import ROOT, repository_url, site_url

PARTS = ("lite", "thebe", "pdf")  # folders of _build, each made by a tool of its own


def leave_out_sphinx_thebe(app, config):
    """Have sphinx-thebe, which Jupyter Book always loads, add nothing to the pages: live.js starts Thebe here."""
    for event in ("env-before-read-docs", "doctree-resolved"):
        for listener in [*app.events.listeners[event]]:
            if listener.handler.__module__ == "sphinx_thebe":
                app.disconnect(listener.id)


def set_launch(app, config):
    """Decide what the menu offers. It is kept in a configuration value, so that a change writes every page anew."""
    options = config.html_theme_options
    url, branch = repository_url(), os.environ.get("BOOK_REPOSITORY_BRANCH", "main")
    if url:
        options.update(repository_url=url, use_repository_button=True, use_issues_button=True)
        options.update(repository_branch=branch, path_to_docs="")
    else:
        options.pop("repository_url", None)
        options.update(launch_buttons={}, use_repository_button=False, use_issues_button=False)
    is_made = {name: (Path(app.outdir).parent / name / ".ready").exists() for name in PARTS}
    server = os.environ.get("BOOK_THEBE_SERVER", "")
    if server and not is_made["thebe"]:
        raise ConfigError("BOOK_THEBE_SERVER is set, but Thebe's scripts are not there: run `make thebe` first")
    config.html_context["launch"] = {
        "lite": is_made["lite"],
        "pdf": is_made["pdf"],
        "live": (class_server(server) if server else binder(url, branch)) if is_made["thebe"] else None,
        "colab": colab_folder(url, os.environ.get("BOOK_COLAB_BRANCH", "")),
    }
    # What "Run it" says stands there only where it holds: {only} asks for these tags, {{ clone }} for the address.
    offered = {name for name, offer in config.html_context["launch"].items() if offer}
    for tag in offered | ({"address", "binder"} if url else set()):
        app.tags.add(tag)
    if url or offered - {"pdf"}:
        app.tags.add("rocket")
    config.myst_substitutions = {**config.myst_substitutions, "clone": f"`git clone {url}`", "repository": url}


def class_server(address: str) -> dict:
    """Return Thebe's options for a Jupyter server, given by its address as Jupyter prints it, token included."""
    parts = urlsplit(address)
    token = parse_qs(parts.query).get("token", [""])[0]
    if parts.scheme not in ("http", "https") or not parts.hostname or not token:
        raise ConfigError(
            f"BOOK_THEBE_SERVER must be a Jupyter server's address with its token, such as "
            f"http://192.168.1.5:8888/?token=…, got {address!r}"
        )
    path = re.sub(r"/(lab|tree)?/?$", "", parts.path)
    return {
        "useBinder": False,
        "serverSettings": {"baseUrl": f"{parts.scheme}://{parts.netloc}{path}", "token": token, "appendToken": True},
    }


def binder(url: str, branch: str) -> dict | None:
    """Return Thebe's options for the public Binder, or None for a repository that it does not know."""
    host, _, repository = url.removeprefix("https://").partition("/")
    provider = {"github.com": "github", "gitlab.com": "gitlab"}.get(host)
    options = {"repo": repository, "ref": branch, "repoProvider": provider, "binderUrl": "https://mybinder.org"}
    return {"useBinder": True, "binderOptions": options} if provider else None


def colab_folder(url: str, branch: str) -> str | None:
    """Return the address under which Colab opens the notebooks that begin by installing the package, if any.

    They are on a branch of their own, which ``.github/workflows/book.yml`` makes; Colab knows GitHub only.
    """
    found = re.fullmatch(r"https://github\.com/([^/]+/[^/]+)", url)
    return f"https://colab.research.google.com/github/{found[1]}/blob/{quote(branch)}" if found and branch else None


def add_launch_buttons(app, pagename, templatename, context, doctree):
    """Add to the launch menu of a chapter what the theme does not know."""
    notebook = Path(app.env.doc2path(pagename)).name if doctree else ""
    if not notebook.endswith(".ipynb"):
        return
    launch, buttons = app.config.html_context["launch"], []
    if launch["lite"]:
        url = context["pathto"]("lite/lab/index.html", resource=True) + "?path=" + quote(notebook)
        buttons.append(link("JupyterLite", "Run in this browser, nothing to install", "logo_jupyterlite.svg", url))
    if launch["live"]:
        button = {"type": "javascript", "text": "Live code", "icon": "fas fa-play", "label": "live-code"}
        buttons.append(button | {"javascript": "startLiveCode()", "tooltip": "Run the cells on this page"})
        context["body"] += live_setting(context["pathto"]("thebe", resource=True), pagename, launch["live"])
    if launch["colab"]:
        url = f"{launch['colab']}/{quote(notebook)}"
        buttons.append(link("Colab", "Run on Google Colab (needs an account)", "logo_colab.png", url))
    if launch["live"] or launch["lite"]:
        app.add_js_file("live.js")
    menu = {"type": "group", "icon": "fas fa-rocket", "label": "launch-buttons", "buttons": []}
    groups = [group for group in context["header_buttons"] if group.get("label") == menu["label"]]
    if not groups and buttons:
        context["header_buttons"].insert(0, menu)
        groups = [menu]
    for group in groups:  # the theme's has Binder in it
        group["tooltip"] = "Run this page"
        group["buttons"] += buttons


def offer_pdf(app, pagename, templatename, context, doctree):
    """Add the whole book to what a page's download menu offers."""
    if not app.config.html_context["launch"]["pdf"]:
        return
    url = context["pathto"]("pdf/sliding-epsilon.pdf", resource=True)
    button = {"type": "link", "text": "whole book", "tooltip": "The whole book as a PDF", "icon": "fas fa-book"}
    for group in context.get("header_buttons", []):
        if group.get("label") == "download-buttons":
            group["buttons"].append(button | {"url": url})


def link(text: str, tooltip: str, icon: str, url: str) -> dict:
    """Return a button of the theme's menu."""
    return {"type": "link", "text": text, "tooltip": tooltip, "icon": f"_static/images/{icon}", "url": url}


def live_setting(scripts: str, pagename: str, options: dict) -> str:
    """Return what live.js reads: where Thebe's scripts are, the chapter's folder, and the server to ask."""
    setting = {"scripts": scripts, "folder": str(Path(pagename).parent), "thebe": options}
    body = json.dumps(setting).replace("<", "\\u003c")  # no value can end the element
    return f'<script type="application/json" id="live-code">{body}</script>'


def add_parts(app):
    """Make JupyterLite, Thebe and the PDF part of the site: the same files, linked, since they are many."""
    for name in PARTS:
        source, target = Path(app.outdir).parent / name, Path(app.outdir) / name
        shutil.rmtree(target, ignore_errors=True)
        if (source / ".ready").exists():
            shutil.copytree(source, target, copy_function=os.link)


def write_downloads(app):
    """Write what a visitor takes along; a part of the tree, without the package's own files, has nothing to offer."""
    if not all((ROOT / name).exists() for name in make_downloads.WHEEL_SOURCES):
        return
    folder = Path(app.outdir, make_downloads.FOLDER)
    make_downloads.main(folder, site_url())
    make_questions.main(folder)
    make_reviews.main(folder)
    # The theme's arrow leads to the page's source: a chapter downloaded there begins with the cell that installs.
    for chapter in (folder / "chapters").glob("*.ipynb"):
        shown = Path(app.outdir, "_sources", "book", chapter.name)
        if shown.is_file():
            shutil.copy(chapter, shown)
    shutil.rmtree(folder / "chapters")
