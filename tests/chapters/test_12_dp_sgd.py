"""What chapter 12 says, derived again; its short mechanisms against the package; its runs and its labs."""

import math

import numpy as np
import pytest
from chapters.chance import another, proven, streams
from chapters.chapter_notebook import read
from scipy import integrate, stats
from sklearn.linear_model import LogisticRegression

import dp_helpers as dp
from tools import make_training_runs as maker

CHAPTER = "12-dp-sgd"
OWN = np.random.default_rng(1214)  # a generator that goes on, instead of the one that an answer is given
FAILURE = 1e-6
DELTA = 1e-6


@pytest.fixture(scope="module")
def people(census):
    """Return X and y of the training set, then of the people held out."""
    return maker.split(census)


@pytest.fixture(scope="module")
def runs():
    return dp.load_runs("training_runs").to_dict("records")


def average(runs, **setting):
    """Return the average accuracies, in percent, of the stored runs with this setting, in the order of the file."""
    return [
        100 * float(r["accuracy"])
        for r in runs
        if all(r[k] == v if isinstance(v, str) else float(r[k]) == v for k, v in setting.items())
    ]


# ---------------------------------------------------------------- the attack and the data


def test_an_overfit_model_gives_its_members_away(census):
    rng = np.random.default_rng(1201)
    features, labels = dp.census_features(census)
    for _ in range(4):
        some, member = rng.choice(len(labels), 100, replace=False), rng.random(100) < 0.5
        X, y = features[some], labels[some]
        theta = dp.gradient_descent(X[member], y[member], iterations=3000, rate=2)
        losses = dp.logistic_loss(theta, X, y)
        assert dp.accuracy(theta, X[member], y[member]) > 0.9
        assert dp.accuracy(theta, X[~member], y[~member]) < 0.95
        assert losses[~member].mean() > 4 * losses[member].mean()
        assert dp.membership_advantage(losses[member], losses[~member]) > 0.1


def test_the_marks_to_reach(people):
    X, y, X_test, y_test = people
    assert (len(y), len(y_test)) == (26_053, 6_508)
    assert 0.75 < (y_test < 0).mean() < 0.77
    score = LogisticRegression(fit_intercept=False, max_iter=1000).fit(X, y).score(X_test, y_test)
    assert 0.837 < score < 0.855  # "84% to 85%"
    ten, hundred = (dp.gradient_descent(X, y, iterations=k, rate=r) for k, r in [(10, 2), (100, 3)])
    assert 0.76 < dp.accuracy(ten, X_test, y_test) < dp.accuracy(hundred, X_test, y_test) < score


def test_the_split_follows_the_person_and_a_cut_does_not(census):
    # Whoever leaves, everybody else stays on their side.
    side = census["SSN"].str[-1].isin(["0", "5"])
    for gone in (0, 4, len(census) - 1):
        rest = census.drop(index=census.index[gone])
        assert (rest["SSN"].str[-1].isin(["0", "5"]) == side.drop(index=census.index[gone])).all()
    n = len(census)
    before, after = set(range(int(0.8 * n))), set(range(1, 1 + int(0.8 * (n - 1))))
    assert len(before ^ after) == 2


def test_a_row_is_not_longer_than_the_public_bound(people):
    questions = [d for name, d in dp.CENSUS_DOMAINS.items() if name != "Target"]
    numbers = sum(isinstance(domain, range) for domain in questions)
    assert (numbers, len(questions) - numbers) == (5, 8)
    X = people[0]
    assert X.shape[1] == 104 and X.min() == 0 and X.max() == 1
    assert np.linalg.norm(X, axis=1).max() <= math.sqrt(13) < 3.61


# ---------------------------------------------------------------- loss, gradients, sensitivity


def test_the_pages_loss_and_gradients_are_the_packages(page):
    rng = np.random.default_rng(1202)
    X, y, theta = rng.normal(size=(30, 4)), rng.choice([-1, 1], 30), rng.normal(size=4)
    np.testing.assert_allclose(page["gradients"](theta, X, y), dp.logistic_gradients(theta, X, y), rtol=1e-12)
    np.testing.assert_allclose(page["clip_rows"](X, 1.3), dp.clip_norm(X, 1.3), rtol=1e-12)
    assert (page["clip_rows"](np.zeros((2, 3)), 1.0) == 0).all()


def test_by_hand(page):
    rows, labels = np.array([[3.0, 4.0], [2.0, 0.0]]), np.array([1, -1])
    np.testing.assert_allclose(page["gradients"](np.zeros(2), rows, labels), [[-1.5, -2], [1, 0]])
    for label in (1, -1):  # whatever the label, and a tie goes to +1
        np.testing.assert_allclose(dp.logistic_loss(np.zeros(2), rows, np.full(2, label)), math.log(2))
    assert (dp.predict(np.zeros(2), rows) == 1).all()
    assert np.array([3, 4]) @ [1.5, 2] == 12.5
    step = page["noisy_descent"](rows, labels, 1, 9, 1, 0, np.random.default_rng(0))
    np.testing.assert_allclose(step, [0.25, 1])
    third = page["gradients"](np.zeros(2), np.array([[6.0, 8.0]]), np.array([-1]))  # the self-check
    assert np.linalg.norm(third) == pytest.approx(5)


