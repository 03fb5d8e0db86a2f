"""Words whose numbers are computed: by Python for what is drawn, by the page wherever a slider stands.

A template is written as an f-string is, ``"width {width:g}: {exp(width):.2f}"``.  Python's own parser reads it, what
isn't in the tables below is refused, and the rest travels as a tree that ``explore.js`` evaluates by the same names.
"""

import ast
import functools
import inspect
import itertools
import math
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from slider_figures import checks
from slider_figures.mixing import coordinates, nearest
from slider_figures.svg import RAISED

FUNCTIONS = {name: getattr(math, name) for name in ("exp", "expm1", "log", "log1p", "sqrt", "tanh", "floor", "ceil")}
FUNCTIONS |= {"abs": abs, "min": min, "max": max, "Phi": lambda x: math.erfc(-x / math.sqrt(2)) / 2}
"""What an expression may call; ``Phi`` is the chance that a standard normal number is at most x."""
OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
OPERATIONS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "**": operator.pow,
    "%": operator.mod, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
FORMAT = re.compile(r"\+?,?(?:(?:\.\d+)?[fge%]|d?)")
MOST_PLACES, EXACT = 20_000, 1e-5
"""Numbers in a table, and how far what is mixed from them may be off, as a share."""
AROUND = 8
"""So many places of a table are mixed."""
WHOLE = 400
"""So many whole numbers are each in a table; of more, some."""


class Words:
    """Named numbers and texts over a figure's sliders: expressions, functions of some of the sliders, or numbers.

    ``values`` are those of each slider, and of "seed" where the figure is drawn several times.
    """

    def __init__(self, words: Mapping, values: dict):
        self.values, self.given, self.known = values, dict(words), list(values)
        for name, word in self.given.items():
            if name in self.known:
                raise ValueError(f"a name in words must not be a slider's, got {name!r}")
            if isinstance(word, str):
                self.given[name] = parsed(f"words[{name!r}]", word, self.known)
            elif callable(word):
                self._parameters(name)
            else:
                self.given[name] = checks.number(f"words[{name!r}]", word)
            self.known.append(name)

    def _parameters(self, name: str) -> list[str]:
        """Return the sliders that the function of this name takes."""
        taken = inspect.signature(self.given[name]).parameters.values()
        for one in taken:
            if one.default is one.empty and one.name not in self.values:
                known = ", ".join(map(repr, self.values))
                raise ValueError(f"words[{name!r}] must take sliders ({known}), got {one.name!r}")
        return [one.name for one in taken if one.name in self.values]

    def at(self, values: dict) -> dict:
        """Return the sliders' values and all words there."""
        known = dict(values)
        for name, word in self.given.items():
            if callable(word):
                known[name] = word(**{slider: values[slider] for slider in self._parameters(name)})
            else:
                known[name] = evaluate(word, known)
        return known

    def data(self, stepping) -> list:
        """Return what the page needs of each word: its name, and its tree or table.

        ``stepping`` are the sliders that go from stop to stop.
        """
        return [[name, self._table(name, stepping) if callable(word) else word] for name, word in self.given.items()]

    def _table(self, name: str, stepping) -> dict:
        """Return the function's values at so many places that what is mixed between them is right.

        Of what can't be mixed, as a text or a share of some people, it has all values that the slider can take.
        """
        taken = self._parameters(name)

        @functools.cache
        def value_at(*point):
            value = self.given[name](**dict(zip(taken, point, strict=True)))
            return value if isinstance(value, str) else float(value)

        def table(places):
            axes = [list(self.values[one]) if one in stepping else places(self.values[one]) for one in taken]
            if math.prod(map(len, axes)) > MOST_PLACES:
                raise ValueError(f"words[{name!r}] needs more than {MOST_PLACES:,} values: write it as an expression")
            values = [value_at(*point) for point in itertools.product(*axes)]
            return axes, np.array(values).reshape([len(axis) for axis in axes])

        for fineness in (1, 2, 4, 8):
            axes, values = table(functools.partial(_places, fineness=fineness))
            if values.dtype.kind == "U":
                break
            gliding = [(k, self.values[one]) for k, one in enumerate(taken) if one not in stepping]
            if all(_is_mixed_well(axes, values, k, stops, 2 * fineness, value_at) for k, stops in gliding):
                return _travelling(taken, axes, values, ["log" if _logarithmic(axis) else "" for axis in axes])
        axes, values = table(_all_places)
        for k, axis in enumerate(axes):  # a place is left out where nothing changes there
            rows = np.moveaxis(values, k, 0)
            kept = [i for i in range(len(axis)) if i == 0 or isinstance(axis[0], str) or np.any(rows[i] != rows[i - 1])]
            axes[k], values = [axis[i] for i in kept], values.take(kept, k)
        return _travelling(taken, axes, values, ["last"] * len(axes))


def _travelling(taken, axes, values, ways) -> dict:
    """Return a table as the page gets it: of each slider its name, the places, and how to go between them."""
    shown = [value if isinstance(value, str) else float(f"{value:.9g}") for value in values.ravel().tolist()]
    return {"axes": [list(one) for one in zip(taken, axes, ways, strict=True)], "values": shown}


def _all_places(stops) -> list:
    """Return all values that a slider can take: those of three digits, and its stops."""
    if isinstance(stops[0], str) or len(stops) == 2:
        return list(stops)
    if all(isinstance(stop, int) for stop in stops):
        return list(range(stops[0], stops[-1] + 1))
    if stops[0] <= 0:
        raise ValueError("a function in words that can't be mixed must take sliders of positive numbers")
    first, last = (math.floor(math.log10(stop)) for stop in (stops[0], stops[-1]))
    short = [float(f"{digits}e{power - 2}") for power in range(first, last + 1) for digits in range(100, 1000)]
    return sorted({*stops, *(one for one in short if stops[0] < one < stops[-1])})


