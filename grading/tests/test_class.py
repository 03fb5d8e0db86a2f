"""A class of 200, twelve of them hostile, is graded within ten minutes of two processors, and everybody fairly.

Takes minutes: DP_TEST_ALL=1 runs it. It prints how long it took.
"""

import json
import shutil
import subprocess
import sys
import time

import pytest
from thorough import weekly

from grading import source
from grading.__main__ import main
from grading.release import ASSIGNMENTS

from .small import filled

NAME, STUDENTS, MINUTES = "7-local", 200, 10
# What stands below a right answer to the first task, and loses at most that task.
HOSTILE = {
    "endless": "def private_bits(bits, epsilon, rng):\n    while True:\n        pass",
    "asleep": "def private_bits(bits, epsilon, rng):\n    import time\n    time.sleep(10**6)",
    "exit": "def private_bits(bits, epsilon, rng):\n    import os\n    os._exit(0)",
    "endless cell": "while True:\n    pass",
    "forks": "import os\nwhile True:\n    os.fork()",
    "files": "import os\nfor number in range(10**9):\n    os.mknod(f'{number}')",
    "memory": "held = []\nwhile True:\n    held.append(bytearray(b'x' * (1 << 28)))",
    "memory of the grader": "def private_bits(bits, epsilon, rng):\n"
    "    return np.zeros((len(bits), 1) if rng.random() < 0.5 else len(bits), np.int8)",
    "noise on the pipe": "import os, time\nfor fd in range(3, 20):\n    try:\n        os.write(fd, b'\\xff' * 60_000)\n"
    "    except OSError:\n        pass\ntime.sleep(10**6)",
    "every signal": "import os, signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nos.kill(-1, 9)",
    "spy": "import glob, os\nfound = [open(path).read() for path in glob.glob('/**/source.py', recursive=True)]\n"
    "assert not found and not os.path.exists('/proc')",
    "threads": "import threading\ndef spin():\n    while True:\n        pass\nfor _ in range(100):\n"
    "    threading.Thread(target=spin, daemon=True).start()",
}
# Counts the processor time of all that grading starts, also of what outlives its parent.
RUNNER = """
import ctypes, os, resource, subprocess, sys
ctypes.CDLL(None).prctl(36, 1)
status = subprocess.run([sys.executable, "-m", "grading", *sys.argv[1:]]).returncode
try:
    while True:
        os.wait()
except ChildProcessError:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(used.ru_utime + used.ru_stime)
sys.exit(status)
"""


def answers_of_all(assignment):
    """Return by student the answers to each task, and the task that must lose points."""
    right = {task.name: task.cells["solution"].text for task in assignment.tasks if not task.written}
    variants = source.load_variants(assignment)
    wrong = [variant for variant in variants if not variant.right]
    other = {variant.task: variant.code for variant in variants if variant.right}
    first, everybody = next(iter(right)), {}
    for number, (name, code) in enumerate(HOSTILE.items()):
        everybody[f"hostile{number:02} {name}"] = right | {first: f"{right[first]}\n\n\n{code}"}, first
    for number in range(STUDENTS - len(HOSTILE)):
        if number % 4:
            everybody[f"student{number:03}"] = (right | other if number % 2 else right), None
        else:
            variant = wrong[number % len(wrong)]
            everybody[f"student{number:03}"] = right | {variant.task: variant.code}, variant.task
    return everybody


@weekly
@pytest.mark.timeout(7_200)  # by the clock, on a computer that does other things as well
def test_a_class_of_two_hundred(bubblewrap, tmp_path, monkeypatch):
    monkeypatch.setattr("grading.release.refuse_unfair", lambda assignment: None)
    assert main(["release", str(ASSIGNMENTS / NAME), "--to", str(tmp_path)]) == 0
    assignment = source.load(ASSIGNMENTS / NAME)
    everybody = answers_of_all(assignment)
    for student, (answers, _) in everybody.items():
        folder = shutil.copytree(tmp_path / "student" / NAME, tmp_path / "in" / student)
        (folder / f"{NAME}.ipynb").write_text(filled(folder / f"{NAME}.ipynb", answers), encoding="utf-8")
    start = time.monotonic()
    command = [sys.executable, "-c", RUNNER, "grade", NAME, str(tmp_path / "in"), "--out", str(tmp_path / "out")]
    done = subprocess.run(command, cwd=ASSIGNMENTS.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    used = float(done.stdout.splitlines()[-1])
    print(f"{STUDENTS} submissions: {time.monotonic() - start:.0f} s, {used:.0f} s of processor time")
    assert used < 2 * 60 * MINUTES
    assert f"{STUDENTS} of {STUDENTS}" in done.stderr  # the bar
    records = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["students"]
    assert len(records) == STUDENTS
    points = {task.name: task.points for task in assignment.tasks if not task.written}
    for record in records:
        lost = everybody[record["student"]][1]
        earned = {task: verdict["earned"] for task, verdict in record["tasks"].items()}
        assert {task for task in points if earned[task] != points[task]} <= {lost}, record
        if not record["student"].startswith("hostile"):
            assert lost is None or earned[lost] < points[lost], record
