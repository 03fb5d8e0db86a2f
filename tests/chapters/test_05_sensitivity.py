"""What chapter 5 says, derived again; its short mechanisms against the package."""

import itertools

import numpy as np
import pandas as pd
import pytest
from chapters.chance import another, proven, streams
from chapters.chapter_notebook import read
from scipy import integrate, stats

import dp_helpers as dp
from slider_figures.words import Words, evaluate, parsed

CHAPTER = "05-sensitivity"
FAILURE = 1e-6


def error(values, bound, epsilon):
    return np.maximum(values - bound, 0).sum() + bound / epsilon


def best_in_hindsight(values, epsilon):
    return min(np.sort(values)[-400:], key=lambda bound: error(values, bound, epsilon))


@pytest.fixture
def with_town(page):
    """The page's functions beside the names that its cells have set before."""
    incomes = np.round(30_000 * np.exp(stats.norm.ppf((np.arange(10_000) + 0.5) / 10_000)))
    page.update(incomes=incomes, total=incomes.sum())
    page.update(rng=np.random.default_rng(501))
    return page


# Sensitivity


def tables(values, largest):
    return [t for n in range(largest + 1) for t in itertools.combinations_with_replacement(values, n)]


def brute_force(query, values, largest=4, *, replace=False):
    """Return the largest change of ``query`` over all small tables and their neighbours."""
    steps = [0]
    for table in tables(values, largest):
        for i, new in itertools.product(range(len(table)), values):
            if replace:
                steps.append(abs(query(table) - query((*table[:i], new, *table[i + 1 :]))))
            else:
                steps.append(abs(query(table) - query(table[:i] + table[i + 1 :])))
    return max(steps)


