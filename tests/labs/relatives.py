"""Relatives of an answer: its code with one mistake that people make, put in by rule instead of by hand.

Privacy parameters, noise scales and coins' chances become their squares, roots, 1, twice or half of themselves, and
change places; an axis is turned, an order reversed, and noise is cut to whole numbers before it is added.
"""

import ast
import itertools
import pickle
from collections.abc import Callable, Iterator
from functools import partial

PARAMETERS = {"epsilon", "delta", "rho", "sigma", "sensitivity", "scale", "noise", "clip", "limit", "q"}
PARAMETERS |= {"epsilon1", "epsilon2", "epsilon_districts", "epsilon_total", "total_epsilon", "sigmas"}
PARAMETERS |= {"most", "most_pages", "most_rows"}
CHANGES = ["({})**2", "np.sqrt({})", "1", "2 * ({})", "({}) / 2"]
LAWS = {"laplace", "normal", "exponential", "geometric", "gumbel", "logistic"}
CUTS = ["np.trunc({})", "np.rint({})", "np.floor({})"]


def draws(tree: ast.Module) -> bool:
    """Tell whether a program draws noise by itself, and not by a function of the package."""
    return any(isinstance(node, ast.Call) and _name(node) in LAWS for node in ast.walk(tree))


def relatives(tree: ast.Module) -> Iterator[tuple[str, Callable[[], ast.Module]]]:
    """Yield the relatives of a program: a name that says what was changed, and a function that makes it.

    Each process of the tests names them all, and makes the few that it tries.
    """
    seen = set()
    for name, make in _all(tree):
        while name in seen:
            name += " again"
        seen.add(name)
        yield name, make


def _all(tree):
    nodes, tree = [*ast.walk(tree)], pickle.dumps(tree)
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            parameters = [argument.arg for argument in node.args.args if argument.arg in PARAMETERS]
            for parameter, change in itertools.product(parameters, CHANGES):
                yield _rebound(tree, nodes, node, parameter, change.format(parameter))
            for one, other in itertools.combinations(parameters, 2):
                yield _rebound(tree, nodes, node, f"{one}, {other}", f"{other}, {one}")
    scales = [scale for node in nodes for scale in _scales(node)]
    for scale, change in itertools.product(scales, CHANGES):
        yield _changed(tree, nodes, (scale, change.format(ast.unparse(scale))))
    for one, other in itertools.combinations(scales, 2):
        texts = ast.unparse(one), ast.unparse(other)
        if texts[0] != texts[1]:
            yield _changed(tree, nodes, (one, texts[1]), (other, texts[0]))
    for node in nodes:
        for text in _turned(node):
            yield _changed(tree, nodes, (node, text))


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _scales(node: ast.AST) -> list[ast.expr]:
    """Return what noise is made with: the scale of a draw, parameters of privacy by name, or the chance of a coin."""
    if isinstance(node, ast.Compare) and isinstance(node.left, ast.Call) and _name(node.left) == "random":
        return node.comparators[:1]
    if not isinstance(node, ast.Call):
        return []
    told = [word.value for word in node.keywords if word.arg in PARAMETERS]
    if _name(node) in LAWS:
        place = 1 if _name(node) in ("laplace", "normal", "gumbel", "logistic") else 0
        told += node.args[place : place + 1]
    return told


def _turned(node: ast.AST) -> Iterator[str]:
    """Yield what stands in a node's place if its axis is turned, its order reversed or its noise cut."""
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "::-1":
        yield ast.unparse(node.value)
    if not isinstance(node, ast.Call):
        return
    text = ast.unparse(node)
    for old, new in (("axis=0", "axis=1"), ("axis=1", "axis=0")):
        if any(ast.unparse(word) == old for word in node.keywords):
            yield text[::-1].replace(old[::-1], new[::-1], 1)[::-1]
    if _name(node) == "sorted":
        yield f"{text}[::-1]"
    if _name(node) == "reversed":
        yield f"list({ast.unparse(node.args[0])})"
    if _name(node) in ("sort", "argsort"):
        yield f"{text}[::-1]"
    if _name(node) in ("sort_values", "sort_index", "rank"):
        falling = any(ast.unparse(word) == "ascending=False" for word in node.keywords)
        yield text.replace("ascending=False", "ascending=True") if falling else _with(text, "ascending=False")
    if _name(node) == "head":
        yield text.replace(".head(", ".tail(")
    if _name(node) in LAWS:
        yield from (cut.format(text) for cut in CUTS)
    if _name(node).endswith("_mechanism") and node.args:
        exact = ast.unparse(node.args[0])
        yield from (f"{exact} + " + cut.format(f"{text} - {exact}") for cut in CUTS)


def _with(call: str, keyword: str) -> str:
    """Return a call with one more keyword."""
    return f"{call[:-1]}{'' if call.endswith('()') else ', '}{keyword})"


def _changed(tree: bytes, nodes: list[ast.AST], *changes: tuple[ast.AST, str]):
    """Return the name and the maker of the program with other expressions in the places of some of its nodes."""
    name = "; ".join(f"{ast.unparse(node)} → {text}" for node, text in changes)
    return name, partial(_with_others, tree, [(nodes.index(node), text) for node, text in changes])


def _with_others(tree: bytes, changes: list[tuple[int, str]]) -> ast.Module:
    relative = pickle.loads(tree)
    nodes = [*ast.walk(relative)]
    for number, text in changes:
        _put(relative, nodes[number], ast.parse(text, mode="eval").body)
    return ast.fix_missing_locations(relative)


def _put(tree, old, new) -> None:
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, field, new)
            elif isinstance(value, list):
                value[:] = [new if part is old else part for part in value]


def _rebound(tree: bytes, nodes: list[ast.AST], function: ast.FunctionDef, parameter: str, text: str):
    """Return the name and the maker of the program in which a function begins by giving a parameter another value."""
    making = partial(_with_first_line, tree, nodes.index(function), f"{parameter} = {text}")
    return f"{function.name}: {parameter} → {text}", making


def _with_first_line(tree: bytes, number: int, line: str) -> ast.Module:
    relative = pickle.loads(tree)
    [*ast.walk(relative)][number].body.insert(0, ast.parse(line).body[0])
    return ast.fix_missing_locations(relative)
