# %% [markdown]
# # Assignment 6: Private training
#
# A hospital group wants to predict which of its nurses leave within a year, and to publish the model. Whose secret may
# be in there? You write the parts of DP-SGD that go wrong most often, attack a step that has no noise, and plan a
# training.
#
# Everything is **(ε, δ)-differentially private** or meant to be. Neighbours are **add/remove of one person**: of one
# row, except in task 2, where a person may have several. Public are the number of people, the columns and their ranges,
# the kind of model, and all settings of a training.
#
# You need chapter 12, and chapter 8 for Rényi divergences; about five hours. Write into the cells marked for you, keep
# the names of the functions, and leave the rest as it is. Each task stands alone: a function that you write for one
# isn't used by another. Below each task is a cell that checks what you can check yourself; the grader checks more, on
# other numbers. What the parts of a task are worth stands at its end; a part earns all its points or none.
#
# - Use Python, NumPy and pandas; `dp_helpers` and SciPy aren't there when your work is graded.
# - Functions that draw random numbers get a `rng`, a `numpy.random.Generator`. Take all randomness from it, and make
#   no generator of your own. Your functions change nothing that they are given.
# - `nurses.csv` has a row for each of {{people}} invented nurses of an earlier year, eight numbers and `left`: 1 for
#   those who left within the year, −1 for those who stayed. Take it as public. `suspects.csv` and `strangers.csv`
#   belong to task 5.

# %% role="term"
# With at least 5,000 people and epsilon from 0.3 to 1, q6's threshold parts good designs from naive ones.
TERM = {"people": 6000, "epsilon": 0.5}


# %% role="data"
LOW = np.array([18, 0, 20, 0, 0, 0, 1500, 1])
HIGH = np.array([68, 40, 240, 15, 120, 60, 6500, 10])
COLUMNS = ["age", "tenure", "hours", "nights", "commute", "overtime", "wage", "stress"]


def nurses(n, rng):
    share = rng.beta(2, 2, (n, 8))  # where each number is in its range
    weights = rng.permutation([1, 1.5, 2, 2, 2.5, 3, 3, 3.5]) * rng.choice([-1, 1], 8)
    leaves = 1 / (1 + np.exp(-1.6 * (2 * share - 1) @ weights))
    table = pd.DataFrame(np.round(LOW + share * (HIGH - LOW)).astype(int), columns=COLUMNS)
    return table.assign(left=np.where(rng.random(n) < leaves, 1, -1))


def gradients_of(n, usual, rng):
    return usual + rng.normal(size=(n, usual.size)) * np.exp(rng.normal(0, 0.5, (n, 1)))


def make_data(term, rng):
    usual = rng.normal(size=120)
    columns = [f"g{place}" for place in range(120)]
    suspects = pd.DataFrame(gradients_of(60, usual, rng).round(3), columns=columns)
    strangers = pd.DataFrame(gradients_of(60, usual, rng).round(3), columns=columns)
    suspects.insert(0, "member", (rng.random(60) < 0.5).astype(int))
    return {"nurses.csv": nurses(term["people"], rng), "suspects.csv": suspects, "strangers.csv": strangers}


# %% role="setup"
import numpy as np
import pandas as pd

nurses = pd.read_csv("nurses.csv")
suspects, strangers = pd.read_csv("suspects.csv"), pd.read_csv("strangers.csv")
RANGES = {  # from the code book, public
    "age": (18, 68),  # years
    "tenure": (0, 40),  # years at this hospital
    "hours": (20, 240),  # a month
    "nights": (0, 15),  # a month
    "commute": (0, 120),  # minutes
    "overtime": (0, 60),  # hours a month
    "wage": (1500, 6500),  # euros a month
    "stress": (1, 10),  # own answer
}
nurses.head()

# %% [markdown]
# ## Given: the moments accountant
#
# `step_rdp(q, sigma)` is the Rényi divergence of one step of DP-SGD (add/remove) at each of the orders in `ORDERS`:
# Poisson sampling at rate `q`, then Gaussian noise with noise multiplier `sigma`, that is, with the standard deviation
# `sigma` times the sensitivity. `sgd_epsilon` turns the divergences of many such steps into ε.

# %% role="setup"
ORDERS = np.arange(2, 129)


def step_rdp(q, sigma):
    """Return the Rényi divergence of one step at each of ORDERS."""
    if q == 1:
        return ORDERS / (2 * sigma**2)
    log_factorial = np.append(0, np.cumsum(np.log(np.arange(1, ORDERS[-1] + 1))))
    moments = []
    for alpha in ORDERS:
        k = np.arange(alpha + 1)
        ways = log_factorial[alpha] - log_factorial[k] - log_factorial[alpha - k]
        chance = ways + (alpha - k) * np.log1p(-q) + k * np.log(q)
        moments.append(np.logaddexp.reduce(chance + (k**2 - k) / (2 * sigma**2)))
    return np.array(moments) / (ORDERS - 1)


def sgd_epsilon(q, sigma, steps, delta):
    """Return the ε, at this δ, of all steps together (add/remove)."""
    total = steps * step_rdp(q, sigma)
    extra = np.log1p(-1 / ORDERS) - np.log(delta * ORDERS) / (ORDERS - 1)
    return max(np.min(total + extra), 0.0)


# %% [markdown] task="q1" points=10
# ## Task 1: More than two classes (10 points)
#
# A model with `k` classes keeps a matrix `W` of weights, a row for each of `d` features and a column for each class.
# The scores of a person `x` are `x @ W`, the probabilities of the classes are their softmax,
# $p_c = e^{s_c} / \sum_j e^{s_j}$, and the loss is $-\ln p_c$ for the person's own class $c$. The gradient of one
# person is a matrix, like `W`: $x_i\,(p_c - [c \text{ is the person's class}])$ in row $i$ and column $c$.
#
# Write `class_gradient_sum(W, X, classes, clip)`: the sum of the people's gradients, each clipped as a whole to the
# length `clip` (the square root of the sum of all squares). `X` has a row for each person, `classes` their classes,
# numbered from 0. Return an array of shape `(d, k)`, also where nobody is in `X`. Scores may be in the thousands, and
# some people have zeros only.


