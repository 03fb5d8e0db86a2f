"""The page of errata: what each of its cells printed is what the theory says, so that the mistake is one.

Outputs are held equal to a run by nbval; here the committed numbers are held against values from elsewhere.  Where a
number is estimated, its range allows for more than five standard errors.
"""

import ast
import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest
from chapters.chapter_notebook import BOOK, read
from scipy import stats

import dp_helpers as dp

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


def near(*expected, rel=1e-9, **margin):
    return pytest.approx(list(expected), rel=rel, **margin)


def audited(name):
    """Return the claimed epsilon, and what the audits found of the mechanism as told and of the mended one."""
    told, mended = [line for line in SAID[name].splitlines() if "claimed ε" in line]
    claim, found = numbers(told)
    assert numbers(mended)[0] == claim
    return claim, found, numbers(mended)[1]


# Sensitivity and neighbours


@pytest.mark.parametrize(("name", "truth"), [("sum", 80 / 60), ("histogram", 2), ("test", 2), ("slices", 8)])
def test_audits_catch_the_mistake_and_not_its_cure(name, truth):
    claim, found, mended = audited(name)
    assert mended <= claim < found <= truth


def test_sums():
    for (low, high), line in zip([(20, 80), (-5, 5), (0, 80)], lines("sum"), strict=False):
        assert line == [low, high, max(abs(low), abs(high)), high - low]


def test_the_norms_of_a_histogram_do_not_grow_with_its_bins():
    found = [float(number) for number in re.findall(r"L[12] ([\d.]+)", SAID["norms"])]
    assert found == near(1, 1, 2, math.sqrt(2), abs=0.006)


def test_one_negative_row_moves_a_mean_that_is_clipped_above():
    assert [line[-1] for line in lines("clip")] == near(100 / 4, 15 + 970 / 3, abs=0.5)


def test_a_bound_for_everybody_is_dear_at_a_small_epsilon():
    assert [line[0] for line in lines("hundred")] == [1, 0.1, 0.01]
    assert [line[1] for line in lines("hundred")] == near(1, 10, 100, abs=1)
    ratios = last("hundred")
    assert ratios == sorted(ratios) and ratios[0] < 1.1 and ratios[-1] > 1.3


def test_squares_have_a_sensitivity():
    assert [line[-1] for line in lines("depends")] == [1, 100]


def test_neighbours_have_training_sets_two_rows_apart():
    assert lines("split") == [[2]]


def test_clipped_gradients_of_two_rows_may_be_opposite():
    assert last("gradient") == [1, 2]


def test_one_row_more_changes_the_tuned_bound():
    for rows, best in lines("tuning"):
        errors = {bound: rows * (50 - bound) + bound / 0.4 for bound in (10, 40)}
        assert best == min(errors, key=errors.get)
    assert len(set(last("tuning"))) == 2


def test_a_lipschitz_gradient_may_be_of_any_length():
    for theta, logistic, square in lines("lipschitz"):
        assert logistic == pytest.approx(1 / (1 + math.exp(theta)), abs=0.006)
        assert square == 2 * (1 - theta)
    assert max(line[1] for line in lines("lipschitz")) <= 1 < 1000 < last("lipschitz")[-1]


# Composition


def test_the_short_form_falls_below_what_is_possible():
    for k, epsilon, short, least in lines("short"):
        assert short == pytest.approx(2 * epsilon * math.sqrt(2 * k * math.log(1e4)), abs=0.006)
        assert (short < least) == (epsilon == 1 and k >= 144)
    _, _, small, least = lines("short")[0]
    assert least < small < 1  # the corollary's own range
    assert last("short")[-1] == pytest.approx(4947.8, abs=0.1)  # Kairouz, Oh and Viswanath's formula, evaluated apart


def test_advanced_composition_is_above_the_sum():
    total, advanced, optimal = numbers(SAID["worse"])
    assert advanced == pytest.approx(500 * (math.e - 1) + math.sqrt(1000 * LOG), abs=0.5)
    assert optimal == pytest.approx(311.8, abs=0.5)
    assert optimal < total < advanced
    for k in (1, 10, 10_000):
        assert dp.advanced_composition(math.log(2), 0.0, k=k, delta_prime=1e-5)[0] > k * math.log(2)
    assert dp.optimal_composition(1.0, 0.0, k=2, delta_total=1e-5) < 2


