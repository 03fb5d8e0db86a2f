"""What students get runs without our package, says "not yet" where they have to work, and gives nothing away."""

import json
import platform
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import nbformat
import pytest
from committed import FOLDERS, load
from thorough import sample

from grading import release, sandbox, source, student_checks
from grading.__main__ import main

from .secrets_of import notebook_text, secrets

ROOT = Path(__file__).parents[2] / "assignments"
# Runs the code cells of a notebook like a student's computer, which has neither our package nor SciPy.
PLAYER = """
import json, sys
sys.modules.update({"dp_helpers": None, "scipy": None, "grading": None})
space = {"__name__": "__main__"}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), space)
"""


@pytest.fixture(scope="module", params=FOLDERS, ids=lambda folder: folder.name)
def built(request, tmp_path_factory):
    """An assignment and the folder it was released into, without trying its answers: test_variants.py does."""
    to = tmp_path_factory.mktemp(request.param.name)
    release_untried(request.param, to)
    return load(request.param), to


@pytest.fixture
def played(built):
    """The same for those whose notebooks are run: a third, or all in the weekly run."""
    if built[0].folder not in sample(FOLDERS, every=3, name=lambda folder: folder.name):
        pytest.skip("takes long: DP_TEST_ALL=1 runs it")
    return built


