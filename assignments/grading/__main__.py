"""The command line: ``python -m grading COMMAND`` in the folder of the assignments."""

import argparse
import importlib
import sys

from .texts import FormatError

# The module of each command, which adds it with add_commands(commands); the others aren't loaded.
MODULES = {
    "term": "release",
    "release": "release",
    "collect": "collect",
    "grade": "grade",
    "similar": "similar",
    "written": "marks",
    "export": "marks",
    "feedback": "feedback",
    "show": "feedback",
    "gradescope": "gradescope",
    "nbgrader": "nbgrader",
    "compare": "nbgrader",
}


def main(arguments=None) -> int:
    """Run one command and return its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(prog="python -m grading", description="Hand out and grade the assignments.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    asked = [MODULES[word] for word in arguments[:1] if word in MODULES]
    for name in asked or dict.fromkeys(MODULES.values()):
        importlib.import_module(f".{name}", __package__).add_commands(commands)
    chosen = parser.parse_args(arguments)
    try:
        return chosen.run(chosen) or 0
    except (FormatError, FileNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