@pytest.mark.parametrize(("low", "high"), [(20, 80), (0, 100), (-5, 5), (-30, 45)])
def test_sensitivities_of_counts_and_sums(page, low, high):
    values = [low, (low + high) // 2, high]
    added, replaced = page["largest_steps"](range(low, high + 1))
    assert added == brute_force(sum, values) == max(abs(low), abs(high))
    assert replaced == brute_force(sum, values, replace=True) == high - low
    assert (added == replaced) == (low == 0 or high == 0)
    for replace in (False, True):
        assert brute_force(lambda t: sum(v > low for v in t), values, replace=replace) == 1


def test_a_sum_with_the_noise_of_a_count_is_caught(page, census):
    ages = census.loc[census["Education-Num"] > 10, "Age"].head(100)
    rng = np.random.default_rng(510)
    found = dp.audit(page["careless_sum"], ages, ages.iloc[1:], trials=8_000, rng=rng).epsilon_lower_bound
    cap = dp.audit(lambda data, rng: len(data), ages, ages.iloc[1:], trials=8_000, rng=rng).epsilon_lower_bound
    assert 0.85 * cap < found <= cap  # as good as a perfect leak
    assert ages.iloc[0] > 30  # "several decades"


def test_the_width_is_caught_under_add_remove(page):
    small = np.append(np.full(50, 40), 80)
    rng = np.random.default_rng(511)

    def proven(sensitivity):
        release = page["sum_with"](sensitivity)
        return dp.audit(release, small, small[:-1], trials=20_000, confidence=1 - FAILURE, rng=rng).epsilon_lower_bound

    assert 1 < proven(60) <= 80 / 60
    assert proven(80) <= 1
    y = np.linspace(-2_000, 2_000, 4_001)
    loss = stats.laplace(80, 60).logpdf(y) - stats.laplace(0, 60).logpdf(y)
    assert abs(loss).max() == pytest.approx(80 / 60)


# Sums and means


def test_bounds_on_age_are_true_and_cost_a_fraction_of_a_percent(census):
    schooled = census[census["Education-Num"] > 10]
    assert census["Age"].min() > 0 and census["Age"].max() < 125
    assert 10_000 < len(schooled) < 11_000
    assert 125 / schooled["Age"].sum() < 0.001
    assert 0.25 < 125 / (10 * schooled["Age"].mean()) < 0.4  # "about a third", in a sum over ten people


def test_the_pages_mean_is_the_packages(page):
    values = np.random.default_rng(520).normal(40, 30, size=60)
    rng = np.random.default_rng(523)
    ours = [page["noisy_mean"](values, 0, 125, 0.3, rng) for _ in range(4_000)]
    helpers = [dp.private_mean(values, lower=0, upper=125, epsilon=0.3, rng=rng) for _ in range(4_000)]
    assert stats.ks_2samp(ours, helpers).pvalue > FAILURE


def laplace_pair(a, b):
    """Return E|X + Y| for Laplace noise of scales a and b."""
    return (a * a + a * b + b * b) / (a + b)


def test_centring_helps_and_a_public_n_a_little_more(with_town, census):
    group = census.loc[census["Education-Num"] > 10, "Age"].head(100)
    middle = abs(group.mean() - 62.5)
    # Numerator minus mean times denominator, over n: the error to first order in 1/n.
    plain = laplace_pair(250, 2 * group.mean()) / 100
    centred = laplace_pair(125, 2 * middle) / 100
    public = 125 / 100
    assert public < centred < 0.75 * plain
    assert centred - public > 5 * 1.4 * np.sqrt(2 / 10_000)  # the page's means of 10,000, each with a deviation of 1.4
    rng = np.random.default_rng(521)
    releases = {
        plain: lambda: with_town["plain_mean"](group, 1),
        centred: lambda: with_town["noisy_mean"](group, 0, 125, 1, rng),
    }
    for expected, release in releases.items():
        runs = [abs(release() - group.mean()) for _ in range(4_000)]
        assert np.mean(runs) == pytest.approx(expected, rel=0.15)


def test_means_of_five_run_wild(with_town, census):
    five = census.loc[census["Education-Num"] > 10, "Age"].nsmallest(5)
    plain = np.array([with_town["plain_mean"](five, 1) for _ in range(2_000)])
    assert 0.2 < ((plain < 0) | (plain > 125)).mean() < 0.6
    rng = np.random.default_rng(522)
    careful = np.array([with_town["noisy_mean"](five, 0, 125, 1, rng) for _ in range(8_000)])
    assert careful.min() == 0 and careful.max() == 125
    assert np.mean(careful) - five.mean() > 2 + 5 * np.std(careful) / np.sqrt(len(careful))  # years off


# Clipping


def test_clipped_sum_rises_straight_and_then_bends(census):
    ages = census.loc[census["Education-Num"] > 10, "Age"]
    sums = {u: dp.clip(ages, 0, u).sum() for u in range(1, 126)}
    for u in range(1, int(ages.min()) + 1):
        assert sums[u] == len(ages) * u
    steps = np.diff([sums[u] for u in range(1, 126)])
    assert (np.diff(steps) <= 0).all()
    assert sums[20] < 0.6 * ages.sum() and sums[70] < ages.sum() and sums[80] > 0.999 * ages.sum()


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1])
def test_one_over_epsilon_people_are_above_the_best_bound(with_town, epsilon):
    values = with_town["incomes"]
    best = best_in_hindsight(values, epsilon)
    assert (values > best).sum() <= 1 / epsilon <= (values >= best).sum()
    lowest = min(error(values, bound, epsilon) for bound in np.geomspace(1_000, 1e7, 1_000))
    assert error(values, best, epsilon) <= lowest * (1 + 1e-12)


def test_ties_may_keep_the_best_bound_at_the_maximum(census):
    gains = census["Capital Gain"]
    assert (gains == 99_999).sum() > 100 and gains.max() == 99_999
    assert best_in_hindsight(gains.to_numpy(), 0.1) == 99_999
    assert error(gains, 99_998, 0.1) > error(gains, 99_999, 0.1)


def test_all_of_the_data_is_not_the_best_bound(with_town):
    values = with_town["incomes"]
    lost = [error(values, values.max(), e) / error(values, best_in_hindsight(values, e), e) for e in (1, 0.1, 0.01)]
    assert lost[0] < 1.2 < 2 < lost[2] and lost == sorted(lost)


def test_what_is_said_of_the_slider_holds(with_town):
    values, sides = with_town["incomes"], {}
    assert 6 < error(values, 1e7, 0.1) / error(values, best_in_hindsight(values, 0.1), 0.1) < 18
    assert values.max() <= 1e7
    for epsilon in (1, 0.01):
        best = best_in_hindsight(values, epsilon)
        sides[epsilon] = [error(values, bound, epsilon) / values.sum() for bound in (best / 10, best * 10)]
    assert sides[1][0] > 2.5 * sides[1][1]
    assert min(sides[0.01]) > 0.45 and max(sides[0.01]) / min(sides[0.01]) < 1.5


