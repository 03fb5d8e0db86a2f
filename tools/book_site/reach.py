"""Which files of the packages a page's outputs depend on: those that define what it names, and what these import.

A page says what it uses, as ``dp.audit``, and a package's ``__init__`` only passes names on.  So a change of one module
executes the few pages that reach it, not all of them.  What can't be told is taken for reached.
"""

import ast
import re
from functools import cache
from pathlib import Path

PACKAGES = ("dp_helpers", "dp_labs", "slider_figures")
USED = re.compile(r"\bdp\.([A-Za-z_]\w*)")
IMPORTED = re.compile(rf"\bfrom ((?:{'|'.join(PACKAGES)})[\w.]*) import ([\w, ]+)")
UNSEEN = (".pyc", ".md", ".js", ".css")  # what is in no page's outputs


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
        asked = {(module, name) for module, name, _ in self.imported(self.names[file])}
        for node in self.nodes[self.names[file]]:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "dp":
                asked.add(("dp_helpers", node.attr))
        return asked

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
