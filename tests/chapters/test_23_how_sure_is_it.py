"""What chapter 23 says: reaches by theory and by simulation, what no interval sees, and whom the stored models find."""

import math

import numpy as np
import pytest
from chapters.chance import FAILURE, another, streams
from chapters.chapter_notebook import page_functions
from scipy import integrate, stats
from thorough import sample

import dp_helpers as dp
from tools import make_group_runs as maker

TWENTY = math.log(20)


@pytest.fixture(scope="module")
def functions():
    return page_functions("23-how-sure-is-it")


@pytest.fixture(scope="module")
def page(functions, census):
    gains = census["Capital Gain"].to_numpy()
    return functions | {"gains": gains, "true_sum": gains.sum()}


def holds(hits, runs, chance):
    """Tell whether so many hits of so many runs are possible, but for a failure, where each has this chance."""
    return stats.binom(runs, chance).ppf(FAILURE / 2) <= hits <= stats.binom(runs, chance).isf(FAILURE / 2)


# ---------------------------------------------------------------- what the bracket holds


@pytest.mark.parametrize(("bound", "share"), [(2_000, 0.0), (10_000, 0.0), (50_000, 0.0), (99_999, 0.95)])
def test_the_interval_holds_the_clipped_sum_and_the_true_one_only_when_nobody_is_cut(page, bound, share):
    rng, runs = np.random.default_rng(231), 4_000
    kept = np.minimum(page["gains"], bound).sum()
    published = kept + rng.laplace(0, bound, size=runs)
    assert holds((abs(published - kept) <= bound * TWENTY).sum(), runs, 0.95)
    assert holds((abs(published - page["true_sum"]) <= bound * TWENTY).sum(), runs, share)
    assert page["within"](page["true_sum"] - kept, bound, bound * TWENTY) == pytest.approx(share, abs=1e-9)


def test_how_often_noise_is_within_reach_of_a_distance(page):
    rng = np.random.default_rng(232)
    for distance, scale, reach in [(0, 1, 3), (2, 1, 3), (5, 2, 1), (-4, 3, 9)]:
        hits = (abs(rng.laplace(0, scale, 100_000) - distance) <= reach).sum()
        assert holds(hits, 100_000, page["within"](distance, scale, reach))


def test_at_a_small_epsilon_the_bracket_holds_the_true_sum_often_although_most_of_it_is_cut(page):
    kept = np.minimum(page["gains"], 50_000).sum()
    assert page["within"](page["true_sum"] - kept, 50_000 / 0.01, 50_000 / 0.01 * TWENTY) > 0.8
    assert page["true_sum"] - kept > 0.2 * page["true_sum"]


# ---------------------------------------------------------------- reaches


def test_the_theorem_is_the_packages_accuracy(page):
    for scale in (0.3, 1, 10):
        assert page["laplace_reach"](scale) == pytest.approx(dp.laplace_accuracy(scale=scale, confidence=0.95))
        assert dp.gaussian_accuracy(sigma=scale, confidence=0.95) == pytest.approx(1.96 * scale, rel=1e-4)


def test_reaches_of_the_predict_and_of_question_1():
    assert [round(100 * (1 - math.exp(-times))) for times in (1, 2, 3)] == [63, 86, 95]
    assert 200 * math.log(100) == pytest.approx(921, abs=1)
    assert round(10 * TWENTY) == 30
    assert TWENTY / math.sqrt(2) == pytest.approx(2.12, abs=0.005)  # deviations of Laplace noise, and normal: 1.96
    assert 41 < 3_612 - 3_560 < 60  # what the law of the difference can tell, and the sum of the reaches can't


def tail(t, b=10):
    return (1 + t / (2 * b)) * math.exp(-t / b)


def test_a_difference_reaches_four_scales_and_not_six():
    rng, runs = np.random.default_rng(233), 1_000_000
    off = abs(rng.laplace(0, 10, runs) - rng.laplace(0, 10, runs))
    for t in (10, 30, 41, 60):
        assert holds((off > t).sum(), runs, tail(t))
    assert tail(41) > 0.05 > tail(42) and tail(60) < 0.01
    assert tail(35) == pytest.approx(1 / 12, abs=0.001) and tail(52) == pytest.approx(2 / 100, abs=0.001)


def test_two_answers_to_one_question_leave_two_thirds_of_the_variance():
    variances = [w * w + 2 * (1 - w) ** 2 for w in np.linspace(0, 1, 301)]
    assert min(variances) == pytest.approx(2 / 3, abs=1e-5) and np.argmin(variances) == 200