def test_a_gradient_is_no_longer_than_its_row_and_the_loss_is_lipschitz():
    rng = np.random.default_rng(1203)
    X, y = 3 * rng.normal(size=(200, 5)), rng.choice([-1.0, 1.0], 200)
    for size in (0, 1, 30):
        one, other = size * rng.normal(size=5), size * rng.normal(size=5) + 1
        lengths = np.linalg.norm(X, axis=1)
        assert (np.linalg.norm(dp.logistic_gradients(one, X, y), axis=1) <= lengths).all()
        change = np.abs(dp.logistic_loss(one, X, y) - dp.logistic_loss(other, X, y))
        assert (change <= lengths * np.linalg.norm(one - other) + 1e-9).all()


@pytest.mark.parametrize(("size", "largest"), [(0, 5.0), (10, 9.903), (100, 9.998)])
def test_replacing_moves_the_clipped_sum_by_almost_twice_the_norm(page, size, largest):
    page["gap"].__globals__["np"] = np
    found = max(page["gap"](size, lean) for lean in np.arange(0, 1, 0.005))
    assert found == pytest.approx(largest, abs=5e-4)
    # The closed form: both rows lean by s, and the surprise is that of a margin of -size * s.
    s = np.linspace(0, 5, 100_001)
    assert found == pytest.approx((2 * np.sqrt(25 - s**2) / (1 + np.exp(-size * s))).max(), abs=1e-3)
    assert found < 10


def test_one_step_for_one_person_makes_them_predicted_right(page, people):
    X, y, *_ = people
    some = np.flatnonzero(y < 0)[:200]
    for person in some:
        theta = -page["gradients"](np.zeros(104), X[[person]], y[[person]])[0]
        assert dp.predict(theta, X[[person]])[0] == y[person] == -dp.predict(np.zeros(104), X[[person]])[0]


def test_rows_clipped_once_bound_every_gradient_and_learn(page, people):
    X, y, X_test, y_test = people
    short, rng = page["clip_rows"](X, 1), np.random.default_rng(1213)
    setting = {"iterations": 100, "clip": 1, "rate": 9, "epsilon": 1, "delta": DELTA, "rng": rng}
    fit = dp.noisy_gradient_descent(short, y, **setting)
    assert np.linalg.norm(page["gradients"](fit.theta, short, y), axis=1).max() <= 1 + 1e-12
    assert dp.accuracy(fit.theta, X_test, y_test) > 0.8


def test_the_answer_to_the_opening_question():
    assert (math.e - 1 + 2 * DELTA) / (math.e + 1) < 0.463  # "46 percentage points"


def test_replacing_in_the_example_moves_the_logistic_sum(page):
    pair, theta = np.array([[-0.5, 5], [-0.5, -5]]), np.array([10.0, 0])
    each = page["clip_rows"](page["gradients"](theta, pair, np.ones(2)), 5)
    assert 9.85 < np.linalg.norm(each[0] - each[1]) < 10
    assert 1 / (1 + math.exp(-5)) == pytest.approx(0.993, abs=5e-4)


def test_adding_moves_the_clipped_sum_by_at_most_the_norm(page):
    rng = np.random.default_rng(1204)
    X, y = 10 * rng.normal(size=(30, 3)), rng.choice([-1, 1], 30)
    each = page["clip_rows"](page["gradients"](rng.normal(size=3), X, y), 5)
    for gone in range(30):
        assert np.linalg.norm(each.sum(axis=0) - np.delete(each, gone, axis=0).sum(axis=0)) <= 5 + 1e-12


def test_what_clipping_takes_away(people):
    X, y, *_ = people
    sigma = dp.gaussian_sigma(sensitivity=math.sqrt(101), epsilon=1, delta=DELTA)

    def moved(theta, clip):
        each = dp.logistic_gradients(theta, X, y)
        return np.linalg.norm(each.mean(axis=0) - dp.clip_norm(each, clip).mean(axis=0))

    def noise(clip):
        return clip * sigma * math.sqrt(104) / len(y)

    start = np.linalg.norm(dp.logistic_gradients(np.zeros(104), X, y), axis=1)
    assert start.max() < 2 and start.min() > 1
    ten = dp.gradient_descent(X, y, iterations=10, rate=2)
    assert moved(ten, 1) > noise(1) and moved(ten, 0.3) > noise(0.3) and moved(ten, 2) < noise(2)
    hundred = dp.gradient_descent(X, y, iterations=100, rate=2)
    mean = np.linalg.norm(dp.logistic_gradients(hundred, X, y).mean(axis=0))
    assert noise(4) > 3 * mean and moved(hundred, 4) == moved(ten, 4) == 0


