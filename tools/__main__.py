"""Build and test the book without make: ``python -m tools book``, in an environment that has ``requirements-dev.txt``.

The Makefile's targets of these names make the environment first, and then run the same.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from tools.inputs import fingerprint

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "_build"
GRADING = ["grading/tests", "tests/assignments"]


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tools", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for action in (book, lint, check, test, test_grading, test_all, links):
        command = commands.add_parser(action.__name__.replace("_", "-"), help=action.__doc__.splitlines()[0])
        command.set_defaults(action=action)
        if action is check:
            command.add_argument("chapter", nargs="?", help="such as 05: this chapter alone")
    given = vars(parser.parse_args(arguments))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # several processes share the cores
    # The C library gives arrays back to the system at once, and gets them again page by page: it keeps them instead.
    os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", str(32 * 2**20))
    os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", str(2**30))
    # Containers may forbid Python to keep what it compiled: the hundreds of kernels and boxes that start here would
    # compile all their libraries again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    return given.pop("action")(**given)


def book() -> int:
    """Build the site in _build/html, strictly; execute the pages whose outputs depend on what changed."""
    stamp, state = BUILD / ".built", fingerprint()
    if stamp.is_file() and stamp.read_text() == state and (BUILD / "html" / "index.html").is_file():
        print("The book is built, and nothing has changed since.")
        return 0
    stamp.unlink(missing_ok=True)
    # A page with a warning or a failed cell is no error, unless told otherwise.
    status = run(*build_command("html"), "-n", "-W", "--keep-going", "-q")
    if status:
        # Pages already read are forgotten: otherwise a second try would not see their warnings again.
        for folder in ("html", ".doctrees"):
            shutil.rmtree(BUILD / folder, ignore_errors=True)
        return status
    stamp.write_text(state)
    print(f"The book is built. Open {(BUILD / 'html' / 'index.html').as_uri()} or run: make serve")
    return 0


def lint() -> int:
    """Have ruff read packages, tests, tools and notebooks, mypy the annotations, and actionlint the workflows."""
    # actionlint isn't pinned: its wheel is made from a program on GitHub, which not everybody can reach.
    actionlint = shutil.which("actionlint")
    return (
        run("-m", "ruff", "check", "-q")
        or run("-m", "ruff", "format", "--check", "-q")
        or run("-m", "mypy", "--no-error-summary")
        or (run(actionlint) if actionlint else 0)
    )


def check(chapter: str | None) -> int:
    """Test packages, tools, labs, the chapters' anatomy and claims: no browser, no sandbox, no notebook."""
    if chapter:
        return check_chapter(f"{int(chapter):02}")
    print("check: ruff; the package, its examples, tools, rules, labs, the chapters' anatomy and claims", flush=True)
    claims = found("tests/chapters/test_[0-9]*.py")
    book = [f"tests/chapters/test_{name}.py" for name in ("chapters", "back_matter", "errata")]
    linted = lint()
    return pytest(2, "tests/labs", *package_tests(), "tests/tools", *claims, *book) or linted


def check_chapter(number: str) -> int:
    """Test one chapter in full: its claims, labs, anatomy, its lines on other pages, and what its cells print."""
    os.environ["DP_TEST_ALL"] = "1"
    (notebook,) = found(f"book/{number}-*.ipynb")
    print(f"check: {notebook}: ruff, claims, labs, anatomy, the pages that list it, every stored output", flush=True)
    book = ["tests/chapters/test_chapters.py", "tests/chapters/test_back_matter.py", "tests/tools/test_rules.py"]
    # Of these the tests of this chapter, and those that look at all chapters at once, whose names end without "[".
    only = f"test_{number}_ or [{int(number)}. or {Path(notebook).stem}"
    only += " or test_back_matter or test_rules or (test_chapters and not [)"
    linted = run("-m", "ruff", "check", "-q", notebook)
    # A draft may have none yet, and test_rules says so.
    claims = [path.relative_to(ROOT).as_posix() for path in ROOT.glob(f"tests/chapters/test_{number}_*.py")]
    return pytest(2, "--nbval", "-rx", "-k", only, notebook, *claims, "tests/labs", *book) or linted