def test_the_bound_that_is_best_for_the_expected_error(with_town):
    """With bias B and noise b the mean error is B + b e^(-B/b); its best bound leaves more people above it."""
    off = integrate.quad(lambda t: abs(t - 3) * stats.laplace.pdf(t), -60, 60, points=[0, 3])[0]
    assert off == pytest.approx(3 + np.exp(-3))

    def best_for_the_expected_error(values, epsilon):
        def expected(bound):
            bias, scale = np.maximum(values - bound, 0).sum(), bound / epsilon
            return bias + scale * np.exp(-bias / scale)

        return min(np.geomspace(3e4, 2e8, 1_200), key=expected)

    quantiles = stats.norm.ppf((np.arange(10_000) + 0.5) / 10_000)
    for epsilon in (0.01, 0.05, 0.1, 0.3, 1):
        town, alike, apart = (
            (values > best_for_the_expected_error(values, epsilon)).sum() * epsilon
            for values in (with_town["incomes"], 30_000 * np.exp(quantiles / 2), 30_000 * np.exp(2 * quantiles))
        )
        assert 1.45 <= town <= 2.15 and alike > town > apart
        best = best_for_the_expected_error(with_town["incomes"], epsilon)
        assert best <= best_in_hindsight(with_town["incomes"], epsilon) * 1.01, "a little lower"


def test_slider_says_what_is_seen(with_town, monkeypatch):
    asked = {}
    monkeypatch.setattr(dp, "explore", lambda figure, **arguments: asked.update(arguments))
    for cell in read(CHAPTER).cells:
        if cell.source.startswith("sweet_spot_words") or "    sweet_spot,\n" in cell.source:
            exec(cell.source, with_town)
    words = Words(asked["words"], {name: asked[name] for name in ("bound", "epsilon")})
    tree = parsed("alt", asked["alt"], words.known, template=True)

    def sentence(bound, epsilon):
        return evaluate(tree, words.at({"bound": bound, "epsilon": epsilon}))

    incomes, total = with_town["incomes"], with_town["total"]
    best = {epsilon: best_in_hindsight(incomes, epsilon) for epsilon in [0.01, 0.03, 0.1, 0.3, 1]}
    for thousands, epsilon in itertools.product([10, 30, 100, 300, 600, 1000, 1500, 3000, 10_000], best):
        bound = 1000 * thousands
        said = sentence(thousands, epsilon)
        bias = 100 * np.maximum(incomes - bound, 0).sum() / total
        assert f"at {bias + 100 * bound / epsilon / total:.3g}%, {bias:.3g} points" in said
        side = "left" if bound < best[epsilon] else "right"
        if epsilon < 0.02 and bound < 100_000:
            side = "left"  # the best bound lies among the largest incomes
        assert f"lies {side} of its floor" in said


# Bounds from the data


def test_a_maximum_from_the_data_is_caught(page, with_town):
    incomes = with_town["incomes"]
    modest = incomes[incomes < 100_000][:100]
    rich = np.append(modest, 1_000_000)
    rng = np.random.default_rng(551)
    found = dp.audit(page["self_scaled_sum"], rich, modest, trials=4_000, confidence=1 - FAILURE, rng=rng)
    assert found.epsilon_lower_bound > 3
    # In the tails the log-ratio of the two densities grows without a limit, at the rate 1/b - 1/b'.
    near, far = (stats.laplace(0, 1e6).logpdf(y) - stats.laplace(0, 1e5).logpdf(y) for y in (1e7, 2e7))
    assert far - near == pytest.approx(1e7 * (1e-5 - 1e-6))

    def fixed(values, rng):
        return dp.private_sum(values, lower=0, upper=1_000_000, epsilon=1, rng=rng)

    honest = dp.audit(fixed, rich, modest, trials=4_000, confidence=1 - FAILURE, rng=rng)
    assert honest.epsilon_lower_bound <= 1


POWERS = 1_000 * 2 ** np.arange(1, 15)


