"""Sphinx extension of the book, loaded by ``_config.yml`` (``sphinx: local_extensions``).

It holds what a configuration file can't say: the venue of the build's kernels, when an executed notebook is
stale, that chapters execute side by side, the repository's address, and chapter numbers that follow the file names.
"""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from docutils import nodes
from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor
from jupyter_client import KernelManager
from sphinx_external_toc.collectors import TocTreeCollectorWithStyles

ROOT = Path(__file__).resolve().parents[1]


def setup(app):
    """Connect the hooks below."""
    os.environ["DP_VENUE"] = "site"  # the kernels that execute the notebooks inherit it
    if census := os.environ.get("DP_CENSUS"):
        os.environ["DP_CENSUS"] = str(Path(census).resolve())  # they run in the chapters' folder
    # Over plain sockets each kernel would warn of eavesdroppers, and jupyter-cache passes no configuration on.
    KernelManager.transport_encryption.default_value = "auto"
    app.connect("config-inited", set_execution_cache)
    app.connect("env-before-read-docs", execute_side_by_side)
    number_chapters_by_file_name()
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def set_execution_cache(app, config):
    """Give each state of the package, of the census and of the chapters' data a cache of its own.

    The cache knows a notebook by the sources of its cells alone; without this, a mended helper would leave
    stale pages. A changed path also makes Sphinx read every page again.
    """
    state = hashlib.sha256(os.environ.get("DP_CENSUS", "").encode())
    for folder in (ROOT / "dp_helpers", ROOT / "book" / "data"):
        for file in sorted(folder.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                state.update(file.read_bytes())
    state.update((ROOT / "requirements.txt").read_bytes())
    caches = Path(app.outdir).parent / ".executed"
    current = caches / state.hexdigest()[:12]
    for old in caches.glob("*"):
        if old != current:
            shutil.rmtree(old)
    config.nb_execution_cache_path = str(current)


def execute_side_by_side(app, env, docnames):
    """Execute the chapters that are not in the cache, one on each core, before MyST-NB reads them one by one.

    A chapter that fails stays out of the cache: MyST-NB executes it again, and reports the error.
    """
    if app.config.nb_execution_mode == "off":
        return
    files = [env.doc2path(name) for name in docnames]
    chapters = sorted(file for file in map(str, files) if file.endswith(".ipynb"))
    if chapters:
        cache = get_cache(app.config.nb_execution_cache_path)
        for chapter in chapters:
            cache.add_nb_to_project(chapter)
        load_executor("local-parallel", cache).run_and_cache(
            filter_uris=chapters, timeout=app.config.nb_execution_timeout
        )


def repository_url() -> str:
    """Return the repository's public https address, or "" where there is none.

    It comes from BOOK_REPOSITORY_URL, else from GitHub's own variables, else from git's ``origin``.
    """
    url = os.environ.get("BOOK_REPOSITORY_URL", "")
    if not url and os.environ.get("GITHUB_REPOSITORY"):
        url = os.environ.get("GITHUB_SERVER_URL", "https://github.com") + "/" + os.environ["GITHUB_REPOSITORY"]
    if not url and shutil.which("git"):
        command = ["git", "-C", str(ROOT), "remote", "get-url", "origin"]
        url = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    url = re.sub(r"^git@([^:]+):", r"https://\1/", url.strip()).removesuffix(".git").rstrip("/")
    url = re.sub(r"://[^/@]*@", "://", url)  # an address may carry a token: never publish one
    # A public host has a dot in its name and is no bare number.
    return url if re.fullmatch(r"https://[\w.-]+\.[a-z]{2,}/[^/\s]+/[^/\s]+", url) else ""


def number_chapters_by_file_name():
    """Number ``book/13-….ipynb`` as chapter 13, whichever chapters stand before it in the contents."""
    assign_in_order = TocTreeCollectorWithStyles.assign_section_numbers

    def assign_section_numbers(self, env):
        changed = assign_in_order(self, env)
        for page, sections in env.toc_secnumbers.items():
            prefix = re.match(r"\d+", Path(page).name)
            if not prefix:
                continue
            chapter = int(prefix.group())
            env.toc_secnumbers[page] = {a: n and (chapter, *n[1:]) for a, n in sections.items()}
            for node in [env.titles[page], *env.tocs[page].findall(nodes.reference)]:
                if node.get("secnumber"):
                    node["secnumber"] = [chapter, *node["secnumber"][1:]]
        return changed

    TocTreeCollectorWithStyles.assign_section_numbers = assign_section_numbers
