"""A command that is ended at any point leaves what was there before, or the new whole, and can be run again.

Each command of a small term is run in a process of its own, which ends when it is about to open a file for writing, to
rename or to remove one; a file that it would have begun anew is left empty, as if it had been ended a moment later.
"""

import csv
import io
import json
import os
import secrets
import shutil
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from thorough import THOROUGH

from grading import grade, release, source
from grading.__main__ import main

from .small import SOURCE, assignment_in, hand_in, notebook
from .test_collect import zipped

PLACES, ENDED = 20 if THOROUGH else 7, 98
RESULTS, WRITTEN = "results/9-trees/results.json", "written-9-trees.csv"
ROUND = {
    "release": ["release", "9-trees", "--to", "out"],
    "collect": ["collect", "9-trees", "download.zip", "--due", "2027-03-01T00:00"],
    "grade": ["grade", "9-trees"],
    "written": ["written", RESULTS],
    "export": ["export", RESULTS, "--hand", WRITTEN],
    "feedback": ["feedback", RESULTS, "--hand", WRITTEN, "--zip", "feedback.zip"],
    "term": ["term", "--to", "my-term.toml"],
}
CHANGES = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.link")


def moodle(**answers):
    """Return Moodle's download of these students' notebooks, by what they have written."""
    files = {
        f"{student}_{number}_assignsubmission_file_/9-trees.ipynb": json.dumps(notebook(written=text))
        for number, (student, text) in enumerate(answers.items())
    }
    return zipped(files)


def marked(table):
    """Return the table of written answers with points for all of them."""
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8-sig"))))
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, rows[0])
    writer.writeheader()
    writer.writerows(row | {"points": row["points"] or "7", "comment": "So so."} for row in rows)
    return file.getvalue()


def graded(_, found, **__):
    """Stand for the sandbox: points by the length of what was written."""
    for student, path in found.items():
        answer = json.loads(path.read_text(encoding="utf-8"))["cells"][-1]["source"]
        tasks = {name: {"earned": len(answer), "messages": [], "errors": []} for name in ("q1", "q2")}
        yield student, {"tasks": tasks, "written": {"q3": answer}, "log": [], "unread": None, "fault": None}


def run(command, world, last=None):
    """Run a command in a folder, in a process that ends at the change of this number.

    Return how many changes it began, and whether it was ended by one.
    """
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other threads are numpy's, which do nothing here
        child = os.fork()
    if child == 0:
        try:
            os.chdir(world)
            sys.addaudithook(Counter(writer, last))
            os._exit(main(command))
        finally:
            os._exit(99)
    os.close(writer)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with os.fdopen(reader, "rb") as counted:
        count = len(counted.read())
    assert status in (0, ENDED), (command, last, status)
    return count, status == ENDED


class Counter:
    """Writes a byte for each change of a file, and ends the process at the one of this number."""

    def __init__(self, writer, last):
        self._writer, self._last, self._count = writer, last, 0

    def __call__(self, event, arguments):
        anew = event == "open" and isinstance(arguments[0], (str, os.PathLike)) and arguments[2] & os.O_ACCMODE
        if not anew and event not in CHANGES:
            return
        os.write(self._writer, b".")
        if self._count == self._last:
            if anew and arguments[2] & os.O_TRUNC:
                os.close(os.open(arguments[0], arguments[2], 0o666))
            os._exit(ENDED)
        self._count += 1


@pytest.fixture(scope="module")
def term(tmp_path_factory):
    """Return what each command finds: by its name the folder before it, the second time that all are run."""
    root = tmp_path_factory.mktemp("interrupted")
    before, world = {}, root / "world"
    assignment_in(world)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "refuse_unfair", lambda assignment: None)
        patch.setattr(grade, "grade_each", graded)
        patch.setattr(source, "ASSIGNMENTS", world)
        patch.setattr(secrets, "token_hex", lambda count: "5a" * count)
        patch.setattr(time, "time", lambda: 1.8e9)  # which a ZIP file holds
        downloads = moodle(ada="Because.", bob="I see.", cyd="?"), moodle(ada="Because of it.", bob="I see.", dan="!!")
        for number, download in enumerate(downloads):
            (world / "download.zip").write_bytes(download)
            hand_in(world, "9-trees", SOURCE + "# Again.\n" * number, "source.py")
            for name, command in ROUND.items():
                if name != "term" or number:
                    before[name] = shutil.copytree(world, root / f"{number} {name}")
                    run(command, world)
                if name == "written":
                    (world / WRITTEN).write_text(marked(world / WRITTEN), encoding="utf-8")
        yield before


def files(world):
    """Return the content of all files by name, without those that begin with a dot; of the results each student's."""
    found = (path for path in world.rglob("*") if path.is_file() and path.name[0] != ".")
    content = {str(path.relative_to(world)): path.read_bytes() for path in found}
    results = json.loads(content.pop(RESULTS, b'{"students": []}'))
    return content | {f"{RESULTS} {record['student']}": record for record in results["students"]}


@pytest.mark.parametrize("name", ROUND)
def test_nothing_is_lost_wherever_it_ends(term, tmp_path, name):
    whole = Path(shutil.copytree(term[name], tmp_path / "whole"))
    count, _ = run(ROUND[name], whole)
    before, after = files(term[name]), files(whole)
    assert before != after and count > 1
    times = 2 if count < PLACES else 1  # at the same place again, where that is soon done
    for place in sorted({*np.linspace(0, count - 1, PLACES).astype(int).tolist()}):
        world = Path(shutil.copytree(term[name], tmp_path / str(place)))
        ended = [run(ROUND[name], world, place)[1] for _ in range(times)]
        assert ended[0]
        found = files(world)
        assert all(content in (before.get(one), after.get(one)) for one, content in found.items())
        assert before.keys() & after.keys() <= found.keys()
        assert run(ROUND[name], world)[1] is False
        assert files(world) == after