def test_bound_from_counts(page):
    bound_from_counts, rng = page["bound_from_counts"], np.random.default_rng(560)
    # All values in the lowest piece: a higher bound needs noise beyond the threshold in one of 14 empty pieces.
    low = np.full(500, 1_500)
    wrong = sum(bound_from_counts(low, POWERS, 0.2, rng) > POWERS[0] for _ in range(4_000))
    assert wrong <= stats.binom.ppf(1 - FAILURE, 4_000, 0.01)
    assert stats.laplace.sf(np.log(50 * 15)) * 15 == pytest.approx(0.01)
    # A bound belongs to the piece that ends in it; what is above all candidates gets the last one.
    assert bound_from_counts(np.full(5_000, POWERS[3]), POWERS, 1, rng) == POWERS[3]
    assert bound_from_counts(np.full(5_000, POWERS[3] + 1), POWERS, 1, rng) == POWERS[4]
    assert bound_from_counts(np.full(5_000, 10 * POWERS[-1]), POWERS, 1, rng) == POWERS[-1]
    assert bound_from_counts(np.array([]), POWERS, 1, rng) in POWERS


def test_bound_from_counts_keeps_its_epsilon_and_a_twin_without_noise_does_not(page):
    table = np.full(8, 1_000_000.0)
    rng = np.random.default_rng(561)

    def bought(values, rng):
        return float(page["bound_from_counts"](values, POWERS, 1.0, rng))

    def exact(values, rng):
        return float(POWERS[np.searchsorted(POWERS, values).max()])

    outlier = np.append(table, 3_000_000.0)
    for neighbour in (table[:-1], outlier):
        found = dp.audit(bought, table, neighbour, trials=2_000, confidence=1 - FAILURE, rng=rng)
        assert found.epsilon_lower_bound <= 1
    caught = dp.audit(exact, table, outlier, trials=2_000, confidence=1 - FAILURE, rng=rng)
    assert caught.epsilon_lower_bound > 1


def test_a_bought_bound_beats_a_careful_guess_and_not_a_good_one(with_town):
    """By bias plus typical noise, for any hundred purchases."""
    values, error_at, errors = with_town["incomes"], with_town["error_at"], []
    for rng in streams(5, 20):
        bounds = [with_town["bound_from_counts"](values, POWERS, 0.2, rng) for _ in range(100)]
        assert bounds.count(512_000) > 75 and 15 < (values > 512_000).sum() < 25  # "twenty or so are rarely seen"
        errors.append(np.mean([error_at(bound, 0.8) for bound in bounds]))
    low, high = another(errors)
    assert error_at(best_in_hindsight(values, 1), 1) < error_at(2_000_000, 1) < low < high < error_at(1e7, 1)


@pytest.mark.parametrize(
    ("likely", "rare", "trials", "least"),
    [
        (stats.laplace.sf(-15), stats.laplace.sf(15), 20_000, 6),  # the noise of a count, a step of decades
        (1 / 2, np.exp(-80 / 60) / 2, 20_000, 1),  # the width for a sensitivity: answers above the sum
        (1 - np.exp(-0.2) / 2, np.exp(-11) / 2, 20_000, 5),  # the maximum: 800,000 above the others' sum
        (stats.laplace.sf(-6.5), stats.laplace.sf(6.5), 1_000, 2),  # 49 pairs against 36
    ],
)
def test_what_the_pages_audits_prove_with_any_seed(likely, rare, trials, least):
    assert proven(likely, rare, trials) > least


# Underestimates


def test_pairs_in_a_home(page, census):
    sizes = census["Zip"].value_counts()
    assert sizes.max() == 7
    home = census.loc[census["Zip"] == sizes.idxmax(), ["Zip"]]
    others = home.iloc[1:]
    assert [len(people.merge(people)) for people in (home, others)] == [49, 36]
    assert all((k + 1) ** 2 - k**2 == 2 * k + 1 for k in range(20))
    rng = np.random.default_rng(580)
    found = dp.audit(page["pairs_at_home"], home, others, trials=300, rng=rng).epsilon_lower_bound
    assert found > 2


def test_both_ways_out_of_the_join_have_the_sensitivity_that_the_page_gives_them():
    """At most seven rows of each Zip before the join: 13; the number of Zips with at least two people: 1."""

    def steps(query, most):
        people = [pd.DataFrame({"Zip": [1] * k + [2] * other}) for k in range(most) for other in (0, 1, 3)]
        return [abs(query(p) - query(pd.concat([p, pd.DataFrame({"Zip": [1]})]))) for p in people]

    def pairs(people):
        few = people.groupby("Zip").head(7)
        return len(few.merge(few, on="Zip"))

    assert max(steps(pairs, 12)) == 13
    assert max(steps(lambda people: (people["Zip"].value_counts() >= 2).sum(), 12)) == 1
    assert max(steps(lambda people: len(people.merge(people, on="Zip")), 12)) > 13  # without a limit
