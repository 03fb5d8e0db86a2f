"""What a page's outputs depend on besides the page itself: its *state*.

It is the code of the modules that the page reaches, without docstrings and comments, the data that these read, the
files that the page itself reads, the census, the versions that are installed, and Python's own.  A page says what it
uses, as ``dp.audit``, and a package's ``__init__`` only passes names on: so a change of one module executes the few
pages that reach it, not all of them.  What can't be told is taken for reached.  Of the labs a chapter depends on its
own module alone, and on no sentence but praise: what a wrong answer is told is in no page's output.
"""

import ast
import hashlib
import os
import re
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

from tools.run_notebooks import COLOURS

from .links import number_of
from .meta import ROOT

PACKAGES = ("dp_helpers", "dp_labs", "slider_figures")
USED = re.compile(r"\bdp\.([A-Za-z_]\w*)")
# The name of a file of the book in Path("…") or glob("…"), whose quotes a notebook escapes.
READ = re.compile(r"""\b(?:Path|glob)\(\\?"((?!/)[^"\\]+\.\w+)""")
IMPORTED = re.compile(rf"\bfrom ((?:{'|'.join(PACKAGES)})[\w.]*) import ([\w, ]+)")
UNSEEN = (".pyc", ".md", ".js", ".css")  # what is in no page's outputs
# What computes, draws or prints in a chapter.
LIBRARIES = "numpy pandas scipy matplotlib pillow ipython ipywidgets scikit-learn opendp dp-accounting".split()


class PageStates:
    """What each page's outputs depend on besides the page itself, as a short text that changes when it does."""

    def __init__(self, root: Path = ROOT):
        self.root, self.reach = root, Reach(root)
        versions = [str(sys.version_info[:2]), *map(version, LIBRARIES), f"{COLOURS} colours"]
        self.everywhere = " ".join([*versions, os.environ.get("DP_CENSUS", "")])
        self.content = cache(self._content)

    def __call__(self, docname: str, text: str) -> str:
        """Return the state of the page with this text."""
        state = hashlib.sha256(self.everywhere.encode())
        for file in sorted(self.reach.from_page(text, labs_file(docname, self.root))):
            state.update(file.relative_to(self.root).as_posix().encode() + self.content(file))
        for pattern in READ.findall(text):
            for file in sorted((self.root / docname).parent.glob(pattern)):
                state.update(file.name.encode() + file.read_bytes())
        return state.hexdigest()[:12]

    def _content(self, file: Path) -> bytes:
        """Return what counts of a file: of a module its code, of labs without what wrong answers are told."""
        if file.suffix != ".py":
            return file.read_bytes()
        return code_of(file.read_text("utf-8"), judges=file.is_relative_to(self.root / "dp_labs")).encode()


def labs_file(docname: str, root: Path = ROOT) -> Path | None:
    """Return the module of this chapter's labs, if the page is a chapter that has one."""
    file = root / "dp_labs" / f"chapter_{number_of(docname) or 0:02}.py"
    return file if file.is_file() else None


def code_of(source: str, *, judges: bool = False) -> str:
    """Return a module's code as a text without docstrings and comments, and for judges without what isn't praise."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            node.body = node.body[1:]
    return ast.dump(WithoutMessages().visit(tree) if judges else tree)


class WithoutMessages(ast.NodeTransformer):
    """Takes out of a lab's code what wrong answers are told: each sentence that isn't returned or a table's praise."""

    def visit_Return(self, node):
        """Keep what is returned, which is praise."""
        return node

    def visit_Call(self, node):
        """Drop the words of a `NotYet`; keep a table's right answer and its praise, which come first."""
        name = getattr(node.func, "id", "")
        if name == "NotYet":
            node.args = []
        elif name.endswith("Lab"):
            node.keywords = [self.visit(word) for word in node.keywords]
            return node
        return self.generic_visit(node)

    def visit_keyword(self, node):
        """Keep praise that has its name before it."""
        return node if node.arg == "praise" else self.generic_visit(node)

    def visit_Constant(self, node):
        """Drop a sentence: words that end in a full stop."""
        is_sentence = isinstance(node.value, str) and " " in node.value and node.value.endswith((".", "?", "!", ":"))
        return ast.Constant("") if is_sentence else node


class Reach:
    """What can be reached in the packages below ``root``; each file is read once."""

    def __init__(self, root: Path):
        files = sorted(file for package in PACKAGES for file in (root / package).rglob("*") if file.is_file())
        self.modules = {_dotted(file, root): file for file in files if file.suffix == ".py"}
        self.nodes = {name: [*ast.walk(ast.parse(file.read_text("utf-8")))] for name, file in self.modules.items()}
        self.texts = {
            name: {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
            for name, nodes in self.nodes.items()
        }
        self.names = {file: name for name, file in self.modules.items()}
        data = [file for file in files if file.suffix not in (".py", *UNSEEN)]
        self.readers = {file: self._readers(file) for file in data}
        self.imported, self.defining, self.imports = cache(self._imported), cache(self._defining), cache(self._imports)

    def from_page(self, text: str, labs: Path | None) -> set[Path]:
        """Return the files that a page with this text reaches, and those of its labs' module."""
        named = {("dp_helpers", name) for name in USED.findall(text)}
        for module, names in IMPORTED.findall(text):
            named |= {(module, name) for name in re.findall(r"\w+", names)}
        reached, waiting = set(), self._files(named) | ({labs} if labs else set())
        while waiting:
            file = waiting.pop()
            reached.add(file)
            waiting |= self._files(self.imports(file)) - reached
        return reached | {file for file, readers in self.readers.items() if not readers or readers & reached}

    def _files(self, named) -> set[Path]:
        return {self.modules[found] for module, name in named for found in self.defining(module, name)}

    def _defining(self, module: str, name: str) -> set[str]:
        """Return the modules in which a name that is asked of ``module`` is defined."""
        if module not in self.modules:
            return set()  # NumPy's, say
        if f"{module}.{name}" in self.modules:
            return {f"{module}.{name}"}
        if self.modules[module].name != "__init__.py":
            return {module}
        for above, given, alias in self.imported(module):
            if alias == name:
                return self.defining(above, given)
        defined = any(node.name == name for node in self.nodes[module] if isinstance(node, ast.FunctionDef))
        return {module} if defined else set()

    def _imported(self, module: str) -> list[tuple[str, str, str]]:
        """Return of each name that a module imports: the module it comes from, its name there, and its name here."""
        is_package, found = self.modules[module].name == "__init__.py", []
        for node in self.nodes[module]:
            if isinstance(node, ast.ImportFrom):
                parts = module.split(".")
                above = parts[: len(parts) - node.level + is_package] if node.level else []
                source = ".".join([*above, *([node.module] if node.module else [])])
                found += [(source, alias.name, alias.asname or alias.name) for alias in node.names]
        return found

    def _imports(self, file: Path) -> set[tuple[str, str]]:
        """Return the modules, each with a name, that a file asks for."""
        imports = {(module, name) for module, name, _ in self.imported(self.names[file])}
        for node in self.nodes[self.names[file]]:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "dp":
                imports.add(("dp_helpers", node.attr))
        return imports

    def _readers(self, file: Path) -> set[Path]:
        """Return the modules whose code names this file of data, or where none does, its folder."""
        for named in (lambda text: file.name in text, lambda text: text == file.parent.name):
            found = {self.modules[name] for name, texts in self.texts.items() if any(map(named, texts))}
            if found:
                return found
        return set()


def _dotted(file: Path, root: Path) -> str:
    """Return the name by which a module is imported."""
    parts = file.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
