"""Where Chromium or Chrome is, and when a page is ready: for the site's tests, the PDF, and what is measured there."""

import os
import shutil

# A page of the site is laid out, and its sliders can be moved, also those far below, which else wait for a reader.
READY = """() => {
  const waiting = [...document.querySelectorAll(".sf-explore:not([data-ready])")];
  waiting.forEach((figure) => figure.dispatchEvent(new Event("figure-wanted")));
  return "filled" in document.body.dataset && !waiting.length;
}"""
# What readers have comes first; the tests prefer the shell, which is faster.
PROGRAMS = ["chromium", "chromium-browser", "google-chrome", "chromium-headless-shell"]


def find() -> str:
    """Return the browser's path; the environment variable CHROMIUM says which, where it is set.

    Raises
    ------
    FileNotFoundError
        If none is there.
    """
    path = os.environ.get("CHROMIUM")
    program = next(filter(None, map(shutil.which, [path] if path else PROGRAMS)), None)
    if program is None:
        raise FileNotFoundError(
            f"{path or ' or '.join(PROGRAMS)} is not there. Install it (Debian, Ubuntu: apt-get install chromium), "
            "or set CHROMIUM=/path/to/chrome."
        )
    return program