def test_noise_and_draw_of_people_add_up_and_cross():
    rng, n, p, epsilon, runs = np.random.default_rng(234), 1_000, 0.25, 0.1, 100_000
    published = (rng.binomial(n, p, runs) + rng.laplace(0, 1 / epsilon, runs)) / n
    assert published.var() == pytest.approx(p * (1 - p) / n + 2 / (epsilon * n) ** 2, rel=0.03)
    crossing = 2 / (epsilon**2 * p * (1 - p))
    assert p * (1 - p) / crossing == pytest.approx(2 / (epsilon * crossing) ** 2)
    assert [round(2 / (e**2 * p * (1 - p)), -1) for e in (1, 0.1, 0.03)] == pytest.approx([10, 1_070, 11_850], abs=5)
    asked, at = (400, 1_600), 0.05  # question 4
    draw, noise = ([100 * math.sqrt(0.25 / n) for n in asked], [100 * math.sqrt(2) / (at * n) for n in asked])
    assert draw[0] / draw[1] == pytest.approx(2) and noise[0] / noise[1] == pytest.approx(4)
    assert noise[0] == pytest.approx(7.1, abs=0.05)


# ---------------------------------------------------------------- what is simulated


# ---------------------------------------------------------------- every interval that the page recommends, at its edges
# Over 2,000 draws: whether it held what it is for.  Each has to hold it in 95 of 100 (a simulated one, and the one
# that approximates a law, in 94); a right one fails here with a chance of 1e-6.

B, THRESHOLD = 10, 50


RUNS = 2_000


def bracket(page, rng, true):
    return abs(true + rng.laplace(0, B, RUNS) - true) <= page["laplace_reach"](B)


def bracket_cut_at_0(page, rng, true):
    return abs(np.maximum(true + rng.laplace(0, B, RUNS), 0) - true) <= page["laplace_reach"](B)


def bracket_rounded_to_tens(page, rng, true):
    b = 0.5  # noise far below the step
    return abs(np.round(true + rng.laplace(0, b, RUNS), -1) - true) <= page["laplace_reach"](b) + 5


def behind_the_threshold(page, rng, true):
    """A printed count: its noise given that it is printed, by the law's own quantiles."""
    least = stats.laplace.sf(THRESHOLD - true, scale=B)
    count = true + stats.laplace.isf(rng.random(RUNS) * least, scale=B)
    reach = page["laplace_reach"](B)
    return (np.where(count >= THRESHOLD + reach, count - reach, 0) <= true) & (true <= count + reach)


def share_of_all(page, rng, n, p, epsilon):
    published = (rng.binomial(n, p, RUNS) + rng.laplace(0, 1 / epsilon, RUNS)) / n
    return abs(published - p) <= [page["share_reach"](share, n, epsilon) for share in published.tolist()]


def mean_of_hours(page, rng, people, hours):
    released = [page["release"](people * hours, people, rng) for _ in range(RUNS)]
    low, high = np.transpose([page["mean_interval"](*both, rng) for both in released])
    return (low <= hours) & (hours <= high)


SMALL_SURVEYS = [
    (n, p, epsilon)
    for n in (10, 30, 100, 1_000, 10_000)
    for p in (0, 0.001, 0.02, 0.25, 0.5)
    for epsilon in (0.03, 0.1, 1, 10)
]
HOURS = [(1, 33), (5, 0), (5, 100), (20, 33), (149, 33)]
RECOMMENDED = [
    *((bracket, (true,), 0.95) for true in (0, 9, 3_612)),
    *((bracket_cut_at_0, (true,), 0.95) for true in (0, 1, 5, 9, 20, 30)),
    *((bracket_rounded_to_tens, (true,), 0.95) for true in (0, 4, 5, 1_234)),
    *((behind_the_threshold, (true,), 0.95) for true in (0, 1, 20, 30, 40, 49, 50, 51, 60, 79, 80, 81, 100, 3_612)),
    *((share_of_all, survey, 0.945) for survey in SMALL_SURVEYS),
    *((mean_of_hours, (people, hours), 0.94) for people, hours in sample(HOURS, every=3)),
]


@pytest.mark.parametrize(("interval", "edge", "least"), RECOMMENDED, ids=lambda x: getattr(x, "__name__", str(x)))
def test_what_the_page_recommends_holds_at_its_edges(functions, interval, edge, least):
    (rng,) = streams(23, 1)
    held = interval(functions, rng, *edge)
    assert held.shape == (RUNS,)
    assert held.sum() >= stats.binom(RUNS, least).ppf(FAILURE)