# %% role="starter" task="q1"
def class_gradient_sum(W, X, classes, clip):
    """Return the sum of the people's clipped gradients, a matrix like W."""
    ...


# %% role="solution" task="q1"
def class_gradient_sum(W, X, classes, clip):
    X, classes = np.asarray(X, float), np.asarray(classes, int)
    scores = X @ W
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    slopes = chances - np.eye(W.shape[1])[classes]
    lengths = np.linalg.norm(X, axis=1) * np.linalg.norm(slopes, axis=1)  # a gradient is x times the slopes
    shrink = np.minimum(1, clip / np.maximum(lengths, 1e-300))
    return X.T @ (slopes * shrink[:, None])


# %% role="visible" task="q1"
def one_person_by_hand(class_gradient_sum):
    "At W = 0, with two classes, a person's gradient is half the row, down in the own class and up in the other."
    found = np.asarray(class_gradient_sum(np.zeros((2, 2)), np.array([[3.0, 4.0]]), np.array([0]), 100.0))
    assert found.shape == (2, 2), f"The sum should have the shape of W, (2, 2), not {found.shape}."
    assert close(found, [[-1.5, 1.5], [-2, 2]]), (
        "The person (3, 4) of class 0: all probabilities are ½ at W = 0. Work out the matrix by hand."
    )


def nobody_at_all(class_gradient_sum):
    "Without people the sum is a matrix of zeros."
    found = np.asarray(class_gradient_sum(np.ones((3, 4)), np.zeros((0, 3)), np.zeros(0, int), 1.0))
    assert found.shape == (3, 4) and (found == 0).all(), "A batch may be empty: then the sum is zero, of W's shape."


# %% role="hidden" task="q1"
def _one_gradient(W, x, own, clip):
    scores = x @ W
    slopes = np.exp(scores - np.logaddexp.reduce(scores))
    slopes[own] -= 1
    gradient = np.outer(x, slopes)
    return gradient * min(1, clip / max(np.linalg.norm(gradient), 1e-300))


def _people(rng, n=40, d=5, k=4):
    return rng.normal(size=(d, k)), rng.normal(size=(n, d)) * rng.uniform(0.1, 4, (n, 1)), rng.integers(k, size=n)


def each_person_is_clipped(class_gradient_sum, rng):
    "The gradient of each person, as a whole, is clipped before the sum; short ones stay as they are."
    for clip in (0.2, 1.0, 2.5, 1000.0):
        W, X, classes = _people(rng)
        expected = sum(_one_gradient(W, x, own, clip) for x, own in zip(X, classes, strict=True))
        assert close(class_gradient_sum(W.copy(), X.copy(), classes, clip), expected), (
            f"clip = {clip:g}, 40 people: the sum isn't that of their clipped gradients. Which matrix belongs to one "
            "person, which number is its length, and what happens to one that is shorter than clip?"
        )


def huge_scores_and_empty_rows(class_gradient_sum, rng):
    "Neither huge scores nor people with zeros only spoil the sum."
    W, X, classes = _people(rng)
    X[::7] = 0
    found = np.asarray(class_gradient_sum(1000 * W, X, classes, 1.0))
    assert np.isfinite(found).all(), (
        "The sum has numbers that aren't finite. Scores of some thousands: what does exp() make of them? And what is "
        "the length of the gradient of a person with zeros only?"
    )
    expected = sum(_one_gradient(1000 * W, x, own, 1.0) for x, own in zip(X, classes, strict=True))
    assert close(found, expected), "With scores of some thousands, the sum is wrong."


# %% [markdown] task="q2" points=15
# ## Task 2: Several rows of one person (15 points)
#
# Every nurse answers several times a year, so a person has several rows. To protect *persons* with everything they have
# ever answered, batches take persons, and clipping limits persons. Neighbours: add/remove of one person, with all rows.
#
# Write `train_by_person(X, y, person, steps, q, clip, sigma, rate, rng)`. `X` and `y` (1 and −1) have an entry for
# each row, `person` says whose row it is: whole numbers in any order, with gaps. The loss of a row is the logistic loss
# of chapter 12, $\ln(1 + e^{-y\,x\cdot\theta})$, and training starts at θ = 0. In each step
#
# 1. every person is taken with probability `q`;
# 2. a person's gradient is the *average* of the gradients of that person's rows, clipped to the length `clip`;
# 3. the gradients of the persons taken are added up, and get Gaussian noise of standard deviation `sigma * clip` in
#    each coordinate;
# 4. θ moves by `rate` against the result, divided by the expected number of persons in a batch.
#
# The number of persons in `person` is public. Return all the θ that an attacker may see: an array of `steps + 1` rows,
# θ = 0 first.


# %% role="starter" task="q2"
def train_by_person(X, y, person, steps, q, clip, sigma, rate, rng):
    """Return θ at the start and after each step, private for persons."""
    ...


# %% role="solution" task="q2"
def train_by_person(X, y, person, steps, q, clip, sigma, rate, rng):
    X, y = np.asarray(X, float), np.asarray(y)
    names, owner = np.unique(person, return_inverse=True)
    belongs = (owner == np.arange(names.size)[:, None]).astype(float)  # a row for each person
    belongs /= belongs.sum(axis=1, keepdims=True)
    thetas = np.zeros((steps + 1, X.shape[1]))
    for step in range(steps):
        surprise = (1 - np.tanh(y * (X @ thetas[step]) / 2)) / 2
        each = belongs @ (-(y * surprise)[:, None] * X)
        lengths = np.linalg.norm(each, axis=1, keepdims=True)
        each *= np.minimum(1, clip / np.maximum(lengths, 1e-300))
        taken = rng.random(names.size) < q
        total = each[taken].sum(axis=0) + rng.normal(0, sigma * clip, X.shape[1])
        thetas[step + 1] = thetas[step] - rate * total / (q * names.size)
    return thetas


