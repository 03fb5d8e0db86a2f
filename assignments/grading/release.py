"""Writes what is handed out: the student's version of an assignment, and the lecturer's."""

import argparse
from pathlib import Path


def add_commands(commands) -> None:
    """Add ``release`` to the command line."""
    command = commands.add_parser("release", help="write the student's and the lecturer's versions")
    command.add_argument("folders", nargs="*", type=Path, help="assignments; none: all of them")
    command.set_defaults(run=release)


def release(options: argparse.Namespace) -> None:
    """Write the assignments."""
    raise NotImplementedError