def test() -> int:
    """Run the tests of the book: package, labs, chapters, every printed output, the site in a browser."""
    print("test: ruff; labs, the site, every printed output, chapters, package, tools", flush=True)
    return lint() or pytest(3, *book_tests())


def test_grading() -> int:
    """Run the tests of the assignments and of their grader, most of them in its sandbox."""
    print("test-grading: ruff, the assignments' answers, the grader, its sandbox", flush=True)
    return run("-m", "ruff", "check", "-q", "grading") or pytest(3, *GRADING)


def test_all() -> int:
    """Run all tests, the samples in full, nbval on every notebook, on the real census, too, which is fetched."""
    from dp_helpers.data import download_uci_adult

    os.environ["DP_TEST_ALL"] = "1"
    os.environ.setdefault("PYTEST_TIMEOUT", "7200")  # some of these tests take long, and none hangs for ever
    if "DP_CENSUS_REAL" not in os.environ:
        print("test-all: fetching the real census (4 MB) from the UCI archive; DP_CENSUS_REAL names a file instead")
        os.environ["DP_CENSUS_REAL"] = str(download_uci_adult(BUILD / "adult.data"))
    print("test-all: ruff, and all that `test` samples, in full: hours", flush=True)
    return lint() or pytest(3, "--nbval", *found("book/*.ipynb"), *GRADING, *book_tests())


def links() -> int:
    """Follow every link of the book to another site, and name those that lead nowhere."""
    try:
        socket.getaddrinfo("doi.org", 443)
    except OSError as error:
        raise SystemExit(f"links: there is no network here, without which every link looks broken ({error})") from None
    return run(*build_command("linkcheck"), "-q")


def build_command(kind: str) -> list[str]:
    """Return what builds the book: Jupyter Book where it is installed, else plain Sphinx, which reads ``conf.py``."""
    if find_spec("jupyter_book"):
        return [str(Path(sys.executable).with_name("jupyter-book")), "build", ".", "--builder", kind]
    return [sys.executable, "-m", "sphinx", "-b", kind, "-d", "_build/.doctrees", ".", f"_build/{kind}"]


def book_tests() -> list[str]:
    """Return the tests of the book; processes take the long ones first, so that none is waited for at the end."""
    long = ["tests/labs", "tests/site", "slider_figures/tests/browser"]
    return [*long, "tests/chapters", *package_tests(), "tests/tools"]


def package_tests() -> list[str]:
    """Return the test modules of the packages, those of the audits first, and the peers' values."""
    ours = sorted(found("tests/package/test_*.py"), key=lambda name: "audits" not in name)
    return [*ours, "tests/peers", "tests/reviews", *found("slider_figures/tests/test_*.py")]


def found(pattern: str) -> list[str]:
    """Return the files of this pattern, as names from the top; at least one must be there."""
    names = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern))
    if not names:
        raise SystemExit(f"there is no {pattern}")
    return names


def pytest(processes: int, *arguments: str) -> int:
    """Run tests side by side, each file in one process.

    On two cores three processes are the fastest: a browser or a box is waited for, and each imports all tests.
    """
    os.environ.setdefault("FIGURE_VENUE", "notebook")  # notebooks under test show what the committed ones show
    side_by_side = ["-n", str(processes), "--dist", "loadfile", "--no-loadscope-reorder"]
    return run("-m", "pytest", "-q", *side_by_side, *arguments)


def run(*command) -> int:
    """Run a program, or a module of this Python, at the top of the repository; return its status."""
    start = [sys.executable] if command[0] == "-m" else []
    return subprocess.run([*start, *map(str, command)], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
