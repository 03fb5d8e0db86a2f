"""Static pictures travel with a palette."""

from pathlib import Path

from tools.run_notebooks import lighter


def setup(app):
    """Connect the hook below."""
    app.connect("env-updated", lighten_pictures)


def lighten_pictures(app, env):
    """Make the pictures that the pages' cells have drawn lighter, before they are copied into the site."""
    for path in (Path(app.outdir).parent / "jupyter_execute").rglob("*.png"):
        path.write_bytes(lighter(path.read_bytes()))