# ---------------------------------------------------------------- noisy gradient descent and its cost


def test_the_pages_noisy_descent_is_the_packages(page):
    # Rows of zeros: the weights are noise over the noisy count, in both; and their common law is known.
    rng = np.random.default_rng(1205)
    X, y = np.zeros((50_000, 1)), np.ones(50_000)
    sigma = dp.gaussian_sigma(sensitivity=math.sqrt(3), epsilon=1, delta=1e-5)
    ours = [page["noisy_descent"](X, y, 2, 0.7, 1.5, sigma, rng)[0] for _ in range(400)]
    setting = {"iterations": 2, "clip": 0.7, "epsilon": 1.0, "delta": 1e-5, "rate": 1.5, "rng": rng}
    theirs = [dp.noisy_gradient_descent(X, y, **setting).theta[0] for _ in range(400)]
    law = stats.norm(scale=math.sqrt(2) * 1.5 * 0.7 * sigma / 50_000)
    for found in (ours, theirs):
        assert stats.kstest(found, law.cdf).pvalue > FAILURE
    # Without noise, the same steps.
    X, y = rng.normal(size=(40, 3)), rng.choice([-1, 1], 40)
    ours = page["noisy_descent"](X, y, 5, 0.5, 1.0, 0, rng)
    theirs = dp.noisy_gradient_descent(X, y, iterations=5, clip=0.5, epsilon=1e12, delta=1e-5, rng=rng).theta
    np.testing.assert_allclose(ours, theirs, rtol=1e-3)


def gaussian_delta(mu, epsilon):
    """Return the exact delta at epsilon of a Gaussian release whose shift is mu standard deviations."""
    return stats.norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * stats.norm.cdf(-mu / 2 - epsilon / mu)


def test_the_true_cost_of_ten_steps(page):
    sigma = math.sqrt(2 * math.log(1.25e5)) / 0.1  # the classical noise for 0.1 and 1e-5
    for squared, epsilon in [(10, 0.214), (11, 0.225), (40, 0.455)]:
        found = page["exact_epsilon"](math.sqrt(squared), sigma, 1e-5)
        assert found == pytest.approx(epsilon, abs=6e-4)
        assert gaussian_delta(math.sqrt(squared) / sigma, found) == pytest.approx(1e-5, rel=1e-3)
    assert page["exact_epsilon"](math.sqrt(40), sigma, 1e-5) > 2 * page["exact_epsilon"](math.sqrt(10), sigma, 1e-5)
    assert 4 * page["exact_epsilon"](math.sqrt(11), sigma, 1e-5) < 1.1


def test_the_price_in_its_parts(page, people):
    """Stopping, clipping and noise, in percentage points: the first two are no draws, the third is a mean of five."""
    X, y, X_test, y_test = people
    rng = np.random.default_rng(1206)

    def right(theta):
        return 100 * dp.accuracy(theta, X_test, y_test)

    def private(epsilon):
        sigma = dp.gaussian_sigma(sensitivity=math.sqrt(101), epsilon=epsilon, delta=DELTA)
        return right(page["noisy_descent"](X, y, 100, 1, 3, sigma, rng))

    long, short = (right(dp.gradient_descent(X, y, iterations=k, rate=3)) for k in (1000, 100))
    clipped = right(page["noisy_descent"](X, y, 100, 1, 3, 0, rng))
    assert 84.5 < long < 85.4 and 1.2 < long - short < 1.7  # "about one and a half"
    assert 0.35 < short - clipped < 0.65  # "half a point"
    # A run at ε = 1 loses 0.04 points on average, with a standard deviation of some 0.05, measured.
    assert -0.08 < clipped - np.mean([private(1) for _ in range(5)]) < 0.16
    assert private(0.1) > 81  # at a tenth, some 0.2 points of deviation around 82.6
    assert 1 / len(y) > 10 * DELTA


def test_one_vector_takes_a_tenth_of_the_noise_of_a_split():
    for epsilon in (1, 0.1):
        split = dp.gaussian_sigma(sensitivity=1, epsilon=epsilon / 101, delta=DELTA / 101)
        joint = dp.gaussian_sigma(sensitivity=math.sqrt(101), epsilon=epsilon, delta=DELTA)
        assert 0.09 < joint / split < 0.11


def test_a_split_run_may_end_below_guessing(page, people):
    # One of twelve is enough for "may"; about two in three do, so that all fail with probability 2e-6 or less.
    X, y, X_test, y_test = people
    rng, sigma = np.random.default_rng(1215), dp.gaussian_sigma(sensitivity=1, epsilon=0.1 / 101, delta=DELTA / 101)
    runs = (page["noisy_descent"](X, y, 100, 1, 3, sigma, rng) for _ in range(12))
    assert any(dp.accuracy(theta, X_test, y_test) < (y_test < 0).mean() for theta in runs)


