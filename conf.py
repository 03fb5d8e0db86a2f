"""Plain Sphinx reads the book's settings here; `_config.yml` has them, from which Jupyter Book takes them.

`make sphinx` builds the book so.  Below stands what Jupyter Book adds to `_config.yml` by itself.

It is the way on from Jupyter Book 1, which gets mends only and holds Sphinx 7; its successor runs none of
`tools/book_site`.  A job on every push builds the book so with the newest parts, in November 2026 with Sphinx 9 and
without a warning.  To switch, put `-r requirements-sphinx.in` in the place of `jupyter-book<2` in `requirements.in`,
then `make pins`.  What is left to do then: the newest theme brings its icons in WOFF2 alone, of which `assets.py` makes
no small fonts.
"""

import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT))  # tools.book_site
book = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))

html_title, html_logo = book["title"], book["logo"]
author, copyright = book["author"], book["copyright"]
exclude_patterns = book["exclude_patterns"]
external_toc_path, external_toc_exclude_missing = "_toc.yml", book["only_build_toc_files"]
nb_execution_mode, nb_execution_timeout = book["execute"]["execute_notebooks"], book["execute"]["timeout"]
nb_execution_allow_errors = book["execute"]["allow_errors"]
bibtex_bibfiles = book["bibtex_bibfiles"]

extensions = ["sphinx_togglebutton", "sphinx_copybutton", "myst_nb", "sphinx_external_toc", "sphinx_design"]
extensions += ["sphinx_book_theme", *book["sphinx"]["extra_extensions"], *book["sphinx"]["local_extensions"]]
extensions += ["sphinxcontrib.bibtex", "sphinx_multitoc_numbering"]
myst_enable_extensions = ["colon_fence", "dollarmath", "linkify", "substitution", "tasklist"]
myst_url_schemes = ["mailto", "http", "https"]
suppress_warnings = ["myst.domains"]
numfig = True
use_multitoc_numbering = True
html_sourcelink_suffix = ""
html_theme = "sphinx_book_theme"

globals().update(book["sphinx"]["config"])
html_theme_options = {"launch_buttons": book["launch_buttons"], "home_page_in_toc": False, **html_theme_options}  # noqa: F821