def test_what_the_page_warns_of_does_not_hold():
    """The intervals that the page gives up, and how seldom they hold."""
    rng, runs = np.random.default_rng(237), 200_000

    def held(n, p, epsilon):  # 1.96, and the published share everywhere
        share = (rng.binomial(n, p, runs) + rng.laplace(0, 1 / epsilon, runs)) / n
        variance = share * (1 - share) / n + 2 / (epsilon * n) ** 2
        return np.mean((share - p) ** 2 <= 1.96**2 * variance)

    assert [held(30, 0.25, 0.1), held(100, 0.02, 10)] == pytest.approx([0.93, 0.87], abs=0.01)
    played = []
    for rng in streams(23, 1_000):
        noise = rng.laplace(0, B, 1_001)
        published = max(5 + noise[0], 0)
        low, high = np.quantile(np.maximum(published + noise[1:], 0) - published, [0.025, 0.975])
        played.append(published - high <= 5 <= published - low)
    assert 0.4 < np.mean(played) < 0.75


def test_a_printed_cell_looks_the_same_whatever_is_behind_it():
    """Above a threshold the tail of Laplace noise forgets where it began: the page's table, by its law."""
    for true, held in [(40, 86), (30, 63), (20, 0)]:
        least = stats.laplace.sf(THRESHOLD - true, scale=B)
        within = max(least - stats.laplace.sf(B * TWENTY, scale=B), 0)
        assert abs(100 * within / least - held) < 1
        mean, _ = integrate.quad(lambda x, true=true: x * stats.laplace.pdf(x - true, scale=B), THRESHOLD, 500)
        assert mean / least == pytest.approx(THRESHOLD + B)
    assert stats.laplace.sf(50 - 100, scale=B) > 0.995  # "100"


def test_the_simulation_knows_nothing_of_what_was_clipped(page, census):
    """Two towns that differ above the bound alone are one town for whoever has what was published."""
    hours = census["Hours per week"].head(300).to_numpy()
    longer = np.where(hours > 40, 99, hours)
    one, other = (
        page["mean_interval"](np.minimum(town, 40).sum(), 300, np.random.default_rng(5)) for town in (hours, longer)
    )
    assert one == other and longer.mean() > hours.mean() + 2


# ---------------------------------------------------------------- who pays


def test_the_same_reach_is_another_share_of_each_occupation(census):
    share = 100 * TWENTY / 0.1 / census["Occupation"].value_counts()
    assert (share < 5).sum() == 12 and round(share["Priv-house-serv"]) == 20 and share["Armed-Forces"] > 300


def test_a_threshold_takes_few_people_and_many_countries(census):
    countries = census["Country"].value_counts()
    draws = [countries[countries + rng.laplace(0, 10, len(countries)) < 50] for rng in streams(23)]
    low, high = another([len(gone) for gone in draws])
    assert low > 10 and high < 30
    shares = [gone.sum() / countries.sum() for gone in draws]
    foreign = [gone.sum() / countries.drop("United-States").sum() for gone in draws]
    assert another(shares)[1] < 0.03 and np.mean(foreign) > 0.1


@pytest.fixture(scope="module")
def found():
    runs = dp.load_runs("group_runs")
    runs = runs.assign(way=runs["training"].where(runs["epsilon"] == np.inf, runs["epsilon"].astype(str)))
    return 100 * runs.pivot_table(index=["group", "draw"], columns="way", values="found")


def least_and_most(change):
    """Return the range of a mean over draws, by Student's t."""
    reach = stats.t.isf(1e-4, len(change) - 1) * change.std() / math.sqrt(len(change))
    return change.mean() - reach, change.mean() + reach


def test_stopping_and_clipping_cost_the_few_and_noise_does_not(found):
    black, white = found.loc["Black"], found.loc["White"]
    stopping, clipping = black["60 steps"] - black["600 steps"], black["clipped"] - black["60 steps"]
    assert least_and_most(stopping)[1] < -5 and least_and_most(clipping)[1] < -1
    assert stopping.mean() < clipping.mean()  # "fewer steps cost most"
    assert abs((black["5.0"] - black["clipped"]).mean()) < 2  # a larger ε finds "hardly anybody more"
    assert abs((black["1.0"] - black["clipped"]).mean()) < 2 and abs((white["1.0"] - white["clipped"]).mean()) < 2
    assert black["clipped"].mean() / black["600 steps"].mean() < white["clipped"].mean() / white["600 steps"].mean()


def test_at_small_epsilon_the_noise_makes_a_lottery(found):
    for group in ("Black", "White"):
        shares = found.loc[group]
        assert shares["0.03"].std() > 4 * shares["clipped"].std()
        assert shares["0.03"].min() < 10 and shares["0.03"].max() > 60