def test_what_the_best_of_many_runs_costs(page):
    """The page's two numbers, and that the law of a random number is that of drawing one."""
    u, v, gamma = 1 - 0.5, 1 - 0.5 * math.exp(-0.2), 0.2
    assert page["loss"](u, v) == pytest.approx(0.2)
    assert page["loss"](u**5, v**5) == pytest.approx(0.8329474669, abs=1e-9)  # "nearly five times as much"
    sums = [sum(gamma * (1 - gamma) ** (k - 1) * x**k for k in range(1, 400)) for x in (u, v)]
    assert sums == pytest.approx([gamma * x / (1 - (1 - gamma) * x) for x in (u, v)])
    assert page["loss"](*sums) == pytest.approx(0.2953848782, abs=1e-9)
    for gamma in (0.5, 0.1, 1e-3, 1e-6):  # three times epsilon, however many are tried
        assert page["loss"](*(gamma * x / (1 - (1 - gamma) * x) for x in (u, v))) <= 3 * 0.2


# ---------------------------------------------------------------- the stored runs


def test_the_stored_runs_are_those_of_the_tool(runs):
    expected = maker.settings()
    assert len(runs) == len(expected)
    for row, setting in zip(runs, expected, strict=True):
        assert row["method"] == setting["method"]
        for name in ("clip", "batch", "epsilon", "steps"):
            assert float(row[name]) == setting[name]
        assert float(row["rate"]) == pytest.approx(setting["rate"], rel=1e-5)
        assert 0.5 < float(row["lowest"]) <= float(row["accuracy"]) <= float(row["highest"]) < 0.86


@pytest.mark.parametrize("wanted", [("full", 1, 0, 0.3, 30), ("full", 3, 0, 3, 10), ("dp-sgd", 1, 256, 1, 100)])
def test_the_tool_makes_the_stored_runs_again(runs, wanted):
    names = ("method", "clip", "batch", "epsilon", "steps")
    data = maker.split(dp.load_census())
    setting = next(s for s in maker.settings() if tuple(s[name] for name in names) == wanted)
    row = runs[maker.settings().index(setting)]
    made = maker.measure(setting, *data)
    # The same seeds give the same runs; another NumPy may draw others, which differ by less than this.
    for name in ("accuracy", "lowest", "highest"):
        assert made[name] == pytest.approx(float(row[name]), abs=0.006)


def test_the_page_draws_the_stored_runs(page, runs):
    page["stored"].__globals__["runs"] = dp.load_runs("training_runs")
    drawn = page["stored"](method="full", clip=1, epsilon=0.1)
    assert drawn["steps"].tolist() == [10, 30, 100, 300]
    assert (100 * drawn["accuracy"]).tolist() == pytest.approx(average(runs, method="full", clip=1, epsilon=0.1))
    steps = average(runs, method="full", clip=1, epsilon=1)
    assert (np.diff(steps) > 0).all()  # "rises with the number of steps"


def test_answers_about_full_batches(runs):
    clips = (0.1, 0.3, 1, 3, 10)
    after = {s: [average(runs, method="full", clip=c, epsilon=0.1, steps=s)[0] for c in clips] for s in (10, 100)}
    assert np.argmax(after[10]) == 3
    assert set(np.argsort(after[100])[-2:]) == {1, 2}
    assert 3 < max(after[100]) - after[100][4] < 5
    few = average(runs, method="full", clip=1, epsilon=0.03)
    assert np.argmax(few) == 1 and few[1] > few[2] > few[3]


def test_answers_about_random_batches(runs):
    def found(batch, steps, epsilon):
        return average(runs, method="dp-sgd", batch=batch, steps=steps, epsilon=epsilon)[0]

    assert abs(found(64, 300, 1) - found(4096, 300, 1)) < 0.2
    for batch in (64, 256, 1024, 4096):
        assert found(batch, 100, 0.03) > found(batch, 1000, 0.03) + 1
        assert found(batch, 100, 3) < found(batch, 1000, 3) - 1
    for batch in (256, 1024, 4096):
        assert found(64, 100, 0.1) < found(batch, 100, 0.1) - 0.5
    gaps = {s: max(found(b, s, 0.1) for b in (256, 1024, 4096)) - found(64, s, 0.1) for s in (100, 300, 1000)}
    assert max(gaps, key=gaps.get) == 100


# ---------------------------------------------------------------- sampling and its accountant


@pytest.mark.parametrize(("alpha", "q", "sigma"), [(2, 0.01, 1.1), (5, 0.2, 2.0), (16, 0.01, 1.1)])
def test_the_pages_accountant_is_the_packages_and_the_integral(page, alpha, q, sigma):
    found = page["renyi"](alpha, q, sigma)
    assert found == pytest.approx(dp.rdp_subsampled_gaussian(alpha, q=q, sigma=sigma), rel=1e-9)

    def integrand(z):  # the mean of (1 - q + q p1 / p0)^alpha under p0, by quadrature
        ratio = 1 - q + q * np.exp((2 * z - 1) / (2 * sigma**2))
        return np.exp(alpha * np.log(ratio) + stats.norm.logpdf(z, scale=sigma))

    moment = integrate.quad(integrand, -12 * sigma, alpha + 12 * sigma, limit=500, points=[0, alpha])[0]
    assert found == pytest.approx(math.log(moment) / (alpha - 1), rel=1e-5)


