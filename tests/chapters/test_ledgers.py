"""A chapter's ledger has an entry for each release from the census in the cells above it, or the page says why not.

A release is a call at the top level of a cell that draws from the page's ``rng``, in a statement that reads the census
or what was computed from it.  An entry's ε and δ stand in the cell of its release.
"""

import ast
import re

import pytest
from chapters.chapter_notebook import BOOK, read

CHAPTERS = [path.stem for path in sorted(BOOK.glob("[0-9]*.ipynb")) if "## Privacy ledger" in path.read_text()]

SPEND = re.compile(r"\w+\.spend\(.*\)")

# What draws with the census at hand and isn't an entry: its call, how often, and the page's words for it.
NOT_COUNTED = {
    "04-properties": [
        ("as_it_comes", 2, "the countries and the audits aren't in the ledger"),
        ("audited", 2, "the countries and the audits aren't in the ledger"),
    ],
    "06-approximate-differential-privacy": [("lottery", 2, "The first two lotteries aren't in it")],
    "12-dp-sgd": [
        ("rng.choice", 1, "the models that were trained to be attacked"),
        ("advantage", 2, "the models that were trained to be attacked"),
        ("noisy", 1, "the models that were trained to be attacked"),
        ("right_after(0)", 1, "doesn't count the models without noise"),
    ],
}


def names(node, context=ast.Load):
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, context)}


def own_names(function):
    """Return what a function of the page reads that isn't its own argument."""
    given = function.args
    return names(ast.Module(function.body, [])) - {a.arg for a in [*given.args, *given.kwonlyargs]}


def statements(body, times=1):
    """Return each plain statement and how often it runs: a loop over a list that is written out runs for each."""
    for node in body:
        if isinstance(node, ast.For):
            rounds = len(node.iter.elts) if isinstance(node.iter, (ast.List, ast.Tuple)) else 1
            yield from statements(node.body, times * rounds)
        elif isinstance(node, (ast.If, ast.With)):
            yield from statements(node.body, times)
        elif not isinstance(node, ast.Try):  # on these pages, what the ledger refuses
            yield node, times


def releases(cells):
    """Return the cell and the call of each release, as often as it runs."""
    from_census, drawing, found = {"census"}, set(), []
    for cell in cells:
        for node, times in statements(ast.parse(cell).body):
            if isinstance(node, ast.FunctionDef):
                from_census |= {node.name} if own_names(node) & from_census else set()
                drawing |= {node.name} if own_names(node) & ({"rng"} | drawing) else set()
                continue
            if names(node) & from_census:
                calls = [part for part in ast.walk(node) if isinstance(part, ast.Call) and draws(part, drawing)]
                found += [(cell, ast.unparse(call)) for call in calls for _ in range(times)]
                from_census |= names(node, ast.Store)
    return found


def draws(call, drawing):
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    passes = any(isinstance(value, ast.Name) and value.id == "rng" for value in given)
    return passes or (names(call.func) & ({"rng"} | drawing))


def entries(cells):
    """Return epsilon and delta of each ``spend``, as often as it runs."""
    found = []
    for cell in cells:
        for node, times in statements(ast.parse(cell).body):
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "spend":
                    found += [tuple(float(ast.literal_eval(cost)) for cost in call.args)] * times
    return found


def core(chapter):
    """Return the code of the path up to the self-check, and its prose."""
    path = read(chapter).cells
    path = path[: next(i for i, cell in enumerate(path) if cell.source.startswith("## Self-check"))]
    code = [cell.source for cell in path if cell.cell_type == "code"]
    return code, " ".join(" ".join(cell.source.split()) for cell in path if cell.cell_type == "markdown")


def unpaired(cells, not_counted):
    """Return the releases without an entry, and the entries without a release."""
    open_releases, without_release = releases(cells), []
    for call, times, _ in not_counted:
        excused = [release for release in open_releases if release[1].startswith(call)][:times]
        assert len(excused) == times, f"{call} isn't called {times} times"
        for release in excused:
            open_releases.remove(release)
    for costs in entries(cells):
        for release in open_releases:
            said = re.findall(r"\b\d+\.?\d*(?:e-?\d+)?\b", SPEND.sub("", release[0]))
            numbers = set(map(float, said))
            if {cost for cost in costs if cost} <= numbers:
                open_releases.remove(release)
                break
        else:
            without_release.append(costs)
    return [call for _, call in open_releases], without_release


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_ledger_lists_what_was_released_and_nothing_else(chapter):
    code, prose = core(chapter)
    excused = NOT_COUNTED.get(chapter, [])
    assert unpaired(code, excused) == ([], [])
    assert all(words in prose for *_, words in excused)


@pytest.mark.parametrize("chapter", [name for name in CHAPTERS if "spend(" in "".join(core(name)[0])])
def test_a_release_more_and_a_cost_less_are_noticed(chapter):
    code, _ = core(chapter)
    excused = NOT_COUNTED.get(chapter, [])
    more = [*code, "hours = census['Age']\nprint(dp.private_count(hours, epsilon=7, rng=rng))"]
    assert unpaired(more, excused) == (["dp.private_count(hours, epsilon=7, rng=rng)"], [])
    cheaper = [re.sub(r"spend\([\d.]+", "spend(0.05", cell) for cell in code]
    assert unpaired(cheaper, excused)[1]
    silent = [SPEND.sub("pass", cell, count=1) for cell in code]
    assert unpaired(silent, excused)[0]


def test_ledgers_are_found():
    assert len(CHAPTERS) >= 4