@dataclass(frozen=True)
class Spoken:
    """What the page computes: words, the sentence's tree or None, and texts in the figure, as given and as trees."""

    words: Words
    alt: list | None
    given: list
    texts: list

    def said(self, grid) -> list[list[str]]:
        """Return what each of the texts is at all points of the grid."""
        known = [self.words.at(values) for values in grid] if self.texts else []
        return [[readable(evaluate(tree, words)) for words in known] for tree in self.texts]


def _logarithmic(axis) -> bool:
    return not isinstance(axis[0], str) and axis[0] > 0 and axis[-1] > 10 * axis[0]


def _places(stops, fineness: int) -> list:
    """Return where a function is tabulated along a slider: everywhere, where that can be, or between its stops."""
    stops = list(stops)
    if isinstance(stops[0], str) or len(stops) == 2:
        return stops
    whole = all(isinstance(stop, int) for stop in stops)
    if whole and stops[-1] - stops[0] < WHOLE:
        return list(range(stops[0], stops[-1] + 1))
    way = np.log if _logarithmic(stops) else np.asarray
    back = np.exp if _logarithmic(stops) else np.asarray
    between = [back(np.linspace(way(low), way(high), fineness + 1)[1:-1]) for low, high in itertools.pairwise(stops)]
    places = {*stops, *np.concatenate(between).tolist()}
    return sorted({round(place) for place in places} if whole else places)


def _is_mixed_well(axes, values, k: int, stops, fineness: int, value_at) -> bool:
    """Tell whether what is mixed along axis k is right at finer places, at the ends and the middle of the others."""
    finer = set(_places(stops, fineness)) - set(axes[k])
    if not finer:
        return True
    log, some = _logarithmic(axes[k]), [{0, len(axis) // 2, len(axis) - 1} for axis in axes]
    line, least = coordinates(axes[k], log=log), 1e-8 * np.abs(values).max()
    for place in finer:
        near = nearest(line, coordinates([place], log=log)[0], AROUND)
        for index in itertools.product(*some[:k], [0], *some[k + 1 :]):
            mixed = sum(weight * values[(*index[:k], stop, *index[k + 1 :])] for stop, weight in near)
            right = value_at(*(place if j == k else axes[j][i] for j, i in enumerate(index)))
            if abs(mixed - right) > EXACT * abs(right) + least:
                return False
    return True


def parsed(name: str, text: str, known, *, template=False):
    """Return the tree of an expression, or of a template; ``name`` is the argument's, for errors."""
    what = "a format string" if template else "an expression"
    try:
        body = ast.parse(f"f{text!r}" if template else text, mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"{name} must be {what}, got {text!r}: {error.msg}") from None
    return _tree(name, body, known)


def _tree(name: str, node, known):
    """Return a number as itself, a name as its text, all else as a list that begins with what is to be done."""

    def tree(part):
        return _tree(name, part, known)

    match node:
        case ast.Constant(value=str(text)):
            return ["text", text]
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Name(id=word):
            if word not in known:
                raise ValueError(f"a field of {name} must be one of {', '.join(map(repr, known))}, got {word!r}")
            return word
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return [OPERATORS[type(op)], tree(left), tree(right)]
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in OPERATORS:
            return [OPERATORS[type(op)], tree(left), tree(right)]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return ["-", 0, tree(operand)]
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return ["if", tree(test), tree(body), tree(orelse)]
        case ast.Call(func=ast.Name(id=function), args=args, keywords=[]) if function in FUNCTIONS:
            return ["call", function, *map(tree, args)]
        case ast.JoinedStr(values=parts):
            return ["join", *map(tree, parts)]
        case ast.FormattedValue(value=value, conversion=-1, format_spec=ast.JoinedStr() | None as spec):
            form = "" if spec is None else "".join(getattr(part, "value", "{}") for part in spec.values)
            if not FORMAT.fullmatch(form):
                raise ValueError(f"a format of {name} must be one such as :g, :.2f, :,.0f, :.1% or :+d, got {form!r}")
            return ["format", tree(value), form]
    raise ValueError(f"{name} must hold numbers, sliders, words, + - * / ** and functions such as exp, got {node!r}")


def evaluate(tree, known: dict):
    """Return what a tree is where ``known`` has the names' values, as ``explore.js`` does."""
    if isinstance(tree, str):
        return known[tree]
    if not isinstance(tree, list):
        return tree
    what, *parts = tree
    if what == "text":
        return parts[0]
    if what == "format":
        value, form = evaluate(parts[0], known), parts[1]
        # Whether 1 is a whole number isn't known to the page, so that 1.0 is written as 1.
        return format(value, form + ".12g" * (isinstance(value, float) and form in ("", ",", "+", "+,")))
    if what == "if":
        return evaluate(parts[1] if evaluate(parts[0], known) else parts[2], known)
    if what == "call":
        return FUNCTIONS[parts[0]](*(evaluate(part, known) for part in parts[1:]))
    values = [evaluate(part, known) for part in parts]
    return "".join(values) if what == "join" else OPERATIONS[what](*values)


def readable(sentence: str) -> str:
    """Return the sentence with its numbers as the reader sees them: −0.7 for -0.7, 10⁻⁵ for 1e-05."""

    def power(number):
        factor = "" if number[1] == "1" else f"{number[1]}×"
        return f"{factor}10{str(int(number[2])).translate(RAISED)}"

    sentence = re.sub(r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]\d+)\b", power, sentence)
    return re.sub(r"(?<![\w.,)])-(?=\d)", "−", sentence)
