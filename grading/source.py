"""Reads an assignment: `source.py` and `variants.py` of its folder, in the percent format, which Jupytext opens, too.

Every cell has one role, given in its marker, as in ``# %% role="hidden" task="q1"``.  The roles are in `ROLES`;
Markdown without a role is text for everybody, and with a task it is that task's text.  A check takes names of the
notebook, or `part`: then it is one for each part of its task.
"""

import ast
import hashlib
import io
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

import dp_helpers as dp

from . import verdicts
from .term import read as read_term
from .texts import FormatError

# role: (kind of cell, does it belong to a task?)
ROLES = {
    "term": ("code", False),  # TERM, the parameters' defaults
    "data": ("code", False),  # make_data(term, rng)
    "draw": ("code", False),  # draw_texts(term, rng): what {{names}} stand for beside the parameters
    "setup": ("code", False),  # given to the student and executed everywhere
    "starter": ("code", True),  # the student's cell as it is handed out
    "solution": ("code", True),
    "visible": ("code", True),  # checks that the student can run
    "hidden": ("code", True),  # checks that only the grader runs
    "written": ("markdown", True),  # the question of a written answer
    "rubric": ("markdown", True),
    "oral": ("markdown", False),  # questions for an exam, for the lecturer
}
CODED, WRITTEN = {"starter", "solution", "visible", "hidden"}, {"rubric"}  # what each kind of task is made of
ASSIGNMENTS = Path(__file__).resolve().parents[1] / "assignments"
RESERVED = ("rng", "term", "data")  # what a hidden check may ask for beside the student's names
MARKER = re.compile(r"^# ?%% ?(\[markdown\])?(.*)\n", re.M)
OPTION = re.compile(r'(\w+)=("[^"]*"|\{[^}]*\}|\S+)')


@dataclass(frozen=True)
class Cell:
    """One cell of a source, its parameters already filled in.

    ``where`` names file and cell for messages; ``role`` is None for text.
    """

    where: str
    kind: str
    text: str
    role: str | None = None
    task: str | None = None
    points: int | None = None
    options: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Check:
    """One check: its name, what it checks in words, the function, the names of its arguments, and its part.

    A check that takes `part` is one for each part of its task; ``name`` is then the call that makes it.
    """

    name: str
    doc: str
    function: Callable
    arguments: tuple[str, ...]
    part: str | None = None


@dataclass(frozen=True)
class Task:
    """One task: what it is worth and, by role, the text of its cells; a written one has no checks.

    ``parts`` has the points of each part by the name that the student defines; a task without parts is its own.
    """

    name: str
    points: int
    written: bool
    cells: dict[str, Cell]
    visible: tuple[Check, ...] = ()
    hidden: tuple[Check, ...] = ()
    parts: dict[str, int] = field(default_factory=dict)

    def parts_of(self, check: Check) -> set[str]:
        """Return the parts that a check is about: its own, those whose name it takes, or the task as a whole."""
        return {check.part} if check.part else self.parts.keys() & {*check.arguments, self.name}


@dataclass(frozen=True)
class Variant:
    """Another answer to a task: a wrong one, which must lose its points, or a right one by another method."""

    task: str
    name: str
    right: bool
    code: str


