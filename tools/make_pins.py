"""Pin the versions of what the ``.in`` files ask for: `make pins`, or of one package: `make pins PACKAGE=numpy`.

``requirements.txt`` holds what chapters, Binder and the site need, ``requirements-dev.txt`` what tests and tools need
besides, in one resolution for all systems and Pythons; ``requirements-uv.txt`` the installer, with its checksums.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UV = Path(sys.executable).with_name("uv")
MADE = "# Made by 'make pins' from {}.\n"


def compile_to(target: Path, *arguments: str) -> list[str]:
    """Resolve for every system and Python from 3.11 on, keep what ``target`` pins already, and return its lines."""
    command = [UV, "pip", "compile", "-q", "--universal", "--python-version", "3.11", "--fork-strategy", "fewest"]
    command += ["--no-annotate", "--no-header", "--no-emit-index-url", "-o", target, *arguments]
    subprocess.run(command, cwd=ROOT, check=True)
    return target.read_text(encoding="utf-8").splitlines()


def pins_of(name: str) -> list[str]:
    """Return the lines of a file that pin a version."""
    file = ROOT / name
    return [line for line in file.read_text(encoding="utf-8").splitlines() if "==" in line] if file.is_file() else []


def write(name: str, source: str, lines: list[str]) -> None:
    """Write a file of pins."""
    (ROOT / name).write_text(MADE.format(source) + "\n".join(lines) + "\n", encoding="utf-8")


def main(package: str) -> None:
    """Pin everything anew, or upgrade this package alone, with what it needs."""
    upgrade = [f"--upgrade-package={package}"] if package else ["--upgrade"]
    with tempfile.TemporaryDirectory() as folder:
        all_pins, base_pins, uv = (Path(folder, name) for name in ("all.txt", "base.txt", "uv.txt"))
        all_pins.write_text("\n".join(pins_of("requirements.txt") + pins_of("requirements-dev.txt")), encoding="utf-8")
        everything = compile_to(all_pins, *upgrade, "requirements.in", "requirements-dev.in")
        base = compile_to(base_pins, "--constraints", str(all_pins), "requirements.in")
        write("requirements.txt", "requirements.in. Binder reads this file, too", [*base, "-e ."])
        dev_pins = [line for line in everything if line not in base]
        write("requirements-dev.txt", "requirements-dev.in", ["-r requirements.txt", *dev_pins])
        if not package or package == "uv":
            Path(folder, "uv.in").write_text("uv\n", encoding="utf-8")
            hashed = compile_to(uv, "--generate-hashes", str(Path(folder, "uv.in")))
            write("requirements-uv.txt", "uv's newest version. It installs the rest", hashed)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
