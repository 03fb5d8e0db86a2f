"""Plant the mistakes of ``faults.toml`` one by one in a copy of this tree, and say which of them no test notices.

python -m tests.faults.plant             all of them (`make faults`, ten minutes)
python -m tests.faults.plant sandbox     those whose name or file has this word
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

from tools.book_site import scripts

ROOT = Path(__file__).resolve().parents[2]
FAULTS = Path(__file__).with_name("faults.toml")
BUILT = "_build/html"
SCRIPTS = ("book/_static/", "slider_figures/static/")
PATIENCE = 900  # seconds: a fault may keep its tests from ending, which is noticed, too


def read_faults(file: Path = FAULTS) -> list[dict]:
    """Return the faults, each with its name, file, old and new text, and tests."""
    return tomllib.loads(file.read_text(encoding="utf-8"))["fault"]


def places(fault: dict, root: Path) -> list[Path]:
    """Return the files to change: the source, and for a script of the site its built copy."""
    source = root / fault["file"]
    built = root / BUILT / "_static" / source.name
    return [source, built] if fault["file"].startswith(SCRIPTS) else [source]


def planted(text: str, fault: dict) -> str:
    """Return the text with the fault in it; a ValueError says that the fault is stale."""
    if fault["old"] not in text:
        raise ValueError(f"{fault['name']}: {fault['file']} no longer holds {fault['old']!r}")
    return text.replace(fault["old"], fault["new"], 1)


def copy_tree(target: Path) -> None:
    """Copy what git knows, as it is now, and the built site."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)
    if (ROOT / BUILT).is_dir():
        shutil.copytree(ROOT / BUILT, target / BUILT)


def is_noticed(fault: dict, root: Path) -> bool:
    """Plant the fault, run its tests, take it out again; tell whether they failed."""
    files = places(fault, root)
    before = [file.read_text(encoding="utf-8") for file in files]
    try:
        for file, text in zip(files, before, strict=True):
            file.write_text(planted(text, fault), encoding="utf-8")
        scripts.write(root / BUILT / "_static", root)  # pages load them as one file
        status, said = run_tests(fault["tests"], root)
    finally:
        for file, text in zip(files, before, strict=True):
            file.write_text(text, encoding="utf-8")
        scripts.write(root / BUILT / "_static", root)
    if status not in (0, 1):  # 1: tests failed; all else is a mistake of ours, in the list or in the fault's code
        raise RuntimeError(f"{fault['name']}: pytest ends with {status}:\n{said[-2000:]}")
    return status == 1


def run_tests(tests: list[str], root: Path) -> tuple[int, str]:
    """Run tests until one fails; return pytest's status and what it said."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    surroundings = os.environ | {"PYTHONPATH": str(root), "FIGURE_VENUE": "notebook", "OPENBLAS_NUM_THREADS": "1"}
    options = {"cwd": root, "env": surroundings, "capture_output": True, "text": True, "timeout": PATIENCE}
    try:
        done = subprocess.run(command, check=False, **options)
    except subprocess.TimeoutExpired:
        return 1, "the tests do not end"
    return done.returncode, done.stdout + done.stderr


def main() -> int:
    """Plant the faults that are asked for; return 1 if one of them goes unnoticed, or is stale."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("word", nargs="?", default="", help="of the names or files of those to plant")
    word, unnoticed, run = parser.parse_args().word, [], 0
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        root = Path(folder)
        copy_tree(root)
        for fault in read_faults():
            if word not in fault["name"] + fault["file"]:
                continue
            run, started = run + 1, time.perf_counter()
            try:
                said = "caught" if is_noticed(fault, root) else "UNNOTICED"
            except (OSError, RuntimeError, ValueError) as error:
                said = f"NOT TRIED: {error}"
            if said != "caught":
                unnoticed.append(fault["name"])
            print(f"{time.perf_counter() - started:5.0f} s  {said}: {fault['name']}", flush=True)
    print(f"{run - len(unnoticed)} of {run} faults caught")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