# %% role="visible" task="q2"
def a_theta_for_each_step(train_by_person):
    "There is a row for the start and for each step."
    X, y, person = np.eye(3)[[0, 1, 2, 0]], np.array([1, -1, 1, 1]), np.array([7, 7, 2, 90])
    found = np.asarray(train_by_person(X, y, person, 5, 0.5, 1.0, 1.0, 0.1, np.random.default_rng(1)))
    assert found.shape == (6, 3), f"5 steps with 3 features should give a (6, 3) array, not {found.shape}."
    assert (found[0] == 0).all(), "Training starts at θ = 0, and the first row shows it."


def one_step_without_noise(train_by_person):
    "Without noise, with everybody taken, a step is the one you get by hand."
    X, y, person = np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([1, 1]), np.array([5, 5])
    found = np.asarray(train_by_person(X, y, person, 1, 1.0, 100.0, 0.0, 1.0, np.random.default_rng(1)))
    assert close(found[1], [0.5, 1.0]), (
        "One person with the rows (2, 0) and (0, 4), both of label 1: at θ = 0 the rows' gradients are (−1, 0) and "
        "(0, −2). What is the person's gradient, and where does one step lead?"
    )


# %% role="hidden" task="q2"
def _clipped_sum(theta, X, y, person, clip):
    rows = dp.logistic_gradients(theta, X, y)
    each = [rows[person == one].mean(axis=0) for one in np.unique(person)]
    return dp.clip_norm(np.array(each), clip).sum(axis=0)


def _some_rows(rng):
    return rng.normal(size=(30, 4)) * 3, rng.choice([-1, 1], 30), rng.permutation(np.repeat([3, 11, 12, 40, 41, 77], 5))


def steps_without_noise(train_by_person, rng):
    "With everybody taken and no noise, each step follows the clipped gradients of the persons."
    for clip in (0.3, 2.0):
        X, y, _ = _some_rows(rng)
        person = rng.choice([3, 11, 12, 40, 41, 77], 30)
        expected = [np.zeros(4)]
        for _ in range(6):
            one = _clipped_sum(expected[-1], X, y, person, clip)
            expected.append(expected[-1] - 0.5 * one / len(np.unique(person)))
        found = train_by_person(X, y, person, 6, 1.0, clip, 0.0, 0.5, rng)
        assert close(found, expected), (
            "6 persons with 30 rows, q = 1, sigma = 0: a step isn't the one asked for. In which order do averaging "
            "over a person's rows, clipping and adding up come? And at which θ is a gradient taken?"
        )


def noise_of_the_steps(train_by_person, rng):
    "Each step has fresh noise for each coordinate, made for the clipping norm, whoever is taken."
    q, clip, sigma, rate = 0.05, 3.0, 1.5, 0.2
    given = np.zeros((20, 4)), np.ones(20), np.repeat(np.arange(10), 2)  # no gradient: what is left is the noise

    def noise(times, steps, rng=rng):
        thetas = sample(train_by_person, times, *given, steps, q, clip, sigma, rate, rng=rng)
        assert thetas.shape == (times, steps + 1, 4), "There should be a row for the start and for each step."
        return np.diff(thetas, axis=1).reshape(-1, 4) * q * 10 / rate

    where = (
        "Rows of zeros have no gradient, so the steps show the noise alone (after undoing rate and division; mind also "
        "the steps in which nobody is taken, and what the sum is divided by):"
    )
    drawn = noise(1, 3_000), noise(300, 10)
    cases = [Case(partial(noise, 1, 1), np.zeros(4), sigma * clip, where, drawn=part) for part in drawn]
    additive(cases, normal=True)
    together = np.abs(np.concatenate(drawn)).round(9)
    assert len(np.unique(together, axis=0)) == len(together), (
        "Some step has the noise of another step, or of another call, or the same with the other sign: draw it afresh."
    )


def noise_beside_gradients(train_by_person, rng):
    "Gradients change nothing about the noise, however short they are."
    clip, sigma, rate = 1.0, 1.5, 20.0
    X, y, person = _some_rows(rng)
    X = np.column_stack([X[:, :2] / 10, np.zeros(30), np.ones(30)])

    def noise(times, rng):
        thetas = sample(train_by_person, times, X, y, person, 4, 1.0, clip, sigma, rate, rng=rng)
        moved, before = np.diff(thetas, axis=1).reshape(-1, 4), thetas[:, :-1].reshape(-1, 4)
        return -moved * 6 / rate - [_clipped_sum(theta, X, y, person, clip) for theta in before]

    where = "With everybody taken, and the sum of the clipped gradients at the θ before taken off:"
    case = Case(partial(noise, 1), np.zeros(4), sigma * clip, where, drawn=noise(700, rng))
    additive([case], normal=True)


def coins_of_the_persons(train_by_person, rng):
    "In each step each person is taken by a coin of its own, with all rows or with none."
    q, steps, people = 0.3, 1500, 8
    owner = np.repeat(np.arange(people), np.arange(people) % 3 + 1)
    X = 100 * np.eye(owner.size)  # a row has a coordinate of its own, so that a step shows who was taken
    thetas = np.asarray(train_by_person(X, np.ones(owner.size), 10 * owner, steps, q, 1.0, 1e-6, 1e-9, rng))
    rows = np.diff(thetas, axis=0) * q * people / 1e-9 > 0.3  # of a person taken they move by 0.58 at least
    taken = rows[:, np.searchsorted(owner, range(people))]
    assert (rows == taken[:, owner]).all(), "Some steps use one row of a person without the other."
    coins(taken.astype(float), q)


