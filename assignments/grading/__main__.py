"""The command line: ``python -m grading COMMAND`` in the folder of the assignments."""

import argparse
import importlib
import sys

from .source import FormatError

# Each adds its commands with add_commands(commands).
MODULES = [
    "release",
    "collect",
    "nbgrader",
    "grade",
    "marks",
    "feedback",
    "similar",
    "gradescope",
    "factors",
]


def main(arguments=None) -> int:
    """Run one command and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m grading", description="Hand out and grade the assignments.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name in MODULES:
        importlib.import_module(f".{name}", __package__).add_commands(commands)
    chosen = parser.parse_args(arguments)
    try:
        return chosen.run(chosen) or 0
    except (FormatError, FileNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