def test_the_accountants_order(page):
    q, sigma, steps, orders = 0.01, 1.1, 1000, np.arange(2, 65)
    everybody = page["exact_epsilon"](math.sqrt(steps), sigma, 1e-5)
    assert everybody == pytest.approx(534.9, abs=0.1)
    one = page["exact_epsilon"](1, sigma, 5e-7)
    small = math.log1p(q * math.expm1(one))
    joint = dp.optimal_composition(small, q * 5e-7, k=steps, delta_total=1e-5)
    total, _ = dp.rdp_to_dp(orders, [steps * page["renyi"](a, q, sigma) for a in orders], delta=1e-5)
    exact = dp.dp_sgd_epsilon(q=q, sigma=sigma, steps=steps, delta=1e-5)
    assert exact <= total < 2 < 100 < joint < everybody
    assert exact == pytest.approx(1.712, abs=0.002)  # dp-accounting's RDP accountant
    assert 0.85 < 1.515 / exact < 0.95  # its PLD accountant: about a tenth less


def test_subsampling_amplifies_to_its_formula():
    # Randomised response by one person, sampled with q: the worst ratio is exactly the theorem's.
    q, epsilon = 0.2, 1.5
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    without, with_person = 1 - truth, q * truth + (1 - q) * (1 - truth)
    assert math.log(with_person / without) == pytest.approx(math.log1p(q * math.expm1(epsilon)))


def test_the_pages_loop_is_dp_sgd(page):
    # Three equal rows and next to no noise: each step's length counts the rows drawn.
    rng = np.random.default_rng(1207)
    X, y = np.full((3, 1), 100.0), np.ones(3)
    plan = {"steps": 1, "batch": 1, "clip": 0.5, "sigma": 1e-3, "rate": 2.0}
    ours = [page["private_sgd"](np.zeros(1), page["gradients"], X, y, plan, rng)[0] for _ in range(2000)]
    theirs = [dp.dp_sgd(X, y, **plan, rng=rng).theta[0] for _ in range(2000)]
    for found in (ours, theirs):
        counts = np.bincount(np.round(found).astype(int), minlength=4)
        expected = 2000 * stats.binom(3, 1 / 3).pmf(range(4))
        assert stats.chisquare(counts, expected).pvalue > FAILURE
    plan |= {"sigma": 3.0, "batch": 2}
    noise = [page["private_sgd"](np.zeros(1), page["gradients"], 0 * X, y, plan, rng)[0] for _ in range(2000)]
    assert stats.kstest(noise, stats.norm(scale=2.0 * 3.0 * 0.5 / 2).cdf).pvalue > FAILURE


def test_shuffled_batches_break_the_claim():
    sigma, steps, level = 0.6, 1000, 2.7
    claimed = dp.dp_sgd_epsilon(q=1 / steps, sigma=sigma, steps=steps, delta=1e-5)

    def alarm(own):
        quiet = stats.norm.cdf(level / sigma) ** (steps - 1) * stats.norm.cdf((level - own) / sigma)
        return 1 - quiet

    assert 2 < claimed < 3
    needed = alarm(2) - math.exp(claimed) * alarm(1)
    assert 0.04 < needed < 0.07 and needed > 1000 * 1e-5
    # What the page measures is this, up to chance.
    rng = np.random.default_rng(1208)
    rest = sigma * rng.standard_normal((20_000, steps - 1), dtype="float32").max(axis=1)
    own = sigma * rng.standard_normal(20_000)
    for mean in (1, 2):
        hits = int((np.maximum(rest, mean + own) > level).sum())
        assert stats.binomtest(hits, 20_000, alarm(mean)).pvalue > FAILURE
    # And so with any seed: more than a thousand times the promised δ is measured.
    with_person, without = (stats.binom(20_000, alarm(mean)) for mean in (2, 1))
    slack = with_person.mean() - math.exp(claimed) * without.mean()
    slack -= 4.9 * math.hypot(with_person.std(), math.exp(claimed) * without.std())
    assert slack / 20_000 > 1000 * 1e-5
    # With coins the same alarm keeps the claim: each step holds the person with probability 1/1000.
    with_coins = (
        1 - ((1 - 1 / steps) * stats.norm.cdf(level / sigma) + stats.norm.cdf((level - 1) / sigma) / steps) ** steps
    )
    without = 1 - stats.norm.cdf(level / sigma) ** steps
    assert with_coins <= math.exp(claimed) * without + 1e-5


# ---------------------------------------------------------------- the attack again, and the network