def test_where_advanced_composition_crosses_the_sum():
    assert "True" in SAID["crossing"]
    short = [8 * math.log(1 / delta) for delta in (1e-4, 1e-5, 1e-6)]
    whole = [2 * LOG / (2 - math.exp(epsilon)) ** 2 for epsilon in (0.1, 0.5)]
    assert last("crossing")[1:] == near(*short, *whole, abs=0.5)
    for epsilon, k in zip((0.1, 0.5), whole, strict=True):
        below, above = (
            dp.advanced_composition(epsilon, 0.0, k=round(k * f), delta_prime=1e-5)[0] / (round(k * f) * epsilon)
            for f in (0.9, 1.1)
        )
        assert below > 1 > above


def test_the_loss_of_an_average_approaches_the_sum():
    losses = last("average")
    assert losses == near(*(abs(2 - math.log((3 - s) / (1 - s))) for s in (0, -10, -1000)), abs=0.0006)
    assert losses == sorted(losses) and 1.99 < losses[-1] < 2


def test_noise_from_a_cube_beats_laplace_noise():
    laplace, cube = lines("knorm")[0]
    assert laplace == 2 * 10**2
    assert cube == pytest.approx(11 * 12 / 3, abs=1.5)
    assert last("knorm")[1] == 44


def test_deltas_add_up():
    assert last("deltas") == [501]


def test_composing_gaussian_answers_costs_one_more_logarithm():
    for k, ratio in lines("vector"):
        assert ratio == pytest.approx(8 * math.log(2e5) * math.log(2.5e5 * k) / math.log(1.25e5), abs=0.5)
    assert last("vector") == sorted(last("vector"))


# Gaussian noise


def test_losses_above_epsilon_are_more_likely_than_delta():
    sigma, _, above, delta = numbers(SAID["meaning"])
    assert NORMAL.cdf(0.5 / sigma - sigma) - math.e * NORMAL.cdf(-0.5 / sigma - sigma) == pytest.approx(delta, rel=1e-3)
    assert above == pytest.approx(NORMAL.sf(1, 0.5 / sigma**2, 1 / sigma), rel=0.01)
    assert above > 15 * delta


def test_the_classical_formula_fails_above_and_wastes_below():
    for epsilon, delta, ratio in lines("classical"):
        sigma = math.sqrt(2 * math.log(1.25e5)) / epsilon
        true = NORMAL.cdf(0.5 / sigma - epsilon * sigma) - math.exp(epsilon) * NORMAL.cdf(
            -0.5 / sigma - epsilon * sigma
        )
        assert delta == pytest.approx(true, rel=0.05)
        assert (delta > 1e-5) == (ratio < 1) == (epsilon >= 10)
    assert last("classical")[:2] == near(1.576, 1.299, abs=0.006)


def test_the_usual_conversion_is_loose():
    for rho, loose, tight in lines("conversion"):
        assert loose == pytest.approx(rho + 2 * math.sqrt(rho * LOG), abs=0.0006)
        assert tight < 0.9 * loose
    assert last("conversion") == near(4.728, 0.375, abs=0.001)


def test_the_best_order_falls_with_the_releases():
    for k, sigma, order in lines("order"):
        assert order == pytest.approx(1 + math.sqrt(2 * sigma**2 * LOG / k), abs=1)
    assert last("order")[0] > 100


# Local sensitivity


def test_the_low_threshold_fails_far_more_often_than_delta():
    delta = 1 / 32561**2
    (low, fails, times), (high, fails_too, once) = lines("threshold")
    assert low == pytest.approx(math.log(2 / delta) / 2, abs=0.006)
    assert fails == pytest.approx(math.sqrt(delta / 8), rel=0.05)
    assert times == pytest.approx(1 / math.sqrt(8 * delta), abs=1)
    assert (high, fails_too, once) == (pytest.approx(20.09, abs=0.006), pytest.approx(delta, rel=0.05), 1)