def release_untried(folder, to, *options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(release, "refuse_unfair", lambda assignment: None)
        assert main(["release", str(folder), "--to", str(to), *map(str, options)]) == 0


def play(folder, name):
    """Return what a notebook prints, run from top to bottom in its folder."""
    command = [sys.executable, "-B", "-X", "utf8", "-c", PLAYER, f"{name}.ipynb"]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_student_notebook_runs_and_says_not_yet(played):
    assignment, to = played
    said = play(to / "student" / assignment.name, assignment.name)
    for task in assignment.tasks:
        if not task.written:
            # The starter of a planted defect may pass what students can check; an empty starter never does.
            empty = "..." in task.cells["starter"].text
            expected = f"✗ {task.name}, not yet: " if empty else f" {task.name}"
            assert expected in said
            assert not (empty and f"✓ {task.name}" in said)


def test_solution_notebook_passes_every_check(played):
    assignment, to = played
    said = play(to / "lecturer" / assignment.name, f"{assignment.name}-solution")
    assert re.findall(r"^(.) (\w+)", said, re.M) == [("✓", task.name) for task in assignment.tasks if not task.written]


def test_student_gets_no_secret(built):
    assignment, to = built
    files = {path.name: path.read_text(encoding="utf-8") for path in (to / "student" / assignment.name).iterdir()}
    assert set(files) == {f"{assignment.name}.ipynb", "checks.py", "requirements.txt", *assignment.data}
    content = json.loads(files[f"{assignment.name}.ipynb"])
    nbformat.validate(content)
    files["notebook"] = notebook_text(content)
    everything = "\n".join(files.values())
    for secret in secrets(assignment):
        assert secret not in everything
    assert "dp_helpers" not in files["checks.py"]


def test_releasing_twice_gives_the_same_bytes(played, tmp_path):
    assignment, to = played
    release_untried(assignment.folder, tmp_path)
    for path in to.rglob("*.*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / path.relative_to(to)).read_bytes(), path.name


def test_another_term_has_other_data_and_parameters(tmp_path):
    term = tmp_path / "term.toml"
    term.write_text('seed = "00000000000000a5"\n[7-local]\nepsilon = 1.2\n', encoding="utf-8")
    release_untried(ROOT / "7-local", tmp_path, "--term", term)
    here, now = source.load(ROOT / "7-local", term), load(ROOT / "7-local")
    assert here.term == now.term | {"epsilon": 1.2}
    assert not here.data["commuters.csv"].equals(now.data["commuters.csv"])
    notebook = (tmp_path / "student" / "7-local" / "7-local.ipynb").read_text(encoding="utf-8")
    assert "ε = 1.2" in notebook
    assert "ε = 1.0" not in notebook


@pytest.mark.parametrize(
    ("name", "parameter", "said"),
    [
        # With ε = 6 for 8 questions, a split budget is no longer twice as bad as the best design.
        ("7-local", "epsilon = 6.0", "the solution of q6 fails its checks"),
        ("1-anonymity", "loss = 0.2", "q6's right answer same-steps-for-everybody fails its checks"),
    ],
)
def test_a_term_that_a_right_answer_fails_is_not_released(name, parameter, said, tmp_path, capsys, monkeypatch):
    tried = [variant for variant in source.load_variants(load(ROOT / name)) if variant.name in said]
    monkeypatch.setattr(source, "load_variants", lambda assignment: tried)
    assert said in why_refused(ROOT / name, f'seed = "00000000000000a5"\n[{name}]\n{parameter}\n', tmp_path, capsys)


def test_a_term_that_a_wrong_answer_passes_is_not_released(tmp_path, capsys):
    folder = shutil.copytree(ROOT / "7-local", tmp_path / "7-local")
    right = next(task for task in load(ROOT / "7-local").tasks if task.name == "q1").cells["solution"].text
    (folder / "variants.py").write_text(f'# %% task="q1" name="not-wrong-at-all"\n{right}\n', encoding="utf-8")
    assert "q1's wrong answer not-wrong-at-all passes" in why_refused(
        folder, 'seed = "00000000000000a5"\n', tmp_path, capsys
    )


def why_refused(folder, text, tmp_path, capsys):
    term = tmp_path / "term.toml"
    term.write_text(text, encoding="utf-8")
    assert main(["release", str(folder), "--term", str(term), "--to", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()
    return capsys.readouterr().err


# What students are told about the grader


def test_the_folder_says_with_which_versions_and_limits_it_is_graded(tmp_path):
    release_untried(ROOT / "7-local", tmp_path)
    folder = tmp_path / "student" / "7-local"
    wanted = (folder / "requirements.txt").read_text(encoding="utf-8")
    for name in sandbox.PACKAGES:
        assert f"{name}=={metadata.version(name)}\n" in wanted
    assert platform.python_version() in wanted
    text = notebook_text(json.loads((folder / "7-local.ipynb").read_text(encoding="utf-8")))
    patience = sandbox.ORDINARY
    for number in (patience.cell, patience.call, patience.total, sandbox.PORTION, sandbox.LIMITS["AS"] >> 30):
        assert f"{number:g}" in text.partition("**How your notebook is graded.**")[2][:1200]


def test_other_versions_at_home_are_a_warning(capsys):
    ours = {"python": platform.python_version(), "numpy": metadata.version("numpy"), "pandas": "1.5.3"}
    student_checks.tell_versions(ours)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"The grader works with python {ours['python']}, numpy {ours['numpy']}, pandas 1.5.3."
    assert len(said) == 2
    assert f"You have pandas {metadata.version('pandas')}" in said[1]


# A term's seed


def test_a_new_term_has_a_secret_seed_of_its_own(tmp_path, capsys):
    seeds = set()
    for name in ("a.toml", "b.toml"):
        assert main(["term", "--to", str(tmp_path / name)]) == 0
        seeds.add(load.__wrapped__(ROOT / "7-local", tmp_path / name).seed)
    assert len(seeds) == 2
    assert all(len(seed) == 32 for seed in seeds)
    before = (tmp_path / "a.toml").read_bytes()
    assert main(["term", "--to", str(tmp_path / "a.toml")]) == 2
    assert "is there already" in capsys.readouterr().err
    assert (tmp_path / "a.toml").read_bytes() == before


def test_what_needs_no_assignment_starts_at_once():
    code = "import sys\nfrom grading import __main__, collect, feedback, marks, term\nsys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT.parent, check=True)


def test_the_public_seed_is_called_public(tmp_path, capsys):
    release_untried(ROOT / "7-local", tmp_path)
    assert "python -m grading term" in capsys.readouterr().err
    main(["term", "--to", str(tmp_path / "term.toml")])
    release_untried(ROOT / "7-local", tmp_path / "secret", "--term", tmp_path / "term.toml")
    assert capsys.readouterr().err == ""


# A version for each student

PERSONAL = 'seed = "00000000000000a5"\npersonal = true\n[7-local]\nepsilon = [0.8, 1.0]\n'


@pytest.fixture
def personal(tmp_path):
    (tmp_path / "term.toml").write_text(PERSONAL, encoding="utf-8")
    names = [f"student{number}" for number in range(12)]
    (tmp_path / "class.csv").write_text("student\n" + "\n".join(names), encoding="utf-8")
    return tmp_path, names


def test_students_have_data_and_parameters_of_their_own(personal, monkeypatch):
    folder, names = personal
    tried = []
    monkeypatch.setattr(release, "refuse_unfair", lambda assignment: tried.append(assignment.term["epsilon"]))
    options = ["--term", str(folder / "term.toml"), "--students", str(folder / "class.csv"), "--to", str(folder)]
    assert main(["release", str(ROOT / "7-local"), *options]) == 0
    assert sorted(tried) == [0.8, 1.0]  # each combination once
    written = [folder / "student" / "7-local" / name / "commuters.csv" for name in names]
    assert len({path.read_bytes() for path in written}) == len(names)
    for name, path in zip(names, written, strict=True):
        assignment = source.load(ROOT / "7-local", folder / "term.toml", name)
        assert assignment.files()["commuters.csv"] == path.read_text(encoding="utf-8")
        notebook = (path.parent / "7-local.ipynb").read_text(encoding="utf-8")
        assert f"ε = {assignment.term['epsilon']}" in notebook
        assert f"ε = {1.8 - assignment.term['epsilon']:.1f}" not in notebook


@pytest.mark.parametrize(
    ("term", "students", "message"),
    [
        (PERSONAL, None, "needs --students"),
        ('seed = "00000000000000a5"\n', "student\nada\n", "has no personal = true"),
        (PERSONAL, "student\nada\nada\n", "must name each student once"),
        (PERSONAL, "student\n../ada\n", "must be the name of a folder, got '../ada'"),
        (PERSONAL, "name\nada\n", "student is missing"),
    ],
)
def test_a_class_that_does_not_fit_the_term_is_refused(tmp_path, capsys, term, students, message):
    (tmp_path / "term.toml").write_text(term, encoding="utf-8")
    options = ["--term", str(tmp_path / "term.toml"), "--to", str(tmp_path / "out")]
    if students:
        (tmp_path / "class.csv").write_text(students, encoding="utf-8")
        options += ["--students", str(tmp_path / "class.csv")]
    assert main(["release", str(ROOT / "7-local"), *options]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_private_folder_is_taken_by_the_same_command(tmp_path):
    folder = shutil.copytree(ROOT / "7-local", tmp_path / "mine" / "9-mine")
    assert main(["term", "--to", str(tmp_path / "mine" / "term.toml")]) == 0
    release_untried(folder, tmp_path / "out")
    assert (tmp_path / "out" / "student" / "9-mine" / "9-mine.ipynb").exists()
    assert source.locate(str(folder)) == folder