def test_the_attack_fails_against_noise(census):
    rng = np.random.default_rng(1209)
    features, labels = dp.census_features(census)

    def advantage(train, games=40):
        losses, members = [], []
        for _ in range(games):
            some = rng.choice(len(labels), 100, replace=False)
            member = rng.random(100) < 0.5
            theta = train(features[some][member], labels[some][member])
            losses.append(dp.logistic_loss(theta, features[some], labels[some]))
            members.append(member)
        losses, members = np.concatenate(losses), np.concatenate(members)
        return dp.membership_advantage(losses[members], losses[~members])

    def noisy(epsilon):
        setting = {"iterations": 100, "clip": 1, "delta": DELTA, "rate": 3, "rng": rng, "epsilon": epsilon}
        return lambda X, y: dp.noisy_gradient_descent(X, y, **setting).theta

    by_heart = advantage(lambda X, y: dp.gradient_descent(X, y, iterations=1000, rate=2))
    assert by_heart > 0.22
    for epsilon in (0.3, 1, 3, 10, 30):
        found = advantage(noisy(epsilon))
        assert found < (math.exp(epsilon) - 1 + 2 * DELTA) / (math.exp(epsilon) + 1)
        assert found < (0.1 if epsilon <= 1 else by_heart)


def test_the_networks_gradients_are_difference_quotients(page):
    rng = np.random.default_rng(1210)
    X, y, theta = rng.normal(size=(6, 4)), rng.choice([-1.0, 1.0], 6), rng.normal(size=3 * 5)

    def loss(theta):
        return np.logaddexp(0, -y * page["network"](theta, X)[2])

    found = page["network_gradients"](theta, X, y)
    assert found.shape == (6, 15)
    for column, direction in enumerate(np.eye(15)):
        slope = (loss(theta + 1e-5 * direction) - loss(theta - 1e-5 * direction)) / 2e-5
        np.testing.assert_allclose(found[:, column], slope, atol=1e-8)


def test_the_network_trains_with_the_same_loop(page, people):
    X, y, X_test, y_test = people
    rng = np.random.default_rng(1211)
    setting = {"steps": 300, "batch": 512, "clip": 1, "rate": 4}
    setting["sigma"] = dp.noise_multiplier(q=512 / len(y), steps=300, epsilon=1, delta=DELTA)
    theta = page["private_sgd"](rng.normal(0, 0.3, 840), page["network_gradients"], X, y, setting, rng)
    network = np.mean(np.sign(page["network"](theta, X_test)[2]) == y_test)
    plain = page["private_sgd"](np.zeros(104), page["gradients"], X, y, setting | {"rate": 2}, rng)
    assert abs(network - dp.accuracy(plain, X_test, y_test)) < 0.02
    assert network > 0.815
    # As good as a hundred full-batch steps, 82.9%, to less than a point with any seed.
    plan = setting | {"rate": 2}
    models = [page["private_sgd"](np.zeros(104), page["gradients"], X, y, plan, rng) for rng in streams(12, 20)]
    low, high = another([dp.accuracy(theta, X_test, y_test) for theta in models])
    assert 0.82 < low < high < 0.84


# ---------------------------------------------------------------- the bug


def test_clipping_late_is_caught(page):
    sigma = dp.gaussian_sigma(sensitivity=1, epsilon=1, delta=1e-5)
    page["clipped_late"].__globals__["sigma_step"] = sigma
    rows = np.column_stack([np.ones(100), np.zeros(100)])
    joined = np.vstack([rows, [1, 90_000]])
    rng = np.random.default_rng(1212)

    def clipped_early(rows, rng):
        each = dp.clip_norm(dp.logistic_gradients(np.zeros(2), rows, np.ones(len(rows))), 1.0)
        return each.sum(axis=0) / 100 + rng.normal(0, sigma / 100, 2)

    late, early = (
        dp.audit(step, rows, joined, trials=4000, delta=1e-5, rng=rng).epsilon_lower_bound
        for step in (page["clipped_late"], clipped_early)
    )
    assert late > 3 and early <= 1
    assert proven(stats.norm.sf(-0.45 / (sigma / 100)), stats.norm.sf(0.45 / (sigma / 100)), 4000) > 4  # with any seed

    def average(rows):
        each = dp.logistic_gradients(np.zeros(2), rows, np.ones(len(rows)))
        return dp.clip_norm(each.sum(axis=0)[None] / 100, 1.0)[0]

    assert np.linalg.norm(dp.logistic_gradients(np.zeros(2), joined[-1:], [1.0])) == pytest.approx(45_000, rel=1e-6)
    assert 0.9 < np.linalg.norm(average(rows) - average(joined)) <= 2


def test_the_ledger_adds_up():
    cell = next(c for c in read(CHAPTER).cells if "PrivacyLedger(" in c.source)
    said = "".join(o.get("text", "") for o in cell.outputs)
    total = float(said.split("ε = ")[1].split(",")[0])
    sigma = dp.noise_multiplier(q=512 / 26_053, steps=300, epsilon=1, delta=DELTA)
    dp_sgd = dp.dp_sgd_epsilon(q=512 / 26_053, sigma=sigma, steps=300, delta=DELTA)
    assert total == pytest.approx(2 * 1.1 + dp_sgd, abs=0.006)
    assert "δ = 5e-06" in said