def test_a_removed_row_moves_the_mean_further():
    assert [line[-2:] for line in lines("mean")] == [[0.33, 0.5], [0.2, 0.25]]


def test_smooth_sensitivity_needs_every_step():
    (*_, upto, local), (everything,) = lines("smooth")
    beta = math.log1p(0.1 / (2 * math.log(2e6)))
    assert upto < local == 0.1
    assert upto == pytest.approx(max(math.exp(-beta * k) * 100 / (1000 - k) for k in range(1, 200)), abs=6e-5)
    assert everything == pytest.approx(100 * math.exp(-beta * 999), abs=6e-5) and everything > 30 * upto


def test_there_are_fewer_chunks_than_k():
    for k, chunks, factor in lines("chunks"):
        rows = -(-32561 // k)
        assert chunks == len(range(0, 32561, int(rows))) < k
        assert factor == pytest.approx(k / chunks, abs=0.0006)


# Selection and sparse vector


def test_noisy_max_with_half_the_noise_costs_up_to_twice():
    for gap, loss, claimed in lines("max"):
        y = np.linspace(-60, 60, 240_001)

        def wins(g, y=y):  # the lower score plus noise is above the higher
            return np.trapezoid(stats.laplace.pdf(y) * stats.laplace.sf(y + g), y)

        expected = 2 + math.log(gap / (gap + 2))
        if gap <= 10:
            assert math.log(wins(gap - 2) / wins(gap)) == pytest.approx(expected, abs=1e-3)
        assert loss == pytest.approx(expected, abs=0.0006)
        assert claimed < loss < 2


def test_the_general_theorem_doubles_the_noise():
    assert re.findall(r": ([\d.]+)", SAID["laplace"]) == ["2.00", "1.00"]


def test_scores_with_the_wrong_sensitivity():
    loss = numbers(SAID["scores"].splitlines()[0])[-1]
    assert 0 < loss < 0.0005
    assert "nan" in SAID["scores"].splitlines()[1]


def test_a_long_stream_stops_too_early():
    shares = [line[-1] for line in lines("long")]
    y = np.linspace(-400, 600, 20_001)
    density = stats.laplace.pdf(y, scale=20)
    for k, share in zip([10, 100, 1000], shares, strict=True):
        exact = 1 - np.trapezoid(density * stats.laplace.cdf(100 + y, scale=40) ** k, y)
        assert share / 100 == pytest.approx(exact, abs=5 * math.sqrt(0.25 / 1000))
    assert shares[0] > 25 and shares[1] > 85 and shares[2] > 97


def test_an_honest_search_says_that_it_found_nothing():
    assert SAID["failure"].strip().endswith("None")


def test_the_naive_bound_is_luck():
    shares = dict(lines("naive")[:4])
    assert max(shares.values()) < 60 and len([share for share in shares.values() if share >= 8]) >= 3


def test_each_way_to_save_is_caught():
    rows = [line[-2:] for line in lines("sparse")[1:]]
    limits = [3, 7 * 3 / 4, math.inf, math.inf, math.inf]
    assert all(claimed < found <= limit for (claimed, found), limit in zip(rows, limits, strict=True))


# Synthetic data and histograms


def test_the_order_of_rows_gives_away_one_person():
    one, other = (line.split()[-3:] for line in SAID["order-of-rows"].splitlines())
    assert (one, other) == (list("ABC"), list("BAC"))


def test_wide_ranges_are_relatively_better(census):
    for low, high, count, error in lines("ranges"):
        assert count == census["Age"].between(low, high).sum()
        assert error == pytest.approx(100 * math.sqrt(2 * (high - low + 1)) / count, abs=0.0006)
    assert last("ranges")[1] < last("ranges")[0] / 3


def test_swapped_arguments_flatter():
    assert last("swapped") == near(12.0, 100 * 120 / 1120, abs=0.06)


def test_missing_answers_and_cut_cells(census):
    *groups, empty = lines("missing")
    kept = census["Occupation"].notna()
    for low, high, change in groups:
        share = kept[census["Age"].between(low, high)].mean()
        assert change == pytest.approx(100 * (share / kept.mean() - 1), abs=0.06)
    assert groups[0][-1] == -11.5 and groups[-1][-1] == -21.4
    assert empty == [0.5]


def test_areas_that_do_not_nest_cannot_be_added_up(census):
    (people, areas), (difference, noise) = lines("counties")
    assert people == census["Zip"].isin(range(25_400, 47_600)).sum()
    assert areas == sum(str(code)[:-3] in map(str, range(25, 48)) for code in census["Zip"])
    assert difference == areas - people > 100 * noise
    assert noise == pytest.approx(math.sqrt(2), abs=0.06)


# Local differential privacy


def test_the_skipped_offset(census):
    never, honest = lines("offset")[0]
    assert (never, honest) == (0, pytest.approx(1 / (math.exp(5) + 13), abs=6e-5))
    counts = census["Occupation"].value_counts().sort_index()
    follower = counts.iloc[counts.index.get_loc("Armed-Forces") + 1]
    assert last("offset")[1] == pytest.approx((9 - follower) / (math.exp(5) - 1), abs=0.06)


def test_the_sign():
    told, mended = lines("sign")[0][1:]
    assert -told == mended == pytest.approx(0.30, abs=0.015)


def test_the_biased_coin():
    assert re.search(r"told: nan mended: 0\.3$", SAID["coin"].splitlines()[0])
    for noise, epsilon, points in [[*line[:2], line[-1]] for line in lines("coin")[1:]]:
        assert epsilon == pytest.approx(dp.RandomizedResponse.biased_coin(noise).epsilon, abs=0.006)
        assert points == pytest.approx(98 / (100 * (1 - noise)), abs=0.06)


def test_guesses_and_their_limits():
    for epsilon, told, right, ahead in lines("guess"):
        assert told == pytest.approx(math.exp(-epsilon), abs=6e-5)
        assert right == pytest.approx(math.exp(epsilon) / (1 + math.exp(epsilon)), abs=6e-5)
        assert ahead == pytest.approx(2 * right - 1, abs=2e-4)


def test_most_of_the_yes_are_random(census):
    of_all, of_yes = numbers(SAID["yes"])
    over_50 = (census["Age"] > 50).mean()
    assert of_all == 25 and of_yes == pytest.approx(100 * 0.25 / (0.25 + over_50 / 2), abs=0.5) and of_yes > 70


def test_five_percent_is_kept_three_times_in_four(census):
    count, n, percent, probability = numbers(SAID["five"])
    assert (count, n, percent) == ((census["Occupation"] == "Sales").sum(), len(census), 5)
    yes = np.random.default_rng(5).binomial(count, 3 / 4, 100_000)
    yes = yes + np.random.default_rng(6).binomial(n - count, 1 / 4, 100_000)
    below = abs(2 * (yes - n / 4) / count - 1) < 0.05
    assert probability == pytest.approx(below.mean(), abs=0.013)


def test_thresholding_has_a_minus():
    for theta, told, mended, simulated in lines("theta"):
        assert told == pytest.approx(1 - math.exp(5 * (1 - theta) / 2) / 2, abs=0.006)
        assert mended == pytest.approx(stats.laplace.sf(theta - 1, scale=2 / 5), abs=0.006)
        assert simulated == pytest.approx(mended, abs=0.015)
    assert lines("theta")[-1][1] < 0


def test_which_threshold_is_best():
    (one, told, spent), (theta, best, _), (unary, paid) = lines("best-theta")
    grid = np.linspace(0.5, 1, 501)[1:]
    p, q = 1 - np.exp(-5 * (1 - grid) / 2) / 2, np.exp(-5 * grid / 2) / 2
    variance = q * (1 - q) / (p - q) ** 2
    assert one == 1 and theta == pytest.approx(grid[variance.argmin()], abs=0.006)
    assert (told, best) == (pytest.approx(variance[-1], abs=6e-5), pytest.approx(variance.min(), abs=6e-5))
    assert unary == pytest.approx(4 * math.exp(5) / (math.exp(5) - 1) ** 2, abs=6e-5)
    assert spent == pytest.approx(3.15, abs=0.006) and paid == 5
    assert unary < best / 5 < told / 5


def test_which_protocol_counts_ages_best():
    e = math.exp(5)
    exact = [(e + 89) / (e - 1) ** 2, 4 * e / (e - 1) ** 2, math.exp(2.5) / (math.exp(2.5) - 1) ** 2, 8 / 25]
    assert last("which") == near(*exact, abs=6e-5)
    assert last("which") == sorted(last("which")) and 3 * e + 2 > 91


def test_a_floor_invents_people():
    for epsilon, seen in lines("floor"):
        e = math.exp(epsilon)
        p, q = e / (e + 13), 1 / (e + 13)
        sd = math.sqrt(30718 * q * (1 - q)) / (p - q)
        z = 1 / sd
        expected = NORMAL.cdf(z) + sd * NORMAL.pdf(z)  # of max(normal, 1)
        assert seen == pytest.approx(expected, rel=0.03, abs=0.6)


# Accounts, streams and training today


def test_the_bell_promises_less_than_the_truth():
    for (q, steps, bell, least), sigma in zip(lines("bell"), (1.1, 0.7), strict=True):
        mu = q * math.sqrt(steps * math.expm1(1 / sigma**2))
        above, below = (
            NORMAL.cdf(mu / 2 - e / mu) - math.exp(e) * NORMAL.cdf(-mu / 2 - e / mu)
            for e in (bell - 0.006, bell + 0.006)
        )
        assert below < 1e-5 < above and bell < least
    assert last("bell")[0] == 5.19  # 5.192620 by dp-accounting, as in test_privacy_loss.py


def test_noise_drawn_anew_in_a_tree_costs_many_times_as_much():
    for days, anew in lines("fresh"):
        levels = round(math.log2(days + 1))
        # So many days have b boxes; independent normal noises of variance b h / (2 ρ), each seen with and without 1.
        assert anew == pytest.approx(sum(math.comb(levels, b) / (b * levels) for b in range(1, levels + 1)), abs=0.06)
    assert last("fresh")[-1] > 20


def test_a_weight_after_the_clipping_undoes_it():
    assert lines("weight") == [[rows, rows, 1] for rows in (2, 10, 40)]


# Anonymity


def test_cutting_is_not_rounding():
    assert lines("rounding") == [[36, 30, 40], [57, 50, 60], [-15, -10, -20], [-9, 0, -10], [9, 0, 10]]


def test_coarse_ages_and_levels_are_anonymous(census):
    before, after = last("fails")[:2]
    assert before == census.groupby(["Age", "Education-Num"]).size().min() == 1
    coarse = census[["Age", "Education-Num"]] // 10
    assert after == coarse.groupby(["Age", "Education-Num"]).size().min() == 21
    assert SAID["fails"].strip().endswith("False")


def test_checking_is_cheap():
    k, looks, counters = lines("slow")[0]
    assert k == 1 and looks == 32561 > 10 * counters
    assert last("slow")[1] == 32561**2


def test_missing_values_equal_nothing():
    assert last("query") == [0, 2]


def test_equal_secrets():
    assert numbers(SAID["homogeneity"]) == [4, 1]


# Code


def test_floats_are_finer_near_0():
    near_0, near_1 = [line[-1] for line in lines("float")]
    assert near_1 == 0 and near_0 > 10


def test_decimals_are_rounded_and_floats_jump():
    assert re.search(r"= 0\.9{28}$", SAID["decimal"].splitlines()[0])
    assert last("decimal")[1] == 2


def test_what_a_stopwatch_sees():
    assert lines("stopwatch")[0] == near(10 * math.sqrt(2e5), math.sqrt(200), abs=0.6)
    assert lines("stopwatch")[1] == [0]
    assert SAID["stopwatch"].strip().endswith("True")


def test_zip_does_not_complain():
    zipped, indexed = (ast.literal_eval(line.split(": ", 1)[1]) for line in SAID["zip"].splitlines())
    assert zipped == {"clerk": 2, "cook": 1}
    assert indexed == {"clerk": 1, "cook": 0, "nurse": 2}


def test_an_undecided_model_has_loss_ln_2():
    assert re.findall(r"loss ([\d.]+)", SAID["ln2"]) == ["0.693", "0.693"] == [f"{math.log(2):.3f}"] * 2


# The page


def test_every_item_is_told_mended_shown_and_tested():
    cells = read("errata").cells
    tests = Path(__file__).read_text(encoding="utf-8")
    items = [i for i, cell in enumerate(cells) if cell.source.startswith("### ")]
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
    "depends": "The maximum runs over all possible tables",
    "split": "those whose own number ends in 0 or 5",
    "gradient": "$2C$ under replace-one",
    "tuning": "Tuning on the real data is a release",
    "lipschitz": "losses with bounded slope (Lipschitz)",
    "short": "looked up advanced composition in its short form",
    "worse": "in the last line it nearly doubles it",
    "crossing": "Where does the optimal curve cross",
    "average": "comes as close to Ann",
    "knorm": "could pure differential privacy have done it?",
    "deltas": "total δ of her advanced curve",
    "vector": "A whole table is one vector",
    "meaning": '"ε-differential privacy with probability 1 − δ"',
    "classical": "the classical formula",
    "conversion": "The loose form, often printed",
    "order": "which order is best?",
    "threshold": "another one that is in circulation",
    "test": "Nor do test and release cost ε together",
    "mean": "Thinking of additions only gives $n-k+1$, which is too small",
    "smooth": r"\max_{k = 0, 1, \dots, n} e^{-\beta k} A(x, k)",
    "slices": "Put each row into one of $c$ chunks by a draw of its own",
    "chunks": "how many chunks?",
    "max": "mended(votes, rng)",
    "laplace": "Doubling the score doubles its sensitivity",
    "scores": "What does one person weigh, in your unit?",
    "long": "each further answer is another chance for large noise to pass",
    "failure": "Return an empty list if nothing passes",
    "naive": "first_small_gain",
    "sparse": "Here are four, for threshold 0",
    "order-of-rows": "the *labels* leak",
    "ranges": "Forty noises partly cancel",
    "swapped": "files {off:+.1%}",
    "missing": "a symbol for a missing answer",
    "counties": "a county's borders run through",
    "offset": "The offsets are 0 to $d-2$",
    "sign": r"2\bar y - \tfrac12",
    "coin": "At $t = 0$ everybody tells the truth",
    "guess": r"right more than $e^{\varepsilon}/(1+e^{\varepsilon})$",
    "yes": "a quarter of *all answers* are the coin's yeses",
    "five": "comes in about three such surveys of four",
    "theta": "Right at θ = 1",
    "best-theta": "Where is the best θ",
    "which": r"$d < 3e^{\varepsilon} + 2$",
    "floor": "Cutting lifts every empty answer",
    "bell": "the central limit theorem suggests",
    "fresh": "Draw the noise of all boxes first",
    "weight": "Any weight belongs *before* the clipping",
    "rounding": "That is not rounding to the nearest ten",
    "fails": "How many are the only one with theirs",
    "slow": "comparing each row of the census with every row",
    "query": "A missing value counts as a value of its own",
    "homogeneity": "**homogeneity attack**",
    "float": "Is this the Laplace mechanism?",
    "decimal": "`Decimal` numbers don't cure it",
    "stopwatch": "what does a draw cost?",
    "zip": "count over the whole list of answers",
    "ln2": r"every loss $\ln 2$",
}
"""A phrase of the page that teaches what the item says, so that an item doesn't send its reader to an empty place."""


def test_what_is_taught_stands_where_the_item_says():
    cells = read("errata").cells
    chapters = {int(path.stem[:2]): path.stem for path in BOOK.glob("[0-9][0-9]-*.ipynb")}
    asked = {}
    for told, shown in itertools.pairwise(cells):
        if told.source.startswith("### "):
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
