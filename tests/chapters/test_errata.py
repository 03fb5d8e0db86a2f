"""The page of errata: what each of its cells printed is what the theory says, so that the mistake is one.

Outputs are held equal to a run by `tests/site/test_outputs.py`; here the committed numbers are held against values from
elsewhere.  Where a number is estimated, its range allows for more than five standard errors.
"""

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest
from chapters.chapter_notebook import BOOK, read
from scipy import stats

LOG = math.log(1 / 1e-5)
NORMAL = stats.norm


def said(cell):
    return "".join(out.get("text") or out.data["text/plain"] for out in cell.outputs)


CODE = {cell.id: cell for cell in read("errata").cells if cell.cell_type == "code"}
SAID = {name.removeprefix("e-"): said(cell) for name, cell in CODE.items() if name.startswith("e-")}


def numbers(text):
    found = re.findall(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?", text)
    return [float(number.replace(",", "")) for number in found]


def lines(name):
    return [numbers(line) for line in SAID[name].splitlines()]


def last(name):
    """Return the last number of each line."""
    return [line[-1] for line in lines(name)]


def bell_delta(epsilon, mu):
    """Return the exact δ of normal noise at ε, where one person moves the answer by ``mu`` standard deviations."""
    return NORMAL.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * NORMAL.cdf(-mu / 2 - epsilon / mu)


def above_chunks(k, n=32_561):
    """Return by how many times k exceeds the number of chunks that rows cut evenly make."""
    return k / len(range(0, n, math.ceil(n / k)))


def drawn_anew(days):
    """Return the price of a tree whose boxes are drawn anew: C(h, b) days have b boxes, each with noise of b h / 2ρ."""
    levels = round(math.log2(days + 1))
    return sum(math.comb(levels, b) / (b * levels) for b in range(1, levels + 1))


def discounted(k):
    """Return what a table k rows away adds to the smooth sensitivity of the mean of 1,000 numbers up to 100."""
    return 100 / (1000 - k) * math.exp(-k * math.log1p(0.1 / (2 * math.log(2e6))))


E5 = math.exp(5)
THEORY = {  # item: for each line the last numbers that it prints, by theory, and how far they may be off
    "sum": ([(80, 60), (5, 10), (80, 80)], 0),
    "norms": ([(1, 5, 1, 5**0.5), (2, 5, 2**0.5, 5**0.5)], 0.006),
    "clip": ([100 / 4, 15 + 970 / 3], 0.5),
    "depends": ([1**2, 10**2], 0),
    "split": ([2], 0),
    "gradient": ([1, 2], 0),
    "tuning": ([10, 40], 0),
    "lipschitz": ([(1 / (1 + math.exp(theta)), 2 * (1 - theta)) for theta in (0, -10, -1000)], 0.006),
    "worse": ([(500, 500 * (math.e - 1) + math.sqrt(1000 * LOG), 311.8)], 0.5),
    "crossing": ([(), *(8 * math.log(x) for x in (1e4, 1e5, 1e6)),
                  *(2 * LOG / (2 - math.exp(epsilon)) ** 2 for epsilon in (0.1, 0.5))], 0.5),
    "average": ([abs(2 - math.log((3 - s) / (1 - s))) for s in (0, -10, -1000)], 0.0006),
    "knorm": ([(2 * 10**2, 11 * 12 / 3), 11 * 12 / 3], 1.5),
    "deltas": ([500 + 1], 0),
    "vector": ([8 * math.log(2e5) * math.log(2.5e5 * k) / math.log(1.25e5) for k in (10, 500, 10_000)], 0.5),
    "meaning": ([(NORMAL.sf(1, 0.5 / 3.7306**2, 1 / 3.7306), bell_delta(1, 1 / 3.7306))], 1e-6),
    "conversion": ([(0.5 + math.sqrt(2 * LOG), 4.728), (0.005 + math.sqrt(0.02 * LOG), 0.375)], 0.001),
    "order": ([1 + math.sqrt(2 * 200**2 * LOG / k) for k in (1, 265, 2551)], 1),
    "threshold": ([32_561 / math.sqrt(8), 1], 1),
    "mean": ([(1 / 3, 1 / 2), (1 / 5, 1 / 4)], 0.006),
    "smooth": ([(max(discounted(k) for k in range(1, 200)), 0.1), discounted(999)], 6e-5),
    "chunks": ([above_chunks(k) for k in (600, 6_000, 20_000)], 0.0006),
    "max": ([(2 + math.log(gap / (gap + 2)), 1) for gap in (2, 5, 10, 40)], 0.0006),
    "laplace": ([(2, 1)], 0),
    "swapped": ([12, 100 * 120 / 1120], 0.06),
    "missing": ([-11.5, -0.9, 2.5, -21.4, 0.5], 0.06),
    "counties": ([(8_032, 8_347), (8_347 - 8_032, 2**0.5)], 0.06),
    "offset": ([(0, 1 / (E5 + 13)), (9 - 4_099) / (E5 - 1)], 0.06),
    "sign": ([(0.3, -0.3, 0.3)], 0.015),
    "coin": ([0.3, (math.log(1.5 / 0.5), 1.96), (math.log(1.1 / 0.9), 9.8)], 0.06),
    "guess": ([(math.exp(-e), 1 / (1 + math.exp(-e)), math.tanh(e / 2)) for e in (0.1, 5)], 1e-4),
    "five": ([2 * NORMAL.cdf(0.05 * 3_650 / math.sqrt(32_561 * 3 / 4)) - 1], 0.013),
    "theta": ([(1 - math.exp(x) / 2, 1 - math.exp(-x) / 2, 1 - math.exp(-x) / 2) for x in (0, 5 / 8, 5 / 4)], 0.015),
    "which": ([(E5 + 89) / (E5 - 1) ** 2, 4 * E5 / (E5 - 1) ** 2, E5**0.5 / (E5**0.5 - 1) ** 2, 8 / 25], 6e-5),
    "fresh": ([drawn_anew(days) for days in (15, 127, 1023)], 0.06),
    "weight": ([(rows, 1) for rows in (2, 10, 40)], 0),
    "rounding": ([(30, 40), (50, 60), (-10, -20), (0, -10), (0, 10)], 0),
    "fails": ([1, 21], 0),
    "slow": ([(1, 32_561, 965), 32_561**2], 0),
    "query": ([0, 2], 0),
    "homogeneity": ([(4, 1)], 0),
    "decimal": ([(), 2], 0),
    "stopwatch": ([(10 * math.sqrt(2e5), math.sqrt(200)), 0], 0.6),
    "ln2": ([math.log(2), math.log(2)], 0.0006),
}  # fmt: skip
WORDS = {  # item: what a cell says where that is no number
    "crossing": "10e-5 is 1e-4: True",
    "scores": "naively: [nan nan]",
    "failure": "an honest search says: None",
    "order-of-rows": "A B C\npublished in the order B A C",
    "coin": "told: nan mended: 0.3",
    "fails": "clipping at 1e8 changes something: False",
    "decimal": "= 0." + 28 * "9" + "\n",
    "stopwatch": "the same numbers again: True",
    "zip": "zipped: {'clerk': 2, 'cook': 1}\nby category: {'clerk': 1, 'cook': 0, 'nurse': 2}",
}


@pytest.mark.parametrize("name", THEORY)
def test_a_cell_prints_what_theory_says(name):
    expected, off = THEORY[name]
    for line, right in zip(lines(name)[: len(expected)], expected, strict=True):
        right = np.atleast_1d(right)
        assert line[len(line) - len(right) :] == pytest.approx(right, abs=off, rel=1e-9)


@pytest.mark.parametrize("name", WORDS)
def test_a_cell_says_in_words(name):
    assert WORDS[name] in SAID[name]


# Chance, and what no formula has


@pytest.mark.parametrize(("name", "truth"), [("sum", 80 / 60), ("histogram", 2), ("test", 2), ("slices", 8)])
def test_audits_catch_the_mistake_and_not_its_cure(name, truth):
    told, mended = [numbers(line) for line in SAID[name].splitlines() if "claimed ε" in line]
    assert mended[1] <= mended[0] == told[0] < told[1] <= truth


def test_each_way_to_save_is_caught():
    rows = [line[-2:] for line in lines("sparse")[1:]]
    limits = [3, 7 * 3 / 4, math.inf, math.inf, math.inf]
    assert all(claimed < found <= limit for (claimed, found), limit in zip(rows, limits, strict=True))


def test_a_bound_for_everybody_is_dear_at_a_small_epsilon():
    assert [above for _, above, _ in lines("hundred")] == pytest.approx([1, 10, 100], abs=1)
    ratios = last("hundred")
    assert ratios == sorted(ratios) and ratios[0] < 1.1 and ratios[-1] > 1.3


def test_the_short_form_falls_below_what_is_possible():
    for k, epsilon, short, least in lines("short"):
        assert short == pytest.approx(2 * epsilon * math.sqrt(2 * k * math.log(1e4)), abs=0.006)
        assert (short < least) == (epsilon == 1 and k >= 144)
    assert last("short")[-1] == pytest.approx(4947.8, abs=0.1)  # Kairouz, Oh and Viswanath's formula, evaluated apart


def test_the_classical_formula_fails_above_and_wastes_below():
    for epsilon, delta, ratio in lines("classical"):
        assert delta == pytest.approx(bell_delta(epsilon, epsilon / math.sqrt(2 * math.log(1.25e5))), rel=0.05)
        assert (delta > 1e-5) == (ratio < 1) == (epsilon >= 10)
    assert last("classical")[:2] == pytest.approx([1.576, 1.299], abs=0.006)


def test_a_row_weighs_little_against_a_sensitivity_that_is_too_large():
    assert 0 < lines("scores")[0][-1] < 0.0005


def test_a_long_stream_stops_too_early():
    y = np.linspace(-400, 600, 20_001)
    density = stats.laplace.pdf(y, scale=20)
    for k, share in zip([10, 100, 1000], last("long"), strict=True):
        exact = 1 - np.trapezoid(density * stats.laplace.cdf(100 + y, scale=40) ** k, y)
        assert share / 100 == pytest.approx(exact, abs=5 * math.sqrt(0.25 / 1000))


def test_the_naive_bound_is_luck():
    shares = dict(lines("naive")[:4])
    assert max(shares.values()) < 60 and len([share for share in shares.values() if share >= 8]) >= 3


def test_counts_of_the_census(census):
    for low, high, count, error in lines("ranges"):
        assert count == census["Age"].between(low, high).sum()
        assert error == pytest.approx(100 * math.sqrt(2 * (high - low + 1)) / count, abs=0.0006)
    random_share = 0.25 / (0.25 + (census["Age"] > 50).mean() / 2)
    assert numbers(SAID["yes"]) == pytest.approx([25, 100 * random_share], abs=0.5)


def test_which_threshold_is_best():
    (one, told, spent), (theta, best, _), (unary, paid) = lines("best-theta")
    grid = np.linspace(0.5, 1, 501)[1:]
    p, q = 1 - np.exp(-5 * (1 - grid) / 2) / 2, np.exp(-5 * grid / 2) / 2
    variance = q * (1 - q) / (p - q) ** 2
    assert [one, theta] == pytest.approx([1, grid[variance.argmin()]], abs=0.006)
    assert [told, best, unary] == pytest.approx([variance[-1], variance.min(), 4 * E5 / (E5 - 1) ** 2], abs=6e-5)
    assert [spent, paid] == pytest.approx([3.15, 5], abs=0.006)


def test_a_floor_invents_people():
    for epsilon, seen in lines("floor"):
        p, q = math.exp(epsilon) / (math.exp(epsilon) + 13), 1 / (math.exp(epsilon) + 13)
        sd = math.sqrt(30718 * q * (1 - q)) / (p - q)
        expected = NORMAL.cdf(1 / sd) + sd * NORMAL.pdf(1 / sd)  # of max(normal, 1)
        assert seen == pytest.approx(expected, rel=0.03, abs=0.6)


def test_the_bell_promises_less_than_the_truth():
    for (q, steps, bell, least), sigma in zip(lines("bell"), (1.1, 0.7), strict=True):
        mu = q * math.sqrt(steps * math.expm1(1 / sigma**2))
        assert bell_delta(bell + 0.006, mu) < 1e-5 < bell_delta(bell - 0.006, mu) and bell < least
    assert last("bell")[0] == 5.19  # 5.192620 by dp-accounting, as in test_privacy_loss.py


def test_floats_are_finer_near_0():
    near_0, near_1 = last("float")
    assert near_1 == 0 and near_0 > 10


# The page


ITEM = re.compile(r"(\((\S+)\)=\n)?### ")  # with the name by which the index finds it


def test_the_index_leads_to_items_and_to_each_that_has_a_name():
    cells = read("errata").cells
    named = [found[2] for cell in cells if (found := ITEM.match(cell.source)) and found[2]]
    index = next(cell.source for cell in cells if cell.source.startswith("## Which formula have you met?"))
    titles = {m[2]: re.search(r"^### (.+)$", c.source, re.M)[1] for c in cells if (m := ITEM.match(c.source))}
    linked = dict(re.findall(r"\{ref\}`(.+?) <(errata-[\w-]+)>`", index))
    assert sorted(linked.values()) == sorted(named) and len(named) > 20
    assert {name: titles[name] for name in named} == {name: title for title, name in linked.items()}


def test_every_item_is_told_mended_shown_and_tested():
    cells = read("errata").cells
    tests = Path(__file__).read_text(encoding="utf-8")
    items = [i for i, cell in enumerate(cells) if ITEM.match(cell.source)]
    assert 30 <= len(items) == len(SAID)
    for i in items:
        told, shown = cells[i], cells[i + 1]
        assert "**You may read**" in told.source and "**Rather:**" in told.source
        assert "{ref}`chapter-" in told.source
        assert shown.cell_type == "code" and 1 <= len(shown.source.splitlines()) <= 10
        assert f'"{shown.id.removeprefix("e-")}"' in tests.split("# The page")[0]


TAUGHT = {
    "sum": "max(|l|, |u|)",
    "histogram": "Under replace-one, a row that moves from part",
    "norms": "In a histogram you are in one bin",
    "clip": "**Clipping** to $[l, u]$",
    "hundred": "Nobody: a bound should include everybody",
    "depends": "The maximum is taken over all tables that are possible",
    "split": "ends in 0 or 5",
    "gradient": "$2C$ under replace-one",
    "tuning": "To tune on the real data is a release.",
    "lipschitz": "(such a loss is called *Lipschitz*)",
    "short": "looked up advanced composition in a short form",
    "worse": "In the last line, at ε = 1, it is nearly twice the sequential total",
    "crossing": "hold for one ε and one δ",
    "average": "Bob's comes closer to it, the further out you look",
    "knorm": "could pure differential privacy have done it?",
    "deltas": "total δ of her advanced curve",
    "vector": "a whole table, which is one vector",
    "meaning": '"ε-differential privacy with probability 1 − δ"',
    "classical": "the classical formula",
    "conversion": r"\text{(loose)}",
    "order": "which order is best?",
    "threshold": "another one that is in circulation",
    "test": "half of `epsilon` for the test and half for the release",
    "mean": "If the oldest leaves, the mean of the others is 15",
    "smooth": r"\max_{k = 0, 1, \dots, n} e^{-\beta k} A(x, k)",
    "slices": "Put each row into one of $c$ chunks by a draw of its own",
    "chunks": "Rounding up may make fewer than were asked for",
    "max": "mended(votes, rng)",
    "laplace": "With it the exponential mechanism is Laplace noise of scale",
    "scores": "*The wrong unit.*",
    "long": "each further answer is another chance for large noise to pass",
    "failure": "Return an empty list if nothing passes",
    "naive": "first_small_gain",
    "sparse": "Here are four, for threshold 0",
    "order-of-rows": "the *labels* leak",
    "ranges": "Forty noises partly cancel",
    "swapped": "files {off:+.1%}",
    "missing": "a symbol for a missing answer",
    "counties": "A tree only fits areas that are made of its nodes",
    "offset": "The offsets are 0 to $d-2$",
    "sign": r"2\bar y - \tfrac12",
    "coin": "At $t = 0$ everybody tells the truth",
    "guess": r"right more than $e^{\varepsilon}/(1+e^{\varepsilon})$",
    "yes": "Only 7 or 8 of these yeses come from people who have the secret",
    "five": "About one such survey in four is off by more than 5%",
    "theta": "Right at θ = 1",
    "best-theta": "Where is the best θ",
    "which": r"$d < 3e^{\varepsilon} + 2$",
    "floor": "Both repairs lift an empty answer",
    "bell": "the central limit theorem suggests",
    "fresh": "Draw the noise of all boxes first",
    "weight": "A weight belongs *before* the clipping",
    "rounding": "Cutting 36 to 30 is not rounding",
    "fails": "How many people are the only one with their pair",
    "slow": "If you compared each row of the census with every other row",
    "query": "A missing value counts as a value of its own",
    "homogeneity": "**homogeneity attack**",
    "float": "Is this the Laplace mechanism?",
    "decimal": "`Decimal` numbers don't cure it",
    "stopwatch": "what does noise cost?",
    "zip": "count over the whole list of answers",
    "ln2": r"it is $\ln 2$, about 0.7, at a score of 0",
}
"""A phrase of the page that teaches what the item says, so that an item doesn't send its reader to an empty place."""


def test_what_is_taught_stands_where_the_item_says():
    cells = read("errata").cells
    chapters = {int(path.stem[:2]): path.stem for path in BOOK.glob("[0-9][0-9]-*.ipynb")}
    asked = {}
    for told, shown in itertools.pairwise(cells):
        if ITEM.match(told.source):
            named = {int(number) for number in re.findall(r"\{ref\}`chapter-(\d+)`", told.source)}
            text = "\n".join(cell.source for number in named for cell in read(chapters[number]).cells)
            asked[shown.id.removeprefix("e-")] = " ".join(text.split())
    assert asked.keys() == TAUGHT.keys()
    assert not {name: phrase for name, phrase in TAUGHT.items() if phrase not in asked[name]}


def test_the_page_is_executed_and_names_no_private_source():
    cells = [cell for cell in read("errata").cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    text = "\n".join(cell.source for cell in read("errata").cells)
    assert not re.search(r"\bS[0-4]\b|\bch\d+\b", text)