@dataclass(frozen=True)
class Assignment:
    """An assignment under one term's parameters; made by `load`.

    Attributes
    ----------
    name, title : str
        The folder's name, and the first heading.
    term : dict
        The parameters.
    seed : str
        The term's secret seed: never leaves the lecturer's computer.
    student : str or None
        Whose data and parameters these are; None: everybody's.
    personal : bool
        Whether students have data and parameters of their own.
    cells : tuple of Cell
        Everything, in the order of the source.
    tasks : tuple of Task
        In the order of their texts.
    data : dict
        The students' tables by file name, as reading the files gives them.
    drawn : dict
        Texts that the term's seed makes, by the name in double braces that they replace.
    """

    folder: Path
    name: str
    title: str
    term: dict
    seed: str
    cells: tuple[Cell, ...]
    tasks: tuple[Task, ...]
    data: dict[str, pd.DataFrame]
    drawn: dict[str, str] = field(default_factory=dict)
    student: str | None = None
    personal: bool = False

    def files(self) -> dict[str, str]:
        """Return the text of the files that the student gets, by name."""
        return {name: table.to_csv(index=False) for name, table in self.data.items()}

    @property
    def whose(self) -> str:
        """What files are made for: assignment and term, which nobody comes back to the seed from."""
        return f"{self.name}, term {hashlib.sha256(f'term/{self.seed}'.encode()).hexdigest()[:8]}"

    def rng(self, purpose: str) -> np.random.Generator:
        """Return a fresh generator from the secret seed, always the same for the same purpose."""
        return np.random.default_rng(self.seeds(purpose))

    def seeds(self, purpose: str) -> list[int]:
        """Return what seeds the generator of this purpose."""
        return _seeds(self.seed, self.name, purpose)


def load(folder, term=None, student=None) -> Assignment:
    """Read the assignment in ``folder``.

    Parameters
    ----------
    folder : path
        The assignment's folder, with its source.py.
    term : path, optional
        The term's file; None: term.toml beside the assignments' folders.
    student : str, optional
        Whose: where the term says ``personal = true``, everybody has data and parameters of their own.

    Raises
    ------
    FormatError
        If the source doesn't follow the format, or the term's file doesn't fit it.
    """
    folder = Path(folder).resolve()
    known = {folder.name, *(found.name for place in (ASSIGNMENTS, folder.parent) for found in find(place))}
    seed, personal, overrides = read_term(Path(term) if term else folder.parent / "term.toml", known)
    student = student if personal else None
    cells = _read_cells(folder / "source.py", {"role", "task", "points", "parts", "times"})
    whose = (student,) if student is not None else ()
    choose = np.random.default_rng(_seeds(seed, folder.name, "parameters", *whose)) if personal else None
    parameters = _parameters(cells, overrides.get(folder.name, {}), folder.name, choose)
    drawn = _drawn(cells, parameters, np.random.default_rng(_seeds(seed, folder.name, "texts", *whose)))
    cells = tuple(_show_parts(_fill(cell, parameters | drawn)) for cell in cells)
    for cell in cells:
        _check_role(cell)
    names = dict.fromkeys(cell.task for cell in cells if cell.task)
    tasks = tuple(_task(name, [cell for cell in cells if cell.task == name]) for name in names)
    if not tasks:
        raise FormatError(f'{folder / "source.py"} has no task: a task begins with # %% [markdown] task="q1" points=10')
    names = [check.name for task in tasks for check in task.visible + task.hidden]
    if twice := ", ".join({name for name in names if names.count(name) > 1}):
        raise FormatError(f"{folder / 'source.py'}: another check is called {twice}, too; names must differ")
    data = _data(cells, parameters, np.random.default_rng(_seeds(seed, folder.name, "data", *whose)))
    return Assignment(
        folder, folder.name, _title(cells), parameters, seed, cells, tasks, data, drawn, student, personal
    )