def test_the_few_above_50K_have_the_longer_gradients(census):
    X, y, *_ = maker.split(census)
    race = census["Race"][~census["SSN"].str[-1].isin(["0", "5"])].to_numpy()
    longer = []
    for rng in streams(23, 8):
        some = rng.choice(len(y), maker.PEOPLE, replace=False)
        theta = dp.gradient_descent(X[some], y[some], iterations=maker.SHORT, rate=maker.RATE)
        lengths = np.linalg.norm(dp.logistic_gradients(theta, X[some], y[some]), axis=1)
        black, white = (lengths[(race[some] == group) & (y[some] > 0)] for group in ("Black", "White"))
        assert len(black) < len(white) / 10
        longer.append([black.mean() - white.mean(), (black > 1).mean() - (white > 1).mean()])
    assert (np.mean(longer, axis=0) > [0.2, 0.1]).all()


def test_the_stored_models_are_made_by_the_tool():
    runs = dp.load_runs("group_runs")
    assert sorted(runs["draw"].unique()) == list(range(maker.DRAWS)) and set(runs["group"]) == set(maker.GROUPS)
    assert runs.groupby("group")["people"].unique().to_dict() == {"Black": [82], "White": [1421]}
    X, y, X_test, y_test = maker.split(dp.load_census())
    rng = np.random.default_rng(np.random.SeedSequence(23, spawn_key=(0,)))
    some = rng.choice(len(y), maker.PEOPLE, replace=False)
    stored = runs[(runs["draw"] == 0) & (runs["training"] == "clipped")]["accuracy"].iloc[0]
    assert dp.accuracy(maker.clipped_descent(X[some], y[some]), X_test, y_test) == pytest.approx(
        stored, abs=0.01
    )  # another NumPy may draw others


# ---------------------------------------------------------------- find the bug


def test_cells_cut_at_0_bend_their_sum_out_of_its_interval(census):
    cells = census.groupby(["Country", "Education", "Occupation"]).size()
    size, b = 41 * 16 * 14, 1
    true = np.append(cells, np.zeros(size - len(cells)))
    reach = 1.96 * math.sqrt(size * 2 * b * b)
    bent, straight = [], []
    for rng in streams(23):
        noisy = true + rng.laplace(0, b, size)
        bent.append(np.maximum(noisy, 0).sum() - true.sum())
        straight.append(noisy.sum() - true.sum())
    assert another(bent)[0] > reach  # in every draw, the interval misses
    assert holds((abs(np.array(straight)) <= reach).sum(), len(straight), 0.95)
    assert (true == 0).sum() > 5_000  # "thousands"
    # The cure, and what is none: of a push of b/2 a simulation from the printed cells takes back 3/8 b.
    noisy = true + np.random.default_rng(238).laplace(0, b, size)
    cut = np.maximum(noisy, 0)
    again = (np.maximum(cut + np.random.default_rng(239).laplace(0, b, (200, size)), 0) - cut).sum(axis=1)
    pushed, left = cut.sum() - true.sum(), cut.sum() - again.mean() - true.sum()
    assert 0.65 < 1 - left / pushed < 0.8 and left > 2 * reach
    empty = np.maximum(np.random.default_rng(240).laplace(0, b, 200_000), 0)
    assert empty.mean() == pytest.approx(b / 2, rel=0.03) and empty.var() == pytest.approx(0.75 * b * b, rel=0.05)


def test_around_one_cell_the_cut_does_no_harm():
    rng, b, runs = np.random.default_rng(235), 10, 100_000
    for count in (0, 5, 40):
        noisy = count + rng.laplace(0, b, runs)
        held, cut = (abs(x - count) <= b * TWENTY for x in (noisy, np.maximum(noisy, 0)))
        assert (cut >= held).all()


# ---------------------------------------------------------------- labs


def test_lab_4s_interval_misses_by_each_of_its_two_lines():
    rng, runs = np.random.default_rng(236), 4_000
    incomes = rng.lognormal(10, 0.8, 5_000)
    kept = np.clip(incomes, 0, 20_000)
    total, people = kept.sum() + rng.laplace(0, 40_000, runs), 5_000 + rng.laplace(0, 2, runs)
    reach = TWENTY * 40_000 / people
    assert (abs(total / people - incomes.mean()) <= reach).mean() < 0.01
    assert stats.binom(runs, 0.95).cdf((abs(total / people - kept.mean()) <= reach).sum()) < 1e-3
    assert (abs(total / 5_000 - kept.mean()) <= reach).mean() > 0.93  # with the exact count it would do