def test_self_check_noise_multipliers():
    assert 4 / 2 == 2 and 4 / (2 + 2) == 1


# ---------------------------------------------------------------- the labs


def squares(theta, X, y, bound, *, clip=None, factor=2.0):
    each = factor * (X @ theta - y)[:, None] * X
    return clip(each, bound) if clip else dp.clip_norm(each, bound).sum(axis=0)


def unguarded(each, bound):
    lengths = np.linalg.norm(each, axis=1, keepdims=True)
    return (each / lengths * np.minimum(lengths, bound)).sum(axis=0)


def loop(theta, X, y, bound):
    total = np.zeros_like(theta)
    for row, value in zip(X, y, strict=True):
        gradient = 2 * (row @ theta - value) * row
        length = np.linalg.norm(gradient)
        total += gradient if length <= bound else gradient * bound / length
    return total


def first_clipped_rows(theta, X, y, bound):
    """Return the sum with clipped rows in the place of clipped gradients."""
    return (2 * (X @ theta - y)[:, None] * dp.clip_norm(X, bound)).sum(axis=0)


def step(gradients, q, clip, sigma, rng, *, fault=None, clipped=dp.clip_norm, divide=None):
    """Return the noisy average of a batch, with each mistake on request."""
    n, d = gradients.shape
    taken = rng.random(n) < q
    if fault == "together":
        taken = np.full(n, rng.random() < q)
    if fault == "fixed size":
        taken = np.isin(np.arange(n), rng.choice(n, max(1, int(q * n)), replace=False))
    total = clipped(gradients, clip)[taken].sum(axis=0)
    if fault == "twice":
        total = clipped(gradients, clip)[rng.choice(n, rng.binomial(n, q))].sum(axis=0)
    if fault == "late":
        total = dp.clip_norm(gradients[taken].sum(axis=0)[None], clip)[0]
    scale = {"unit": sigma, "square": sigma * clip**2, "small": sigma * clip / 1.2, "more": 1.3 * sigma * clip}
    noise = rng.normal(0, scale.get(fault, sigma * clip), d)
    if fault == "shared":
        noise = rng.normal(0, sigma * clip)
    if fault == "seed":
        noise = np.random.default_rng(1).normal(0, sigma * clip, d)
    if fault == "Laplace":
        noise = rng.laplace(0, sigma * clip / math.sqrt(2), d)
    if fault == "none" or (fault == "skip" and not taken.any()):
        noise = 0 * noise
    return (total + noise) / (divide(taken) if divide else q * n)


def variant(**changes):
    return lambda *args: step(*args, **changes)


def binomial_step(gradients, q, clip, sigma, rng):
    n, d = gradients.shape
    taken = rng.choice(n, rng.binomial(n, q), replace=False)
    return (dp.clip_norm(gradients, clip)[taken].sum(axis=0) + sigma * clip * rng.standard_normal(d)) / (n * q)


def step_by_loop(gradients, q, clip, sigma, rng):
    """Return the noisy average of a batch as a list, person by person."""
    total = [0.0] * len(gradients[0])
    for gradient in gradients:
        if rng.uniform() < q:
            length = math.sqrt(sum(g * g for g in gradient))
            factor = min(1, clip / length) if length else 0
            total = [t + factor * g for t, g in zip(total, gradient, strict=True)]
    return [(t + rng.normal(0, sigma * clip)) / (q * len(gradients)) for t in total]


def settings(steps, batch, epsilon=0.3, clip=1, rate=1):
    sigma = dp.noise_multiplier(q=batch / 26_053, steps=steps, epsilon=epsilon, delta=DELTA)
    return {"steps": steps, "batch": batch, "clip": clip, "rate": rate, "sigma": sigma}


UNIT = dp.gaussian_sigma(sensitivity=3, epsilon=1, delta=1e-6)
GOOD = settings(600, 1024)

RIGHT = [
    ("12.1", 2 * UNIT),
    ("12.1", round(2 * UNIT, 1)),
    ("12.1", 3 * dp.gaussian_sigma(sensitivity=2, epsilon=1, delta=1e-6)),
    ("12.2", math.log(3)),
    ("12.2", 1.1),
    ("12.2", np.float64(1.0986)),
    ("12.3", squares),
    ("12.3", loop),
    ("12.3", lambda *args: squares(*args).tolist()),
    ("12.4", step),
    ("12.4", binomial_step),
    ("12.4", step_by_loop),
    ("12.4", variant(fault="more")),
    ("12.5", GOOD),
    ("12.5", settings(1000, 1000)),
    ("12.5", settings(900, 512, clip=0.5, rate=2)),
]