def load_variants(assignment: Assignment) -> list[Variant]:
    """Read the assignment's variants.py: cells ``# %% task="q1" name="scale-inverted"``, right ones ``kind="right"``.

    A cell holds the answer's code; or what differs from the solution, or from the answer above that ``like`` names:
    lines ``# - old text``, which stands there just once, and then ``# + new text``, as often as it takes.

    Raises
    ------
    FormatError
        If a cell lacks a task of the assignment or a name of its own, its kind isn't "right", or what it changes isn't
        there.
    """
    solutions = {task.name: task.cells["solution"].text for task in assignment.tasks if not task.written}
    variants, tasks = [], ", ".join(solutions)
    for cell in _read_cells(assignment.folder / "variants.py", {"task", "name", "kind", "like"}):
        if cell.kind == "markdown":
            continue
        name, kind, like = (cell.options.get(option) for option in ("name", "kind", "like"))
        if cell.task not in solutions:
            raise FormatError(f"{cell.where}: task must be one of {tasks}, got {cell.task!r}")
        others = {variant.name: variant.code for variant in variants if variant.task == cell.task}
        if not name or name in others:
            raise FormatError(f"{cell.where}: name must be there and the only one of its task, got {name!r}")
        if kind not in ("right", None):
            raise FormatError(f'{cell.where}: kind must be "right" or left out, got {kind!r}')
        if like not in (*others, None):
            raise FormatError(f"{cell.where}: like must name an answer to the task further up, got {like!r}")
        code = _changed(others.get(like, solutions[cell.task]), _fill(cell, assignment.term | assignment.drawn), like)
        variants.append(Variant(cell.task, name, kind == "right", code))
    return variants


def _changed(base, cell, like):
    """Return the code of a variant: its cell's own, or the base with the cell's changes."""
    changes = re.findall(r"((?:# -.*\n)+)((?:# \+.*\n)+)", cell.text + "\n")
    if not changes and like is None:
        return cell.text
    if "".join(old + new for old, new in changes) != cell.text + "\n":
        raise FormatError(f"{cell.where}: changes are lines '# - old', then '# + new', with nothing else beside them")
    for old, new in changes:
        old, new = ("\n".join(line[4:] for line in text.splitlines()) for text in (old, new))
        if base.count(old) != 1:
            where = like or "the solution"
            raise FormatError(f"{cell.where}: must stand once in {where}, stands {base.count(old)} times: {old!r}")
        base = base.replace(old, new)
    return base


def find(root) -> list[Path]:
    """Return the folders of all assignments below ``root``, in order."""
    folders = (path.parent for path in Path(root).glob("[0-9]*/source.py"))
    return sorted(folders, key=lambda folder: (int(folder.name.partition("-")[0]), folder.name))


def locate(assignment: str) -> Path:
    """Return the folder of an assignment, given by its name or as a path.

    Raises
    ------
    FormatError
        If there is none.
    """
    for folder in (Path(assignment), ASSIGNMENTS / assignment):
        if (folder / "source.py").is_file():
            return folder
    names = ", ".join(folder.name for folder in find(ASSIGNMENTS))
    raise FormatError(f"the assignment must be one of {names}, or a folder with a source.py, got {assignment!r}")


def other_titles(assignment: Assignment) -> dict[str, str]:
    """Return the names of the assignments beside this one, and of ours, by their titles' lines."""
    folders = [folder for place in (ASSIGNMENTS, assignment.folder.parent) for folder in find(place)]
    titles = {}
    for folder in folders:
        title = re.search(r"^# (# .+)$", (folder / "source.py").read_text(encoding="utf-8"), re.M)
        if title and folder.name != assignment.name:
            titles[title[1].strip()] = folder.name
    return titles


def _seeds(seed, *purpose):
    """Return what seeds a generator; from one generator's numbers nobody comes back to the seed, or to another's."""
    digest = hashlib.sha256("/".join([seed, *purpose]).encode()).digest()
    return [int.from_bytes(digest[place : place + 4]) for place in range(0, len(digest), 4)]


def _read_cells(path, allowed):
    """Return the cells: what begins with a marker, which says its kind and options; Markdown stands in comments."""
    _, *parts = MARKER.split(path.read_text(encoding="utf-8"))
    cells = []
    for number, (markdown, marker, text) in enumerate(zip(*[iter(parts)] * 3, strict=True), start=1):
        text = re.sub("^# ?", "", text.strip("\n"), flags=re.M) if markdown else text.strip("\n")
        where = f"{path.parent.name}/{path.name}, cell {number} ({text.partition(chr(10))[0][:60]!r})"
        try:
            options = {key: json.loads(value) for key, value in OPTION.findall(marker)}
        except ValueError:
            raise FormatError(f'{where}: options are numbers, or texts in ", got{marker}') from None
        if unknown := ", ".join(sorted(set(options) - allowed)):
            raise FormatError(f"{where}: a cell may have {', '.join(sorted(allowed))}, got {unknown}")
        known = {key: options.pop(key) for key in ("role", "task", "points") if key in options}
        cells.append(Cell(where, "markdown" if markdown else "code", text, **known, options=options))
    return cells


