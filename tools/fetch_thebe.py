"""Fetch Thebe, which makes a page's cells run, from npm into ``_build/thebe`` (`make thebe`).

The site serves these scripts itself. They are fetched once, with npm, and must be the very bytes that were tested.
"""

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "0.9.3"
SHA256 = "4777b3f0c5dcee04b3e5a99fd918a9cf7cb91c3208159af2f1fb54b3c27d0899"
# For widgets that it doesn't hold, Thebe asks another host for RequireJS. The book has none of those.
REQUIREJS = "https://cdnjs.cloudflare.com/ajax/libs/require.js/2.3.6/require.min.js"
WITHOUT_REQUIREJS = "data:text/javascript,window.require={config(){}};window.define=()=>{}"
TARGET = Path(__file__).resolve().parents[1] / "_build" / "thebe"


def unpack(archive: Path, target: Path) -> None:
    """Put the scripts, the style sheet and the licences of the npm package ``archive`` into ``target``."""
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != SHA256:
        raise ValueError(f"{archive.name} must have the checksum {SHA256}, got {found}")
    target.mkdir(parents=True)
    with tarfile.open(archive) as package:
        for member in package:
            name = Path(member.name)
            wanted = name.parent == Path("package/lib") and name.suffix in (".js", ".css", ".txt")
            if member.isfile() and (wanted or name == Path("package/package.json")):
                (target / name.name).write_bytes(package.extractfile(member).read())
    script = target / "index.js"
    script.write_text(script.read_text(encoding="utf-8").replace(REQUIREJS, WITHOUT_REQUIREJS), encoding="utf-8")
    (target / ".ready").touch()


def main(target: Path = TARGET) -> str:
    """Fetch and unpack into ``target``; return an error message, or "" if it went well."""
    if not shutil.which("npm"):
        return "Live code needs Thebe's scripts, and npm to fetch them: install Node.js (it comes with npm)."
    with tempfile.TemporaryDirectory() as folder:
        fetched = subprocess.run(
            ["npm", "pack", "--silent", f"thebe@{VERSION}"], cwd=folder, capture_output=True, text=True, check=False
        )
        if fetched.returncode:
            return f"npm could not fetch thebe@{VERSION}: {fetched.stderr.strip()}"
        shutil.rmtree(target, ignore_errors=True)
        unpack(Path(folder) / f"thebe-{VERSION}.tgz", target)
    return ""


if __name__ == "__main__":
    sys.exit(main() or None)
