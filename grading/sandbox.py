"""Runs a student's notebook where it can do no harm, and hands its functions to the checks.

A `Box` is one notebook in one process: bubblewrap gives it namespaces of its own, without network, with a few
read-only folders and a small temporary one; worker.py in there gives up what rights are left, limits itself and
executes the notebook. What comes back is read by wire.py. The process holds nothing worth stealing: neither the
project, nor solutions, nor hidden checks.
"""

import builtins
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path

import numpy as np
import pandas as pd
from packaging.requirements import Requirement

from . import seccomp, wire
from .texts import FormatError
from .usage import SLOWEST, Excess, Meter

STARTS = 4  # of one notebook: a cell or function that ends the process, or doesn't end, is left out the next time
LIMITS = {
    "AS": 2 << 30,  # bytes of memory, each process
    "FSIZE": 16 << 20,  # bytes, each file
    "NOFILE": 64,
    "CORE": 0,
}
PROCESSES = 8  # and threads, all together
SPACE = 64 << 20  # bytes of all files together
PACKAGES = ["numpy", "pandas", "matplotlib"]
PROGRAM = [Path(__file__).with_name(name) for name in ("worker.py", "standins.py", "wire.py")]
PORTION = 500  # calls that one message asks for: a message has one limit of time, which can't hold for thousands
ENVIRONMENT = {"MPLBACKEND": "Agg", "OPENBLAS_NUM_THREADS": "1", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"}
MISSING = (
    "Grading needs bubblewrap (Debian, Ubuntu: apt-get install bubblewrap). Without it, students' code would have all "
    "your rights: to read files, use the network and change marks. --unsandboxed runs it all the same."
)


class SandboxError(FormatError):
    """The sandbox itself doesn't work; no student's fault."""


class Stopped(LookupError):
    """The notebook can't be asked any more, or has nothing that can be handed over; ``str`` says why."""


@dataclass(frozen=True)
class Patience:
    """How many seconds of processor time a notebook's process may take, or sleep.

    Right answers take a small part of it, and a busy computer doesn't turn them into wrong ones.
    """

    call: float = 30  # of a function

    @property
    def cell(self) -> float:
        """For a cell of the notebook."""
        return 2 * self.call

    @property
    def start(self) -> float:
        """For the process to start."""
        return max(90, 3 * self.call)

    @property
    def total(self) -> float:
        """For all of a notebook's calls, and of its cells, which run anew for each task."""
        return 8 * self.call


ORDINARY = Patience()


@dataclass(frozen=True)
class Sandbox:
    """Starts processes for notebooks of one assignment; made by `prepare`.

    ``program`` is the folder of the worker, ``given`` that of the files for the notebooks. ``isolated``: in namespaces
    of its own; otherwise beside everything else, ``apart``: as another user.
    """

    program: Path
    given: Path
    isolated: bool
    patience: Patience = ORDINARY
    apart: bool = False

    def start(self) -> subprocess.Popen:
        """Start a worker that waits for its setup, and return the process."""
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        seccomp.leave_keyring()
        if self.isolated:
            with (self.program.parent / "filter").open("rb") as forbidden:
                command = bubblewrap(self.program, self.given, forbidden.fileno())
                return subprocess.Popen(command, pass_fds=[forbidden.fileno()], start_new_session=True, **pipes)
        where = tempfile.mkdtemp(dir=self.program.parent)
        shutil.copytree(self.given, where, dirs_exist_ok=True)
        Path(where).chmod(0o777)
        command = [sys.executable, "-S", "-E", "-s", "-B", str(self.program / "worker.py")]
        return subprocess.Popen(command, cwd=where, env=surroundings(where), start_new_session=True, **pipes)

    @contextmanager
    def giving(self, files: dict[str, str]):
        """Return, for as long as the context lasts, this sandbox with other files for its notebooks."""
        with tempfile.TemporaryDirectory(dir=self.program.parent) as folder:
            _give(files, Path(folder))
            yield replace(self, given=Path(folder))

    def limits(self) -> dict:
        """Return the limits that the worker sets for itself; with a user to become, where this is root."""
        # The limit on processes counts those of one user and doesn't hold for root: a user for each box.
        walled = self.isolated or self.apart
        user = 60_000 + os.getpid() % 5_000 if walled and os.geteuid() == 0 else None
        limits = LIMITS | {"CPU": math.ceil(self.patience.total), "user": user}
        if walled:
            limits["NPROC"] = PROCESSES
        return limits

    def try_out(self):
        """Run an empty notebook; a SandboxError says what is in the way."""
        with Box(self, [(0, "import numpy, pandas, matplotlib.pyplot\nanswer = 42")]) as box:
            with suppress(LookupError):
                if box.get("answer") == 42:
                    return
            raise SandboxError(box.fault or f"a small notebook doesn't run in the sandbox: {box.log}")


@contextmanager
def prepare(files: dict[str, str], *, isolated: bool = True, apart: bool = False, patience: Patience = ORDINARY):
    """Prepare a `Sandbox` that works, for as long as the context lasts.

    Parameters
    ----------
    files : dict
        The texts of the files that the notebooks read, by name.
    isolated : bool
        False: without bubblewrap, for code that you trust as your own.
    apart : bool
        Without bubblewrap, but as another user: only where a container keeps the rest of the world away.
    patience : Patience
        How long is waited for notebooks.

    Raises
    ------
    SandboxError
        If bubblewrap is asked for and isn't there, or doesn't work.
    """
    if isolated and not shutil.which("bwrap"):
        raise SandboxError(MISSING)
    from IPython.core import inputtransformer2  # loaded here: a command says within a second what is wrong
    from IPython.utils import tokenutil

    with tempfile.TemporaryDirectory(prefix="grading-") as folder:
        sandbox = Sandbox(Path(folder, "program"), Path(folder, "given"), isolated, patience, apart)
        sandbox.program.mkdir()
        sandbox.given.mkdir()
        Path(folder, "filter").write_bytes(seccomp.program())
        for path in (*PROGRAM, *(Path(module.__file__) for module in (inputtransformer2, tokenutil))):
            shutil.copy(path, sandbox.program)
        _give(files, sandbox.given)
        _let_read(Path(folder))
        for path in [] if isolated else packages():
            (sandbox.program / path.name).symlink_to(path)
        sandbox.try_out()
        yield sandbox


def _give(files, folder):
    """Write the files for notebooks, and beside them a list of the fonts, which Matplotlib else would search for."""
    from matplotlib import font_manager

    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    font_manager.json_dump(font_manager.fontManager, folder / f"fontlist-v{font_manager.FontManager.__version__}.json")
    _let_read(folder)


def _let_read(folder):
    """Let all read a folder: a worker becomes another user."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def surroundings(folder) -> dict[str, str]:
    """Return the environment of a worker that may write in this folder."""
    return ENVIRONMENT | dict.fromkeys(("HOME", "TMPDIR", "MPLCONFIGDIR"), folder)


def bubblewrap(program, given, forbidden: int) -> list[str]:
    """Return the command that starts the worker of one folder, in namespaces of its own, beside another one's files.

    ``forbidden`` is the number of the open file with the calls that it may not make.
    """
    command = ["bwrap", "--die-with-parent", "--new-session", "--clearenv", "--seccomp", str(forbidden)]
    if os.geteuid() == 0:
        # As root, no user namespace is needed, and the worker can become another user only without one.
        command += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
        command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        command += ["--unshare-all"]
    for folder in ("/usr", "/usr/share", "/etc", "/dev", "/python", "/python/bin", "/box"):
        command += ["--perms", "0755", "--dir", folder]
    for device in ("/dev/null", "/dev/urandom"):  # zero would be memory that nobody counts
        command += ["--dev-bind", device, device]
    for source, target in visible(program):
        command += ["--ro-bind", source, target]
        for others in Path(source).glob("python3*/*-packages"):  # what else is installed, this project perhaps
            command += ["--tmpfs", f"{target}/{others.relative_to(source)}"]
    command += ["--perms", "1777", "--size", str(SPACE), "--tmpfs", "/submission", "--symlink", "/submission", "/tmp"]
    for path in given.iterdir():
        command += ["--ro-bind", str(path), f"/submission/{path.name}"]
    command += ["--remount-ro", "/", "--chdir", "/submission"]
    for name, value in (surroundings("/submission") | {"LD_LIBRARY_PATH": "/python/lib"}).items():
        command += ["--setenv", name, value]
    return [*command, "/python/bin/python", "-S", "-E", "-s", "-B", "/box/worker.py"]


def visible(program) -> list[tuple[str, str]]:
    """Return what the sandbox shows, read-only, and where: Python, the system's libraries, packages, the program."""
    base = Path(sys.base_prefix)
    system = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/usr/share/fonts", "/usr/share/zoneinfo"]
    return [
        *((path, path) for path in system if Path(path).exists()),
        *((str(base / lib), f"/python/{lib}") for lib in ("lib", "lib64") if (base / lib).is_dir()),
        (os.path.realpath(sys.executable), "/python/bin/python"),
        *((str(path), f"/box/{path.name}") for path in [*program.iterdir(), *packages()]),
    ]


@cache
def packages() -> list[Path]:
    """Return the files and folders of the packages that students may use, and of what these need."""
    wanted, found = list(PACKAGES), {}
    for name in wanted:  # grows on the way
        distribution = metadata.distribution(name)
        needed = [Requirement(text) for text in distribution.requires or []]
        wanted += [need.name for need in needed if need.marker is None or need.marker.evaluate({"extra": ""})]
        tops = {file.parts[0] for file in distribution.files if file.parts[0] not in ("..", "__pycache__")}
        found |= {top: Path(distribution.locate_file(top)) for top in tops}
    return sorted(path for path in found.values() if path.exists())


class Box:
    """One notebook in a process of its own, which is started when something is asked for; a context manager.

    Attributes
    ----------
    log : dict
        What went wrong in which cell, by the cell's number; 0: with the notebook as a whole.
    fault : str or None
        What is wrong with the sandbox itself, so that the notebook can't be judged.
    discreet : bool
        Whether the texts of the student's own errors are left out, which could tell the arguments of a call.
    errors : dict
        These texts, each once, for the lecturer.
    """

    def __init__(self, sandbox: Sandbox, cells: list[tuple[int, str]]):
        self.sandbox, self.cells = sandbox, list(cells)
        self.log, self.errors, self.fault, self.discreet = {}, {}, None, False
        self._process, self._meter, self._starts, self._left = None, None, 0, sandbox.patience.total
        self._until = time.monotonic() + SLOWEST * sandbox.patience.total  # a clock that no trick stops
        self._broken = {}  # what can't be asked again, by name

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """End the process, and all that it has started."""
        if self._process:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._meter.end()  # stopped ones in sessions of their own would hold the pipes for ever
            self._process.communicate()
            self._process = None

    def restart(self):
        """Let the next question meet the notebook as it is when it has just been run."""
        if self._process:
            self.stop()
            self._starts -= 1  # no fault of the notebook's

    def get(self, name):
        """Return a value of the notebook, or a `Function` to call there; a LookupError where that isn't possible."""
        try:
            answer = self.ask({"name": name, "call": False})
        except Stopped:
            raise
        except Exception as error:  # it ended the process, or is of a kind that can't be handed over
            raise Stopped(f"`{name}`: {error}") from None
        if answer.get("missing"):
            raise Stopped(f"the notebook doesn't define `{name}`, or its cell fails")
        return Function(self, name) if answer.get("function") else answer["value"]

    def ask(self, order: dict) -> dict:
        """Give one order to the process and return its answer.

        Raises
        ------
        StudentError
            What the student's code raised, or that it ended the process, or didn't end in time.
        Stopped
            If the notebook doesn't run any more.
        """
        name = order["name"]
        if name in self._broken:
            raise StudentError(self._broken[name])
        self._start()
        try:
            answer = self._exchange(order, self.sandbox.patience.call)
            if not isinstance(answer, dict) or not answer.keys() & {"raised", "missing", "function", "value"}:
                raise wire.WireError("not an answer")
        except (OSError, EOFError, wire.WireError) as error:
            self._broken[name] = f"`{name}` {reason(error, self.sandbox.patience.call)}"
            self.stop()
            raise StudentError(self._broken[name]) from None
        if "raised" in answer:
            if self.discreet:
                full_error = student_error(answer["raised"], answer.get("message"), False)
                self.errors[f"`{name}` raised {type(full_error).__name__}: {full_error}"] = None
            raise student_error(answer["raised"], answer.get("message"), self.discreet)
        return answer

    def _start(self):
        """Start the process and run the notebook, each time without the cells that were its end."""
        while not self._process:
            if self._starts == STARTS or self._left <= 0 or time.monotonic() > self._until or self.fault:
                self.log[0] = "the notebook was stopped: it ended too often, or took too long"
                raise Stopped(self.log[0])
            self._starts += 1
            self._process = self.sandbox.start()
            self._meter = Meter(self._process.pid)
            try:
                setup = {"limits": self.sandbox.limits(), "cells": self.cells}
                if self._exchange(setup, self.sandbox.patience.start) != "ready":
                    raise wire.WireError("the worker isn't ready")
            except (OSError, EOFError, wire.WireError) as error:
                self._meter.end()
                stderr = self._process.communicate()[1].decode(errors="replace").strip()
                why = reason(error, self.sandbox.patience.start)
                self.fault = f"the sandbox doesn't start ({why}): {stderr[-1000:]}"
                self._process = None
                raise Stopped(self.fault) from None
            self._run_cells()

    def _run_cells(self):
        for number, source in list(self.cells):
            try:
                answer = self._exchange(None, self.sandbox.patience.cell)
                if not isinstance(answer, list) or len(answer) != 2 or answer[0] != number:
                    raise wire.WireError("not an answer")
            except (OSError, EOFError, wire.WireError) as error:
                self.log[number] = f"this cell {reason(error, self.sandbox.patience.cell)}; it was left out"
                self.cells.remove((number, source))
                self.stop()
                return
            if answer[1] is not None:
                self.log[number] = str(answer[1])

    def _exchange(self, message, seconds):
        self._meter.allow(min(seconds, self._left), self._until)
        self._meter.thaw()
        try:
            if message is not None:
                wire.send(self._process.stdin.fileno(), message, self._meter.tick)
            return wire.receive(self._process.stdout.fileno(), self._meter.tick)
        finally:
            self._left -= self._meter.spent()
            self._meter.freeze()  # nobody allocates, or takes the processor from others, while the grader computes


class Function:
    """A function of the student's notebook; calling it calls it there, as far as the check can see."""

    def __init__(self, box, name):
        self._box, self.__name__ = box, name

    def __call__(self, *arguments, **keywords):
        """Call the function once."""
        return self._ask(None, arguments, keywords)

    def fresh(self):
        """Return the function in a new process, where nothing is left of earlier calls."""
        self._box.restart()
        return self

    def sample(self, times, *arguments, rng):
        """Call it so many times, the generator last, and return the array of the results."""
        results = []
        for first in range(0, times, PORTION):
            results.append(self._ask(min(PORTION, times - first), (*arguments, rng), {}))
            if not isinstance(results[-1], np.ndarray) or len(results[-1]) != min(PORTION, times - first):
                raise StudentError(f"`{self.__name__}` sent what is no answer")
        return np.concatenate(results)

    def _ask(self, times, arguments, keywords):
        order = {"arguments": list(arguments), "keywords": keywords, "times": times}
        answer = self._box.ask({"name": self.__name__, "call": True} | order)
        given = {str(i): argument for i, argument in enumerate(arguments)} | keywords
        try:
            for name, new in answer.get("changed", {}).items():
                change(given[name], new)
            return answer["value"]
        except (AttributeError, KeyError, TypeError, ValueError, wire.WireError):
            raise StudentError(f"`{self.__name__}` sent what is no answer") from None


def change(argument, new):
    """Do to an argument what the student's function did to its copy."""
    if isinstance(argument, np.random.Generator):
        wire.move_on(argument, new)
    elif type(new) is not type(argument):
        raise wire.WireError("an argument came back as something else")
    elif isinstance(argument, np.ndarray):
        argument[...] = new
    elif isinstance(argument, list):
        argument[:] = new
    elif isinstance(argument, dict):
        argument.clear()
        argument.update(new)
    elif isinstance(argument, (pd.Series, pd.DataFrame)):
        argument.__init__(new)  # made anew, where it is
    else:
        raise wire.WireError("an argument that can't change came back changed")


class StudentError(Exception):
    """What a student's function raised, or why it has no result."""


def student_error(kinds, message, discreet) -> Exception:
    """Return an error like the one that was raised: of its name and text, and of the built-in class it belongs to."""
    kinds = [str(kind)[:80] for kind in kinds] if isinstance(kinds, list) else []
    base = next((CLASSES[kind] for kind in kinds if kind in CLASSES), StudentError)
    if discreet:
        return base("(an error in your function; its text isn't shown here)")
    return type(kinds[0] if kinds else "Exception", (base,), {})(str(message)[:500])


# The errors that can be made of a text alone. A failed assertion would pass for a check's own message.
OTHERS = (AssertionError, ExceptionGroup, UnicodeDecodeError, UnicodeEncodeError, UnicodeTranslateError, Warning)
CLASSES = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and kind is not Exception and not issubclass(kind, OTHERS)
}


def reason(error, seconds) -> str:
    """Return in words why a process has no answer."""
    if isinstance(error, TimeoutError):
        return f"took longer than {seconds:g} s of processor time"
    if isinstance(error, Excess):
        return f"was stopped: {error}"
    if isinstance(error, wire.WireError):
        return f"sent what can't be read: {error}"
    return "ended the process (too much memory, or a crash)"