def _parameters(cells, overrides, name, choose):
    """Return the parameters; ``choose`` is a generator that picks from lists, None where there may be none."""
    found = [cell for cell in cells if cell.role == "term"]
    parameters = {}
    if found:
        try:
            (assigned,) = ast.parse(found[0].text).body
            parameters = ast.literal_eval(assigned.value)
            assert assigned.targets[0].id == "TERM" and isinstance(parameters, dict) and len(found) == 1
        except (AssertionError, AttributeError, ValueError, SyntaxError):
            raise FormatError(f'{found[0].where}: the one term cell must be TERM = {{"name": value, …}}') from None
    for key, given in overrides.items():
        value = given[choose.integers(len(given))] if choose and given and isinstance(given, list) else given
        if type(value) is int and type(parameters.get(key)) is float:
            value = float(value)
        if key not in parameters or type(value) is not type(parameters[key]):
            allowed = ", ".join(f"{known} ({type(value).__name__})" for known, value in parameters.items()) or "none"
            lists = "" if choose else "; a list to choose from needs personal = true"
            raise FormatError(f"term.toml, [{name}]: parameters are {allowed}{lists}; got {key} = {given!r}")
        parameters[key] = value
    return parameters


def _fill(cell, parameters):
    """Replace ``{{epsilon}}`` by the parameter's value, in code as in text."""

    def value(match):
        if match[1] not in parameters:
            allowed = ", ".join(parameters) or "none"
            raise FormatError(f"{cell.where}: parameters are {allowed}; got {match[0]}")
        return str(parameters[match[1]])

    return replace(cell, text=re.sub(r"\{\{(\w+)\}\}", value, cell.text))


def _show_parts(cell):
    """Say at the end of a task's text what its parts are worth."""
    if not cell.options.get("parts"):
        return cell
    shares = ", ".join(f"`{name}` {points}" for name, points in cell.options["parts"].items())
    each = f", {times} times" if (times := cell.options.get("times")) else ""
    return replace(cell, text=f"{cell.text}\n\n*Points: {shares}{each}.*")


def _parts(cell, name):
    """Return the points of each part; with ``times=10`` there is each ten times, with its number behind the name."""
    parts = cell.options.get("parts", {name: cell.points})
    numbers = range(1, cell.options.get("times", 0) + 1)
    return {f"{part} {number}": points for number in numbers for part, points in parts.items()} or parts


def _check_role(cell):
    if cell.role is None and cell.kind == "markdown":
        return
    if cell.role not in ROLES:
        raise FormatError(f"{cell.where}: role must be one of {', '.join(ROLES)}, got {cell.role!r}")
    kind, of_task = ROLES[cell.role]
    if cell.kind != kind:
        raise FormatError(f"{cell.where}: a cell of role {cell.role} must be {kind}, got {cell.kind}")
    if (cell.task is not None) != of_task:
        raise FormatError(f"{cell.where}: a cell of role {cell.role} must have {'a' if of_task else 'no'} task")
    if cell.points is not None and cell.role != "written":
        raise FormatError(f"{cell.where}: points belong to a task's text or written question, not to {cell.role}")