# %% [markdown] task="q3" points=15 parts={"plan_epsilon": 8, "smallest_sigma": 7}
# ## Task 3: One budget, several phases (15 points)
#
# A training has phases with different settings, all on the same people: for example a first phase of 200 steps with
# q = 0.02 and σ = 1.5, then one of 1,000 steps with q = 0.01 and σ = 2, and a noisy count, which is one step with
# q = 1. Write, with what is given above,
#
# - `plan_epsilon(phases, delta)`: the ε of all phases together, at `delta` in all, as small as the orders in `ORDERS`
#   and the conversion in `sgd_epsilon` allow. `phases` is a list of lists `[q, sigma, steps]`, at least one.
# - `smallest_sigma(q, steps, spent, epsilon, delta)`: the phases in `spent` (a list like the above, possibly empty) are
#   over; now come `steps` more steps at rate `q`. Return a noise multiplier for them with which everything together
#   stays within (`epsilon`, `delta`), at most 0.1% larger than the smallest possible; `np.inf` if no noise is enough.


# %% role="starter" task="q3"
def plan_epsilon(phases, delta):
    """Return the ε of all phases together, at this δ."""
    ...


def smallest_sigma(q, steps, spent, epsilon, delta):
    """Return the noise multiplier that the rest of the budget allows."""
    ...


# %% role="solution" task="q3"
def plan_epsilon(phases, delta):
    total = sum(steps * step_rdp(q, sigma) for q, sigma, steps in phases)  # at each order; only then choose one
    extra = np.log1p(-1 / ORDERS) - np.log(delta * ORDERS) / (ORDERS - 1)
    return max(np.min(total + extra), 0.0)


def smallest_sigma(q, steps, spent, epsilon, delta):
    before = sum((k * step_rdp(rate, sigma) for rate, sigma, k in spent), np.zeros(ORDERS.size))
    extra = np.log1p(-1 / ORDERS) - np.log(delta * ORDERS) / (ORDERS - 1)
    if np.min(before + extra) >= epsilon:
        return np.inf
    low, high = 0.0, 1.0
    while np.min(before + steps * step_rdp(q, high) + extra) > epsilon:
        low, high = high, 2 * high
    while high - low > 1e-4 * high:
        middle = (low + high) / 2
        enough = np.min(before + steps * step_rdp(q, middle) + extra) <= epsilon
        low, high = (low, middle) if enough else (middle, high)
    return high


# %% role="visible" task="q3"
def one_phase_is_known(plan_epsilon, sgd_epsilon):
    "A single phase costs what sgd_epsilon says."
    found = plan_epsilon([[0.01, 1.1, 1000]], 1e-5)
    assert np.shape(found) == (), "Return one number."
    assert np.isclose(found, sgd_epsilon(0.01, 1.1, 1000, 1e-5)), (
        "One phase of 1,000 steps at q = 0.01, σ = 1.1 and δ = 1e-5: compare with sgd_epsilon."
    )


def a_full_batch_needs_this_much(smallest_sigma):
    "A hundred full batches for ε = 1 need a noise multiplier of some dozens."
    found = smallest_sigma(1.0, 100, [], 1.0, 1e-6)
    assert np.shape(found) == (), "Return one number."
    assert 40 < found < 50, "q = 1, 100 steps, ε = 1, δ = 1e-6: chapter 12 has an exact number near yours."


# %% role="hidden" task="q3"
_WHOLE = np.arange(2, 129)
_PLANS = [
    [[0.02, 1.5, 200], [0.01, 2.0, 1000]],
    [[0.005, 0.8, 3000], [0.1, 4.0, 100], [1.0, 20.0, 1]],
    [[1.0, 30.0, 50], [0.001, 0.7, 500]],
]


def _total(phases):
    parts = [steps * dp.rdp_subsampled_gaussian(_WHOLE, q=q, sigma=sigma) for q, sigma, steps in phases]
    return np.sum(parts, axis=0)


def phases_share_an_order(plan_epsilon):
    "All phases are added up at the same order, and delta is there once."
    for phases in _PLANS:
        for delta in (1e-5, 1e-7):
            expected = dp.rdp_to_dp(_WHOLE, _total(phases), delta=delta)[0]
            found = plan_epsilon(phases, delta)
            assert found <= expected * (1 + 1e-6), (
                f"{phases} at δ = {delta:g}: {found:.4f} is more than needed. What adds up over phases, and when is "
                "the conversion made?"
            )
            assert found >= expected * (1 - 1e-6), (
                f"{phases} at δ = {delta:g}: {found:.4f} is too small. All phases are seen, and they must be added up "
                "at one order."
            )


def the_rest_of_the_budget(smallest_sigma):
    "The noise multiplier keeps everything within the budget, and isn't larger than needed."
    cases = [
        ([], 0.02, 300, 1.0),
        (_PLANS[0], 0.02, 500, 3.0),
        (_PLANS[2], 1.0, 10, 3.5),
        ([[1.0, 9.0, 2]], 0.3, 7, 1.2),
    ]
    for spent, q, steps, epsilon in cases:
        sigma = smallest_sigma(q, steps, spent, epsilon, 1e-5)
        name = f"{steps} steps at q = {q:g} after {spent}, for ε = {epsilon:g}"
        assert np.isfinite(sigma) and sigma > 0, f"{name}: {sigma} isn't a noise multiplier, though one is enough."

        def costs(noise, spent=spent, q=q, steps=steps):
            return dp.rdp_to_dp(_WHOLE, _total([*spent, [q, noise, steps]]), delta=1e-5)[0]

        assert costs(sigma * (1 + 1e-9)) <= epsilon * (1 + 1e-6), (
            f"{name}: with σ = {sigma:.4f} everything together costs more. Is what was spent counted, and δ as it is?"
        )
        assert costs(sigma / 1.0011) > epsilon, (
            f"{name}: σ = {sigma:.4f} is more noise than needed. Which quantity of the old and the new phases adds up?"
        )