WRONG = [
    ("12.3", lambda *given: {}, "one for each coordinate"),
    ("12.5", settings(2, 100, epsilon=0.1, rate=1e-3), "uses what you may spend"),
    ("12.5", settings(50, 500, clip=100, rate=1e-3), "noise grows with the clipping norm"),
    ("12.1", UNIT, "the clipping norm is 2"),
    ("12.1", 2 * dp.gaussian_sigma(sensitivity=math.sqrt(8), epsilon=1, delta=1e-6), "one more answer"),
    ("12.1", 4 * UNIT, "replace-one"),
    ("12.1", 2 * UNIT / 3, "there are nine"),
    ("12.1", 6 * UNIT, "not 9"),
    ("12.1", 2 * dp.gaussian_sigma(sensitivity=1, epsilon=1 / 9, delta=1e-6 / 9), "divide ε and δ"),
    ("12.1", 2 * dp.noise_multiplier(q=1.0, steps=9, epsilon=1, delta=1e-6), "Rényi accounting"),
    ("12.1", 7, "use dp.gaussian_sigma"),
    ("12.2", math.log(1.4 / 0.6), "cap on the advantage"),
    ("12.2", math.log(2), "the other event"),
    ("12.2", 3, "that is e^ε"),
    ("12.2", 0.4, "the advantage, not"),
    ("12.2", math.log(6), "take one event"),
    ("12.2", 2.5, "compare the probabilities"),
    ("12.3", lambda *args: -squares(*args), "sign is wrong"),
    ("12.3", lambda *args: squares(*args, factor=1.0), "not half of it"),
    ("12.3", lambda t, X, y, b: squares(t, X, y, b) / len(y), "the average"),
    ("12.3", lambda t, X, y, b: dp.logistic_gradients(t, X, np.sign(y)).sum(axis=0), "isn't what you return"),
    ("12.3", lambda t, X, y, b: dp.clip_norm(2 * (X @ t - y)[:, None] * X, b), "one sum for each coordinate"),
    ("12.3", lambda *args: None, "it needs a return"),
    ("12.3", lambda t, X, y, b: (2 * (X @ t - y)[:, None] * X).sum(axis=0), "you don't clip"),
    ("12.3", first_clipped_rows, "you don't clip these"),
    ("12.3", lambda *args: squares(*args, clip=lambda g, b: dp.clip_norm(g.sum(axis=0)[None], b)[0]), "clip the sum"),
    ("12.3", lambda *args: squares(*args, clip=lambda g, b: np.clip(g, -b, b).sum(axis=0)), "coordinate by coordinate"),
    ("12.3", lambda *args: squares(*args, clip=unguarded), "your sum of two of them is nan"),
    ("12.3", lambda *args: squares(*args, clip=lambda g, b: g[np.linalg.norm(g, axis=1) <= b].sum(axis=0)),
     "multiplied by bound / length"),
    ("12.4", variant(fault="fixed size"), "the same number of people"),
    ("12.4", variant(divide=lambda taken: max(taken.sum(), 1)), "whoever was drawn"),
    ("12.4", variant(divide=lambda taken: 7), "isn't the average of the clipped gradients"),
    ("12.4", variant(divide=lambda taken: 1), "that is the noisy sum"),
    ("12.4", variant(fault="late"), "you clip the sum"),
    ("12.4", variant(clipped=lambda g, c: g), "you don't clip"),
    ("12.4", variant(clipped=lambda g, c: np.clip(g, -c, c)), "coordinate by coordinate"),
    ("12.4", variant(fault="together"), "your batches hold"),
    ("12.4", variant(fault="twice"), "in them twice"),
    ("12.4", variant(fault="unit"), "6 is needed"),
    ("12.4", variant(fault="square"), "0.5 is needed"),
    ("12.4", variant(fault="small"), "6 is needed"),
    ("12.4", variant(fault="none"), "is exact"),
    ("12.4", variant(fault="skip"), "6 is needed"),
    ("12.4", variant(fault="shared"), "noise of its own"),
    ("12.4", variant(fault="seed"), "the same noise"),
    ("12.4", lambda *args: step(*args[:-1], OWN), "from nothing else"),
    ("12.4", variant(fault="Laplace"), "isn't normal"),
    ("12.4", lambda g, *args: g.mean(), "one average for each coordinate"),
    ("12.4", variant(divide=lambda taken: np.nan), "are not finite numbers"),
    ("12.5", {"steps": 10}, "a dictionary with the keys"),
    ("12.5", GOOD | {"batch": 30_000}, "batch from 1 to 26,053"),
    ("12.5", GOOD | {"steps": 600.5}, "whole numbers"),
    ("12.5", GOOD | {"sigma": 0}, "above 0"),
    ("12.5", settings(2000, 1024), "more than a million"),
    ("12.5", settings(600, 1024, epsilon=0.36), "these settings cost"),
    ("12.5", settings(20, 64), "are right"),
]  # fmt: skip