def _task(name, cells):
    first, *others = cells
    if first.role not in (None, "written"):
        raise FormatError(f"{first.where}: task {name} must begin with its text, # %% [markdown] with task and points")
    if type(first.points) is not int or first.points <= 0:
        raise FormatError(f"{first.where}: points must be a whole number above 0, got {first.points!r}")
    needed = WRITTEN if first.role == "written" else CODED
    roles = [cell.role for cell in others]
    if sorted(map(str, roles)) != sorted(needed):
        roles_given = ", ".join(map(str, roles)) or "nothing"
        raise FormatError(
            f"{first.where}: task {name} needs one cell each of {', '.join(sorted(needed))}; got {roles_given}"
        )
    by_role = {cell.role: cell for cell in others} | {"text": first}
    if first.role == "written":
        return Task(name, first.points, True, by_role)
    parts = _parts(first, name)
    visible, hidden = _checks(by_role["visible"], parts), _checks(by_role["hidden"], parts, by_role["visible"].text)
    task = Task(name, first.points, False, by_role, visible, hidden, parts)
    if sum(parts.values()) != first.points:
        raise FormatError(f"{first.where}: the parts' points, {parts}, must add up to {first.points}")
    for check in visible + hidden:
        if not task.parts_of(check):
            raise FormatError(f"{first.where}: check {check.name} takes none of the parts {', '.join(parts)}")
    return task


def _checks(cell, parts, before=""):
    """Return a cell's checks; hidden ones find the visible cell's names, too: ``before`` is its text."""
    helpers = {tool.__name__: tool for tool in verdicts.TOOLS} | {"np": np, "pd": pd}
    if cell.role == "hidden":
        from scipy import stats  # loaded here: with it, no command would say within a second what is wrong

        helpers |= {tool.__name__: tool for tool in verdicts.HIDDEN_TOOLS} | {"dp": dp, "stats": stats, "math": math}
    exec(compile(before, cell.where, "exec"), helpers)
    exec(compile(cell.text, cell.where, "exec"), helpers)
    found = []
    for node in ast.parse(cell.text).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            arguments = tuple(argument.arg for argument in node.args.args)
            if not ast.get_docstring(node):
                raise FormatError(f"{cell.where}: check {node.name} needs a docstring that says what is checked")
            if cell.role == "visible" and (lecturers := set(arguments) & set(RESERVED)):
                raise FormatError(f"{cell.where}: {', '.join(sorted(lecturers))} is for hidden checks only")
            found += _for_parts(Check(node.name, ast.get_docstring(node), helpers[node.name], arguments), parts)
    if not found:
        raise FormatError(f"{cell.where}: at least one check is needed, a function whose name doesn't begin with _")
    return tuple(found)


def _for_parts(check, parts):
    """Return a check, or where it takes `part` one for each part."""
    if "part" not in check.arguments:
        return [check]
    others = tuple(name for name in check.arguments if name != "part")
    return [
        Check(f"of_part({check.name}, {part!r})", check.doc, verdicts.of_part(check.function, part), others, part)
        for part in parts
    ]


def _title(cells):
    headings = [cell.text.splitlines()[0] for cell in cells if cell.kind == "markdown" and cell.text.startswith("# ")]
    if not headings:
        raise FormatError(f"{cells[0].where}: the first text must begin with a heading, # Assignment N: …")
    return headings[0].removeprefix("# ")


def _drawn(cells, parameters, rng):
    """Return the texts that the seed makes."""
    texts = {}
    for cell in cells:
        if cell.role == "draw":
            space = {}
            exec(compile(cell.text, cell.where, "exec"), space)
            if not callable(space.get("draw_texts")):
                raise FormatError(f"{cell.where}: a cell of role draw must define draw_texts(term, rng)")
            texts |= space["draw_texts"](parameters, rng)
    return texts


def _data(cells, parameters, rng):
    tables = {}
    for cell in cells:
        if cell.role == "data":
            space = {"np": np, "pd": pd, "dp": dp}
            exec(compile(cell.text, cell.where, "exec"), space)
            if not callable(space.get("make_data")):
                raise FormatError(f"{cell.where}: a data cell must define make_data(term, rng)")
            tables |= space["make_data"](parameters, rng)
    # Through the file's text and back, so that checks see what students read.
    return {name: pd.read_csv(io.StringIO(table.to_csv(index=False))) for name, table in tables.items()}
