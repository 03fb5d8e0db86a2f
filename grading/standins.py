"""Cells run as Jupyter would run them; for what a notebook finds there and not in the sandbox, a stand-in does nothing.

Runs beside worker.py in the sandbox, with the two modules of IPython that turn its syntax into Python's.
"""

import ast
import inspect
import sys
import types
from importlib.machinery import ModuleSpec


class Nothing:
    """Takes every call, item and attribute, and does nothing."""

    def __init__(self, *_, **__):
        pass

    def __call__(self, *_, **__):
        """Do nothing."""
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    __getitem__ = __enter__ = __call__

    def __iter__(self):
        return iter(())

    def __exit__(self, *_):
        pass


class Progress(Nothing):
    """Stands for tqdm's bar: goes through what it is given."""

    write = pandas = Nothing()

    def __init__(self, iterable=(), *_, **__):
        self.iterable = iterable

    def __iter__(self):
        return iter(self.iterable)

    def __len__(self):
        return len(self.iterable)


class Shell(Nothing):
    """Stands for IPython: of its magics, those that only measure or hide run their code."""

    def __init__(self, space):
        self.user_ns = space

    def run_line_magic(self, name, line, *_, **__):
        """Run ``%time line``."""
        if name in ("time", "prun"):
            run(line, "<line>", self.user_ns)

    def run_cell_magic(self, name, _, cell):
        """Run a cell below ``%%time``."""
        if name in ("time", "prun", "capture"):
            run(cell, "<cell magic>", self.user_ns)

    def getoutput(self, *_, **__):
        """Return the lines that a command has printed, none."""
        return []


def install(space):
    """Make the stand-ins importable, and give the notebook the names that Jupyter gives it."""
    shell = Shell(space)
    space |= {"display": Nothing(), "get_ipython": lambda: shell}
    checks = {"check": Nothing(), "try_it": Nothing()}
    ipython = {"version_info": (9, 0, 0), "get_ipython": space["get_ipython"], "display": space["display"]}
    bars = {"tqdm": Progress, "trange": lambda *numbers, **_: Progress(range(*numbers)), "tqdm_notebook": Progress}
    modules = {"checks": checks}
    modules |= dict.fromkeys(("IPython", "IPython.display", "IPython.core", "IPython.core.display"), ipython)
    modules |= {"IPython.core.interactiveshell": ipython}
    modules |= dict.fromkeys(("tqdm", "tqdm.auto", "tqdm.notebook", "tqdm.std"), bars)
    for name, names in modules.items():
        module = sys.modules[name] = types.ModuleType(name)
        module.__dict__.update(names, __path__=[], __spec__=ModuleSpec(name, None, is_package=True))
        if name != "checks":  # whatever else is asked for: HTML, clear_output
            module.__getattr__ = lambda attribute: Nothing.__getattr__(shell, attribute)
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)


def run(source, name, space):
    """Execute code with IPython's syntax; where it isn't Python, the statements above the wrong one still run."""
    try:
        tree = ast.parse(source, name)
    except SyntaxError:
        source = _python(source)
        try:
            tree = ast.parse(source, name)
        except SyntaxError:
            _execute(_above(source, name), name, space)
            raise
    _execute(tree, name, space)


def _python(source):
    """Return code in IPython's syntax as Python: %magics, !commands and questions?."""
    if "inputtransformer2" not in sys.modules:
        import tokenutil

        utils = sys.modules["IPython.utils"] = types.ModuleType("IPython.utils")
        utils.tokenutil = tokenutil
    from inputtransformer2 import TransformerManager

    return TransformerManager().transform_cell(source)


def _above(source, name):
    """Return the longest part from the top that is Python, up to the beginning of a statement."""
    lines = source.splitlines(keepends=True)
    for end in range(len(lines) - 1, 0, -1):
        if lines[end].strip() and not lines[end][0].isspace():
            try:
                return ast.parse("".join(lines[:end]), name)
            except SyntaxError:
                continue
    return ast.Module([], [])


def _execute(tree, name, space):
    code = compile(tree, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    if code.co_flags & inspect.CO_COROUTINE:
        import asyncio  # takes a fifth of the time in which a box starts

        asyncio.run(eval(code, space))
    else:
        exec(code, space)
