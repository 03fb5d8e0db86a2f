"""Assignments' own solutions, graded as submissions are: in the sandbox, their answers handed over the pipe."""

import pytest
from thorough import sample

from grading import grade, source
from grading.release import ASSIGNMENTS, lecturer_notebook

TRIED = sample(source.find(ASSIGNMENTS), every=9, name=lambda folder: folder.name)


@pytest.mark.parametrize("folder", TRIED, ids=lambda folder: folder.name)
def test_the_solution_earns_all_points_in_the_sandbox(folder, tmp_path, bubblewrap):
    assignment = source.load(folder)
    submission = tmp_path / "solution.ipynb"
    submission.write_text(lecturer_notebook(assignment), encoding="utf-8")
    ((_, graded),) = grade.grade_each(folder, {"solution": submission})
    assert graded["log"] == [] and graded["fault"] is None
    for task in assignment.tasks:
        if not task.written:
            assert graded["tasks"][task.name] == {"earned": task.points, "messages": [], "errors": []}