def nothing_left(smallest_sigma):
    "Where the budget is used up, no noise is enough."
    assert smallest_sigma(0.01, 10, [[0.02, 1.0, 2000]], 1.0, 1e-5) == np.inf, (
        "The phases before have already cost more than ε."
    )


# %% [markdown] task="q4" points=20 parts={"layered_step": 12, "true_multiplier": 8}
# ## Task 4: The colleague's code (20 points)
#
# A network has several layers, and a colleague's step of DP-SGD goes through them one by one. `layers` is a list with
# an array for each layer; its row `i` holds the part of person `i`'s gradient that belongs to this layer. The step
# should take each person with probability `q`, clip each person's gradient to the length `clip` (no more than that
# needs), add Gaussian noise with the standard deviation `sigma * clip` to each coordinate of the sum, and divide by `q`
# times the number of people. It returns a list with an array for each layer. The accountant is told `q` and `sigma`.
# The code below runs, and networks learn well with it. There is a defect in it.
#
# Find it, mend `layered_step`, and make `true_multiplier(sigma, count)` return the noise multiplier that the colleague
# should have told the accountant: that of the *unmended* step with the argument `sigma`, for a network of `count`
# layers whose gradients may have any length (add/remove).


# %% role="starter" task="q4"
def layered_step(layers, q, clip, sigma, rng):
    """Return the noisy average gradient, an array for each layer."""
    people = len(layers[0])
    taken = rng.random(people) < q
    averages = []
    for layer in layers:
        each = layer[taken]
        length = np.linalg.norm(each, axis=1, keepdims=True)
        each = each * np.minimum(1, clip / np.maximum(length, 1e-12))
        noise = rng.normal(0, sigma * clip, layer.shape[1])
        averages.append((each.sum(axis=0) + noise) / (q * people))
    return averages


def true_multiplier(sigma, count):
    """Return the noise multiplier that the code above really has."""
    return sigma  # says the colleague


# %% role="solution" task="q4"
def layered_step(layers, q, clip, sigma, rng):
    people = len(layers[0])
    taken = rng.random(people) < q
    length = np.sqrt(sum(np.square(layer).sum(axis=1) for layer in layers))  # of the whole gradient
    weight = taken * np.minimum(1, clip / np.maximum(length, 1e-12))
    averages = []
    for layer in layers:
        noise = rng.normal(0, sigma * clip, layer.shape[1])
        averages.append((weight @ layer + noise) / (q * people))
    return averages


def true_multiplier(sigma, count):
    # One person may move each layer's sum by clip: the whole by the square root of their number times that.
    return sigma / np.sqrt(count)


# %% role="visible" task="q4"
def an_average_for_each_layer(layered_step):
    "There is an array for each layer."
    layers = [np.ones((6, 3)), np.ones((6, 2))]
    found = layered_step(layers, 0.5, 1.0, 1.0, np.random.default_rng(1))
    assert [np.shape(part) for part in found] == [(3,), (2,)], "Layers of 3 and 2 numbers should give a list of both."
    assert all((layer == 1).all() for layer in layers), "Your function changes the arrays it is given: use copies."


def one_layer_without_noise(layered_step):
    "One layer, everybody taken, no noise: the average of the clipped gradients."
    found = layered_step([np.array([[3.0, 4.0], [0.3, 0.4]])], 1.0, 1.0, 0.0, np.random.default_rng(1))
    assert close(found[0], [0.45, 0.6]), "(3, 4) is clipped to length 1, (0.3, 0.4) is short enough."


def the_colleague_has_a_multiplier(true_multiplier):
    "true_multiplier returns a number above 0."
    assert np.shape(true_multiplier(1.0, 4)) == () and true_multiplier(1.0, 4) > 0, "Return one number above 0."


# %% role="hidden" task="q4"
def whole_gradients_are_clipped(layered_step, rng):
    "With everybody taken and no noise: the average of the people's whole gradients, each clipped."
    for clip in (0.5, 2.0, 5.0):
        whole = rng.normal(size=(30, 9)) * rng.uniform(0.1, 3, (30, 1))
        parts = [whole[:, :2].copy(), whole[:, 2:5].copy(), whole[:, 5:].copy()]
        found = layered_step(parts, 1.0, clip, 0.0, rng)
        assert close(np.concatenate(found), dp.clip_norm(whole, clip).mean(axis=0)), (
            f"clip = {clip:g}, three layers, q = 1, no noise: the average isn't that of clipped gradients. How far "
            "does the sum of *all* numbers move when one person joins? And is anybody shortened more than needed?"
        )


def noise_is_still_there(layered_step, rng):
    "Each coordinate of each layer has noise of its own, of the same size as before, whatever the gradients are."
    clip, sigma = 2.0, 1.5
    nothing, whole = [np.zeros((5, 3))] * 2, rng.normal(size=(5, 11)) / 10
    whole[:, [2, 5]] = 0  # a layer of zeros, and a column
    some = np.split(whole, [2, 3, 7, 8], axis=1)

    def one_step(rng, layers=nothing, q=0.4):
        return np.concatenate(layered_step(layers, q, clip, sigma, rng)) * q * 5

    nobody = "Gradients of zero: what is left is the noise (is it part of the defect?):"
    drawn = sample(layered_step, 4000, nothing, 0.4, clip, sigma, rng=rng).reshape(4000, 6) * 0.4 * 5
    everybody = "Five layers, everybody taken, and the sum of the clipped gradients taken off:"
    total, with_all = dp.clip_norm(whole, clip).sum(axis=0), partial(one_step, layers=some, q=1.0)
    cases = [
        Case(one_step, np.zeros(6), sigma * clip, nobody, drawn=drawn),
        Case(with_all, total, sigma * clip, everybody, runs=600),
    ]
    additive(cases, normal=True)


