"""Writes an autograder for Gradescope: a ZIP file with the grader, one assignment, and the scripts that run it.

There each submission is graded in a container of its own. The student's code runs in bubblewrap where the container
lets it; otherwise as another user, who can neither read the grader nor write its results. Either way it only answers
what the grader's own process asks, and every verdict is that process's.

``python -m grading.gradescope`` is what runs in the container.
"""

import argparse
import io
import json
import os
import platform
import sys
import zipfile
from contextlib import ExitStack
from importlib import metadata
from pathlib import Path

from . import sandbox, source, submissions
from .grade import grade_one, limit_this_process
from .made import Made
from .texts import line

NEEDED = Path(__file__).with_name("requirements.txt")
SETUP = """#!/usr/bin/env bash
set -e
apt-get update && apt-get install -y bubblewrap curl ca-certificates
curl -LsSf https://astral.sh/uv/install.sh | env UV_INSTALL_DIR=/usr/local/bin sh
export UV_PYTHON_INSTALL_DIR=/opt/python
uv venv --python {python} /opt/grader
uv pip install --python /opt/grader/bin/python -r /autograder/source/requirements.txt
"""
RUN = """#!/usr/bin/env bash
chmod 700 /autograder/source /autograder/results /autograder/submission
cd /autograder/source && exec /opt/grader/bin/python -m grading.gradescope {name} /autograder
"""


def gradescope(options: argparse.Namespace) -> None:
    """Write the ZIP file."""
    folder = source.locate(options.assignment).resolve()
    assignment = source.load(folder, options.term)
    files = {"setup.sh": SETUP.format(python=platform.python_version()), "run_autograder": RUN.format(name=folder.name)}
    files["requirements.txt"] = "".join(f"{name}=={metadata.version(name)}\n" for name in needed())
    files["term.toml"] = (options.term or folder.parent / "term.toml").read_text(encoding="utf-8")
    files[f"{folder.name}/source.py"] = (folder / "source.py").read_text(encoding="utf-8")
    to = options.to or Path(f"{assignment.name}-gradescope.zip")
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        ours = Path(source.dp.__file__).parent
        for package in (Path(__file__).parent, ours, ours.with_name("reviews")):
            for path in sorted(package.rglob("*")):
                inside = path.relative_to(package.parent)
                if path.is_file() and not {"__pycache__", "tests"} & {*inside.parts}:
                    archive.write(path, inside)
    Made(to.parent, assignment.whose).write(to.name, held.getvalue())
    print(f"{assignment.name}: {to}")


def needed() -> list[str]:
    """Return the names of the packages that the grader needs."""
    return [line for line in NEEDED.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def main(name: str, root: Path) -> int:
    """Grade what was handed in to Gradescope, and write its results.json; no result where it can't be judged."""
    folder = Path.cwd() / name
    assignment = source.load(folder, student=_student(root))
    limit_this_process()
    with ExitStack() as stack:
        try:
            ready = stack.enter_context(sandbox.prepare(assignment.files()))
        except sandbox.SandboxError:
            if os.geteuid() != 0:
                print("neither bubblewrap nor another user can keep the student's code apart", file=sys.stderr)
                return 1
            ready = stack.enter_context(sandbox.prepare(assignment.files(), isolated=False, apart=True))
        record = grade_one(submissions.place(root / "submission", assignment.name), assignment, ready)
    if record["fault"] and not record["unread"]:
        print(f"not graded: {line(record['fault'])}", file=sys.stderr)
        return 1
    path = root / "results" / "results.json"
    path.write_text(json.dumps(results(record, assignment), indent=1), encoding="utf-8")
    return 0


def _student(root):
    """Return whose submission it is, by the e-mail address that Gradescope knows."""
    about = root / "submission_metadata.json"
    return json.loads(about.read_text(encoding="utf-8"))["users"][0]["email"] if about.is_file() else None


def results(record: dict, assignment: source.Assignment) -> dict:
    """Return a record as Gradescope reads it; written answers are shown, and marked there by hand."""
    tests = []
    for task in assignment.tasks:
        if task.written:
            answer = record["written"].get(task.name) or "(no answer)"
            tests.append({"name": f"{task.name}, marked by hand", "output": answer})
        else:
            verdict = record["tasks"][task.name]
            output = "\n".join(verdict["messages"]) or "All checks pass."
            tests.append({"name": task.name, "score": verdict["earned"], "max_score": task.points, "output": output})
    return {"tests": tests, "output": "\n".join(record["log"]), "stdout_visibility": "hidden"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
