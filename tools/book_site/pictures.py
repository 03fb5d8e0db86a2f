"""Static pictures travel with a palette."""

import os
from pathlib import Path

from tools.run_notebooks import lighter


def setup(app):
    """Connect the hook below."""
    app.connect("env-updated", lighten_pictures)


def lighten_pictures(app, env):
    """Make the pictures that the pages' cells have drawn lighter, before they are copied into the site."""
    for path in (Path(app.outdir).parent / "jupyter_execute").rglob("*.png"):
        drawn = path.stat()
        path.write_bytes(lighter(path.read_bytes()))
        os.utime(path, ns=(drawn.st_atime_ns, drawn.st_mtime_ns))  # a page older than its pictures is read again