def coins_hold_for_all_layers(layered_step, rng):
    "A person is taken with the whole gradient or not at all, each by a coin of its own."
    q, people = 0.3, 6
    layers = [np.diag(np.linspace(0.5, 4, people))] * 2  # people with small gradients and with large ones
    parts = sample(layered_step, 4000, layers, q, 2.0, 1e-6, rng=rng) * q * people
    assert parts.all(), "A coordinate without a gradient, for nobody in the batch has one, needs its noise as well."
    taken = parts > 0.3
    assert (taken[:, 0] == taken[:, 1]).all(), "A person is in the batch of one layer and not in that of another."
    coins(taken[:, 0].astype(float), q)


def what_the_accountant_should_know(true_multiplier):
    "The noise multiplier of the colleague's step."
    for sigma, count in ((1.0, 1), (1.1, 4), (0.7, 9), (3.0, 50)):
        assert np.isclose(true_multiplier(sigma, count), sigma / np.sqrt(count)), (
            f"sigma = {sigma}, {count} layers: put all layers into one long vector. How far can one person move it, "
            "and what is the noise in units of that?"
        )


# %% [markdown] task="q5" points=15 parts={"accuse": 8, "proven_epsilon": 7}
# ## Task 5: A gradient without noise (15 points)
#
# "One average of gradients can't give anybody away": prove the opposite. A hospital published the plain average of the
# members' gradients, as federated learning does in every step, without clipping and noise. You have the gradients of 60
# suspects, of whom each was a member by the toss of a fair coin, and those of 60 strangers of the same kind, who
# weren't. `suspects` and `strangers` hold an example, a row for each person; `suspects` says who was a member, so that
# you can try your attack, and you can work out what was published.
#
# - Write `accuse(published, candidates, strange)`: the published average, and arrays with a row for each suspect and
#   for each stranger. Return an array with True for each suspect that you call a member. Averaged over many such games
#   with other people, the share of members you find must exceed the share of others you accuse by **at least 0.3**.
# - Write `proven_epsilon(found, accused, delta)`: an attack calls a member a member with probability `found`, anybody
#   else with probability `accused`, both known exactly. Return the largest ε of which this proves that the training
#   can't be (ε′, δ)-differentially private for any ε′ below it (add/remove, δ = `delta`), 0 if nothing is proven, and
#   `np.inf` where no finite ε is possible.


# %% role="starter" task="q5"
def accuse(published, candidates, strange):
    """Return True for each suspect that is called a member."""
    ...


def proven_epsilon(found, accused, delta):
    """Return the lower bound on ε that the attack proves at this δ."""
    ...


# %% role="solution" task="q5"
def accuse(published, candidates, strange):
    usual = np.mean(strange, axis=0)
    own = np.asarray(candidates) - usual  # what is peculiar to a person
    score = own @ (np.asarray(published) - usual) / np.linalg.norm(own, axis=1)
    return score > np.median(score)


def proven_epsilon(found, accused, delta):
    events = [(found, accused), (1 - found, 1 - accused)]
    ratios = [0.0]
    for one, other in events + [(other, one) for one, other in events]:  # neighbours: either may come first
        if one > delta:
            ratios.append(np.log((one - delta) / other) if other > 0 else np.inf)
    return max(ratios)


# %% role="visible" task="q5"
def a_call_for_each_suspect(accuse):
    "There is a call, True or False, for each suspect."
    rng = np.random.default_rng(1)
    calls = np.asarray(accuse(rng.normal(size=20), rng.normal(size=(60, 20)), rng.normal(size=(60, 20))))
    assert calls.shape == (60,), f"60 suspects need 60 calls, not an answer of shape {calls.shape}."
    assert np.isin(calls, [0, 1]).all(), "A call should be True or False."


def three_times_as_often(proven_epsilon):
    "Members accused three times as often as others prove ln 3, at δ = 0."
    found = proven_epsilon(0.6, 0.2, 0.0)
    assert np.shape(found) == (), "Return one number."
    assert np.isclose(found, np.log(3)), "0.6 of the members and 0.2 of the others, δ = 0: this proves ln 3."


# %% role="hidden" task="q5"
def members_are_found(accuse, rng):
    "The attack finds more members than it accuses others, by 0.3 on average."
    advantages = []
    for _ in range(60):  # one game's advantage has a standard deviation of 0.13, the average one of 0.017
        usual = rng.normal(size=120)
        people = usual + rng.normal(size=(120, 120)) * np.exp(rng.normal(0, 0.5, (120, 1)))
        member = rng.random(60) < 0.5
        calls = np.asarray(accuse(people[:60][member].mean(axis=0), people[:60].copy(), people[60:].copy()))
        assert calls.shape == (60,) and np.isin(calls, [0, 1]).all(), "Each suspect needs a call, True or False."
        calls = calls.astype(bool)
        advantages.append(calls[member].mean() - calls[~member].mean())
    assert np.mean(advantages) >= 0.3, (
        f"On average over 60 games, the share of members found exceeds that of others accused by "
        f"{np.mean(advantages):.2f}. What do all people's gradients have in common, members or not, and how can you "
        "take it away? Whose gradient leaves a trace in the average?"
    )


def _bound(found, accused, delta):
    def allowed(epsilon):
        pairs = ((found, accused), (accused, found), (1 - found, 1 - accused), (1 - accused, 1 - found))
        return all(one <= math.exp(epsilon) * other + delta for one, other in pairs)

    low, high = 0.0, 50.0
    if allowed(low):
        return 0.0
    while high - low > 1e-12:
        low, high = (low, (low + high) / 2) if allowed((low + high) / 2) else ((low + high) / 2, high)
    return high


def what_an_attack_proves(proven_epsilon):
    "The bound follows from accusing and from not accusing, in both directions, less delta."
    cases = [
        (0.6, 0.2, 0.01),
        (0.99, 0.7, 1e-5),
        (0.2, 0.6, 0.0),
        (0.3, 0.95, 0.05),
        (0.5, 0.1, 0.05),
        (0.9, 0.6, 0.09),
    ]
    for found, accused, delta in cases:
        assert np.isclose(proven_epsilon(found, accused, delta), _bound(found, accused, delta), atol=1e-9), (
            f"found = {found}, accused = {accused}, δ = {delta:g}: the definition holds for every event, and for both "
            "of two neighbours. Which events does a call give you? Where does δ go?"
        )


def proofs_without_an_epsilon(proven_epsilon):
    "Nothing proven is 0, and certainty is infinite."
    for found, accused, delta in (
        (0.5, 0.5, 0.0),
        (0.3, 0.25, 0.1),
        (0.05, 0.0, 0.05),
        (0.0, 0.0, 0.0),
        (1.0, 1.0, 1e-5),
    ):
        assert abs(proven_epsilon(found, accused, delta)) < 1e-9, (
            f"found = {found}, accused = {accused}, δ = {delta:g} is possible at ε = 0."
        )
    for found, accused, delta in ((0.1, 0.0, 1e-5), (1.0, 0.9, 0.0), (0.0, 0.2, 0.1)):
        assert proven_epsilon(found, accused, delta) == np.inf, (
            f"found = {found}, accused = {accused}, δ = {delta:g}: is there an event that only one side can show, more "
            "often than δ?"
        )


# %% [markdown] task="q6" points=15
# ## Task 6: A plan for the hospital (15 points)
#
# Next year the model is trained on new people: the same columns, the same kind of people, but private. Your plan must
# be made before anybody sees them. Write `plan(people, epsilon, delta)`, which returns a dictionary with the settings
# of the function `train` below: `"center"` and `"width"` (lists of eight numbers, in the order of `RANGES`), `"q"`,
# `"steps"`, `"clip"`, `"sigma"`, `"rate"`.
#
# - Training costs at most (`epsilon`, `delta`) (add/remove) for any number of people from 500 on; the grader tries
#   several ε and δ, and counts as `sgd_epsilon` does, or better.
# - It takes at most 500 steps, and `steps * q * people` is at most a million rows.
# - With 3,000 people at ε = {{epsilon}} and δ = 1e-5, the share of strangers predicted right is, averaged over ten
#   trainings, **at most 2 percentage points** below that of a logistic regression without privacy. The grader takes
#   half of `nurses` to train on and the rest as strangers, split anew each time; so you can try it yourself. (That
#   search costs no privacy: `nurses` is public, and your plan doesn't see the new people.)


# %% role="setup"
def ready(X, settings):
    """Return the rows as the model sees them: a 1, and the scaled numbers."""
    scaled = (np.asarray(X, float) - settings["center"]) / settings["width"]
    return np.column_stack([np.ones(len(scaled)), scaled])


def train(X, y, settings, rng):
    """Return the weights of a logistic regression after DP-SGD."""
    rows, theta = ready(X, settings), np.zeros(9)
    q, clip, sigma = settings["q"], settings["clip"], settings["sigma"]
    for _ in range(settings["steps"]):
        taken = rng.random(len(rows)) < q
        x, label = rows[taken], y[taken]
        slope = label * (1 - np.tanh(label * (x @ theta) / 2)) / 2
        length = np.abs(slope) * np.linalg.norm(x, axis=1)
        slope = slope * np.minimum(1, clip / np.maximum(length, 1e-300))
        noisy = slope @ x + rng.normal(0, sigma * clip, 9)
        theta = theta + settings["rate"] * noisy / (q * len(rows))
    return theta


# %% role="starter" task="q6"
def plan(people, epsilon, delta):
    """Return the settings of a training that costs at most (ε, δ)."""
    ...


# %% role="solution" task="q6"
def plan(people, epsilon, delta):
    low, high = np.array(list(RANGES.values()), float).T
    chosen = {"q": 0.1, "steps": 100, "clip": 1.0, "rate": 2.0}
    chosen |= {"center": list((low + high) / 2), "width": list((high - low) / 2)}
    few, many = 0.1, 1000.0
    while many - few > 1e-3 * many:
        sigma = (few * many) ** 0.5
        enough = sgd_epsilon(chosen["q"], sigma, chosen["steps"], delta) <= epsilon
        few, many = (few, sigma) if enough else (sigma, many)
    return chosen | {"sigma": many}


# %% role="visible" task="q6"
def the_plan_is_complete(plan):
    "A plan has all settings, each of them of the right kind."
    made = plan(3000, 1.0, 1e-5)
    needed = {"center", "width", "q", "steps", "clip", "sigma", "rate"}
    assert isinstance(made, dict) and set(made) == needed, f"Return a dictionary with {', '.join(sorted(needed))}."
    for name in ("center", "width"):
        assert np.shape(made[name]) == (8,), f"{name} should be eight numbers."
    assert np.all(np.asarray(made["width"]) > 0), "Every width should be above 0."
    assert 0 < made["q"] <= 1, "q is a probability above 0."
    assert int(made["steps"]) == made["steps"] and 1 <= made["steps"] <= 500, "steps is a whole number from 1 to 500."
    assert made["steps"] * made["q"] * 3000 <= 1e6, "The training reads more than a million rows."
    assert min(made["clip"], made["sigma"], made["rate"]) > 0, "clip, sigma and rate should be above 0."


# %% role="hidden" task="q6"
def _as_seen(X, made):
    return np.column_stack([np.ones(len(X)), (X - np.asarray(made["center"])) / np.asarray(made["width"])])


def _trained(X, y, made, rng):
    rows, theta = _as_seen(X, made), np.zeros(9)
    for _ in range(int(made["steps"])):
        taken = rng.random(len(rows)) < made["q"]
        x, label = rows[taken], y[taken]
        slope = label * (1 - np.tanh(label * (x @ theta) / 2)) / 2
        slope *= np.minimum(1, made["clip"] / np.maximum(np.abs(slope) * np.linalg.norm(x, axis=1), 1e-300))
        noisy = slope @ x + rng.normal(0, made["sigma"] * made["clip"], 9)
        theta = theta + made["rate"] * noisy / (made["q"] * len(rows))
    return theta


def _not_private(X, y):
    """Newton's method on the standardised columns; returns weights for the raw ones, a constant first."""
    middle, spread = X.mean(axis=0), X.std(axis=0)
    rows, theta = np.column_stack([np.ones(len(X)), (X - middle) / spread]), np.zeros(9)
    for _ in range(15):
        chance = 1 / (1 + np.exp(-rows @ theta))
        slope = rows.T @ (chance - (y > 0)) / len(y) + 1e-4 * theta
        theta -= np.linalg.solve(rows.T @ (rows * (chance * (1 - chance))[:, None]) / len(y) + 1e-4 * np.eye(9), slope)
    return np.append(theta[0] - theta[1:] @ (middle / spread), theta[1:] / spread)


def the_plan_keeps_its_budget(plan, term):
    "The training costs at most ε and δ, and takes neither too many steps nor too many rows."
    for people, epsilon, delta in (
        (3000, term["epsilon"], 1e-5),
        (500, 1.0, 1e-6),
        (20_000, 0.1, 1e-5),
        (5000, 4, 1e-7),
    ):
        made = plan(people, epsilon, delta)
        name = f"{people:,} people, ε = {epsilon}, δ = {delta:g}"
        assert 1 <= made["steps"] <= 500 and made["steps"] * made["q"] * people <= 1e6, (
            f"{name}: {made['steps']} steps at q = {made['q']:g} are too many steps or rows."
        )
        cost = dp.dp_sgd_epsilon(q=made["q"], sigma=made["sigma"], steps=int(made["steps"]), delta=delta)
        assert cost <= epsilon * (1 + 1e-9), (
            f"{name}: this training costs ε = {cost:.3f}. Does sigma follow from the arguments, and from your own q "
            "and steps?"
        )


def the_model_is_good_enough(plan, data, rng, term):
    "On average over ten trainings, the model is at most 2 percentage points worse than one without privacy."
    made, table, gaps = plan(3000, term["epsilon"], 1e-5), data["nurses.csv"], []
    X, y = table.drop(columns="left").to_numpy(float), table["left"].to_numpy()
    for _ in range(10):  # a good plan's gap is some 0.3 points, with a standard deviation of 0.5 in one training
        mixed = rng.permutation(len(y))
        chosen, rest = mixed[:3000], mixed[3000:]
        best = _not_private(X[chosen], y[chosen])
        right = np.mean((_as_seen(X[rest], made) @ _trained(X[chosen], y[chosen], made, rng) >= 0) == (y[rest] > 0))
        gaps.append(np.mean((best[0] + X[rest] @ best[1:] >= 0) == (y[rest] > 0)) - right)
    assert np.mean(gaps) <= 0.02, (
        f"The model is {100 * np.mean(gaps):.1f} percentage points worse than without privacy. Do all columns have a "
        "say in a person's gradient? How does the noise on the average compare with the average itself?"
    )


# %% [markdown] role="written" task="q7" points=10
# ## Task 7: The leaflet (10 points)
#
# The hospital group trained on 3,000 nurses with DP-SGD. The leaflet for the nurses says: "The model is differentially
# private with ε = 0.5, δ = 0.001. We tried forty settings on your data and publish the best model. We shuffle the data
# and go through it in batches of 100, so you are in exactly one batch. A membership attack on the model failed.
# Therefore nobody can learn anything about you."
#
# In at most 250 words: what is wrong or unproven in it? Explain each point to the hospital group, and say what they
# should do or write instead.

# %% [markdown] role="rubric" task="q7"
# 2 points for each of five; each needs the reason *and* what to do or write instead.
#
# - δ: 0.001 with 3,000 people allows a mechanism that publishes three whole rows on average. Take δ far below 1/3,000,
#   such as 1e-6, and say which neighbours ε is for.
# - Forty settings: each run on the private data costs, also those not published. Tune on public data (as in task 6), or
#   count the runs or use a private selection.
# - Shuffled batches: an ε computed by the moments accountant for coins (Poisson sampling) doesn't hold for them. Sample
#   with coins, or account for what was done: without amplification, in each epoch a person is in one batch.
# - The failed attack: proves nothing about other attacks or other people; an attack can only refute. Rely on the proof;
#   report the audit as a check.
# - "Nothing about you": differential privacy limits what follows from *taking part*. The model may well tell something
#   about nurses in general, and so about one of them, whether she took part or not. Say that.
#
# **A model answer** (10 points) δ = 0.001 with 3,000 nurses would allow publishing three whole rows on average: take
# 1e-6, and write for which neighbours ε holds (one nurse added or removed). Forty settings: each of the forty runs used
# the private data, also those that weren't published; tune on the public nurses of an earlier year, or account for all
# runs. Shuffled batches: the accountant's ε is for coins; with shuffling it doesn't hold. Toss a coin for each nurse in
# each step, or account for every epoch without amplification. The failed attack proves nothing about another attack or
# another nurse; rely on the proof, and report the attack as a check. "Nothing about you": the model may say that nurses
# with many nights leave, and that holds for one who didn't take part as well. Write: "What the model tells about you is
# nearly the same whether you are in the data or not."
#
# **A borderline answer** (5 points) "δ must be smaller than 1/n. Trying forty settings uses up the privacy budget.
# Batches should be sampled with Poisson sampling. Attacks can't prove privacy. DP doesn't mean that nothing is
# learned." All five are found, and each is a slogan: the reason or what to write instead is missing in every one, so 1
# of 2 each.

# %% [markdown] role="oral"
# ## Three questions for an oral exam
#
# 1. In task 2, why is the gradient averaged over a person's rows before it is clipped? What if it were clipped row by
#    row?
# 2. In task 4, the colleague's network learns as well as yours. How would you have noticed the defect without reading
#    the code?
# 3. Your plan of task 6 was found by trying it on `nurses`. Why does that cost nothing here, and when would it?
