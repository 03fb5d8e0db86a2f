"""The labs of chapter 12, DP-SGD."""

import math

import numpy as np

from ..data import census_features, load_census
from ..learning import accuracy, dp_sgd
from ..mechanisms import gaussian_sigma
from ..renyi import dp_sgd_epsilon, noise_multiplier
from .answers import NotYet, close, follows, function, margin, number


def lab_1(answer) -> str:
    """Check the noise of each sum in a hundred steps and a count."""
    given = number(answer)
    cost = {"epsilon": 1.0, "delta": 1e-6}
    right = 2 * gaussian_sigma(sensitivity=math.sqrt(101), **cost)
    if math.isclose(given, right, rel_tol=2e-3):
        return "101 answers make a vector of length √101: 42 units, of 2 each."
    if close(given, right / 2):
        raise NotYet("that is the noise in units of the clipping norm, and the clipping norm is 2.")
    if math.isclose(given, 2 * gaussian_sigma(sensitivity=10, **cost), rel_tol=2e-3):
        raise NotYet("that pays for the hundred sums; the count is one more answer.")
    if close(given, 2 * right):
        raise NotYet("that is replace-one: here a person joins or leaves.")
    if close(given, 2 * gaussian_sigma(sensitivity=1, **cost)):
        raise NotYet("that is the noise of a single answer, and there are 101.")
    if close(given, 2 * gaussian_sigma(sensitivity=101, **cost)):
        raise NotYet("lengths of vectors add up in squares: the 101 answers are √101 long, not 101.")
    if close(given, 2 * gaussian_sigma(sensitivity=1, epsilon=1 / 101, delta=1e-6 / 101)):
        raise NotYet("you divide ε and δ among the answers; as one Gaussian release they need far less noise.")
    if close(given, 2 * noise_multiplier(q=1.0, steps=101, **cost)):
        raise NotYet("Rényi accounting is safe, but asks for a little more than the exact noise of dp.gaussian_sigma.")
    raise NotYet("use dp.gaussian_sigma with the length of the vector of 101 answers, then multiply by 2.")


def lab_2(answer) -> str:
    """Check the epsilon that an attack's rates prove."""
    given = number(answer)
    if close(given, math.log(1.4 / 0.6)):
        raise NotYet("that follows from the cap on the advantage; the ratio of the two rates says more.")
    if close(given, math.log(2)):
        raise NotYet("that is the event 'not called a member'; the other event says more.")
    if close(given, 3):
        raise NotYet("that is e^ε.")
    if close(given, 0.4):
        raise NotYet("that is the advantage, not an ε.")
    if not close(given, math.log(3)):
        raise NotYet("compare the probabilities of 'called a member': 0.6 for members, 0.2 for others.")
    return "0.6 ≤ e^ε · 0.2; the advantage alone would prove 0.85."


def lab_3(answer) -> str:
    """Check the sum of clipped gradients of the squared loss."""
    clipped_sum, rng = function(answer), np.random.default_rng(3)

    def given(theta, X, y, bound):
        result = np.asarray(clipped_sum(theta.copy(), X.copy(), y.copy(), bound), dtype=float)
        if result.shape != theta.shape:
            raise NotYet(f"return one vector of {theta.size} numbers, the sum over all rows, not shape {result.shape}.")
        return result

    theta, X, y = rng.normal(size=3), rng.normal(size=(40, 3)), 5 * rng.normal(size=40)
    each = 2 * (X @ theta - y)[:, None] * X
    lengths = np.linalg.norm(each, axis=1, keepdims=True)
    wide, bound = float(lengths.sum()), float(np.median(lengths))
    unclipped = given(theta, X, y, wide)
    if np.allclose(unclipped, -each.sum(axis=0)):
        raise NotYet("the sign is wrong: where x·θ is above y, the loss rises with x·θ.")
    if np.allclose(unclipped, each.sum(axis=0) / 2):
        raise NotYet("the loss is the square itself, not half of it.")
    if np.allclose(unclipped, each.mean(axis=0)):
        raise NotYet("that is the average; the sum is wanted.")
    if not np.allclose(unclipped, each.sum(axis=0)):
        raise NotYet("with a bound that clips nobody, the sum of the gradients 2 (x·θ - y) x isn't what you return.")
    clipped = given(theta, X, y, bound)
    total = each.sum(axis=0)
    if np.allclose(clipped, total * min(1, bound / np.linalg.norm(total))):
        raise NotYet("you clip the sum; clip each row's gradient before adding up.")
    if np.allclose(clipped, (each / lengths * bound).sum(axis=0)):
        raise NotYet("you stretch short gradients to the bound; clipping only shortens.")
    if np.allclose(clipped, np.clip(each, -bound, bound).sum(axis=0)):
        raise NotYet("you clip coordinate by coordinate; the length of each gradient has to be at most the bound.")
    if not np.allclose(clipped, (each * np.minimum(1, bound / lengths)).sum(axis=0)):
        raise NotYet("longer gradients are multiplied by bound / length, the others stay as they are.")
    with np.errstate(all="ignore"):
        exact = given(np.zeros(3), X[:2], np.zeros(2), 1.0)
    if not np.allclose(exact, 0):
        raise NotYet(f"rows that fit exactly have a gradient of 0, and your sum of two of them is {exact[0]:g}.")
    return "Each gradient has its own length; one of 0 stays 0."


def lab_4(answer) -> str:
    """Check a step of DP-SGD: coins, noise in units of the clipping norm, a divisor that doesn't depend on them."""
    step, rng = function(answer), np.random.default_rng(4)
    n, q, clip = 50, 0.1, 3.0

    def draws(gradients, q, sigma, runs):
        found = np.array([step(gradients.copy(), q, clip, sigma, rng) for _ in range(runs)], dtype=float)
        if found.shape != (runs, gradients.shape[1]):
            raise NotYet(f"return one vector of {gradients.shape[1]} numbers, the noisy average gradient.")
        if not np.isfinite(found).all():
            raise NotYet("with an empty batch your step isn't a number.")
        return found

    # Everybody's gradient is clipped to (3, 0): without noise, the answer times q n / 3 counts the people drawn.
    same = np.tile([7.0, 0.0], (n, 1))
    counts = draws(same, q, 1e-9, 4000)[:, 0] * (q * n) / clip
    some = counts[counts > 0.5]
    if len(some) == 0 or (np.ptp(some) < 1e-3 and some[0] < n / 2):
        raise NotYet(
            "everybody has the same gradient, and your answer is the same however many are drawn: the batch has a "
            "fixed size, or you divide by the size that was drawn, or you clip after adding up."
        )
    if not np.allclose(counts, np.round(counts), atol=1e-4):
        raise NotYet("divide by q n, the expected size of a batch, and clip every gradient before adding up.")
    chances = [math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)]
    drawn = np.bincount(np.round(counts).astype(int), minlength=n + 1) / len(counts)
    if np.abs(np.cumsum(drawn - chances)).max() > margin(len(counts)):
        raise NotYet(
            f"your batches hold {counts.mean():.1f} people on average, with a standard deviation of "
            f"{counts.std():.1f}; with coins it would be 5.0 and 2.1."
        )
    # Whose coins are they?  Two people who are always drawn together have a covariance.
    pairs = np.zeros((n, 2))
    pairs[0, 0] = pairs[1, 1] = clip
    both = draws(pairs, 0.5, 1e-9, 4000).round(6) > 0
    if abs((both[:, 0] & both[:, 1]).mean() - 0.25) > margin(4000):
        raise NotYet("each person needs a coin of their own.")
    noise = draws(np.zeros((n, 2)), 0.01, 2.0, 4000).ravel() * (0.01 * n)
    normal = np.vectorize(lambda x: (1 + math.erf(x / (6 * math.sqrt(2)))) / 2)
    if not follows(noise, normal):
        raise NotYet(
            f"the noise on the sum has a standard deviation of {noise.std():.1f}; for σ = 2 and a clipping norm "
            "of 3 it has to be 6, in every batch, even an empty one."
        )
    return "Coins, the right unit of noise, a public divisor."


def lab_5(answer) -> str:
    """Check settings of DP-SGD: their cost, their work, and their accuracy on the people held out."""
    if not isinstance(answer, dict) or set(answer) != {"steps", "batch", "clip", "sigma", "rate"}:
        raise NotYet('give a dictionary with the keys "steps", "batch", "clip", "sigma" and "rate".')
    settings = {name: number(value) for name, value in answer.items()}
    settings |= {name: int(settings[name]) for name in ("steps", "batch")}
    census = load_census()
    X, y = census_features(census)
    held = census["SSN"].str[-1].isin(["0", "5"]).to_numpy()
    n = int((~held).sum())
    if settings["steps"] < 1 or not 1 <= settings["batch"] <= n:
        raise NotYet(f"steps is at least 1, and batch from 1 to {n:,}.")
    if settings["steps"] * settings["batch"] > 1_000_000:
        raise NotYet(f"{settings['steps'] * settings['batch']:,} rows read are more than a million.")
    epsilon = dp_sgd_epsilon(q=settings["batch"] / n, sigma=settings["sigma"], steps=settings["steps"], delta=1e-6)
    if epsilon > 0.3 * (1 + 1e-3):
        raise NotYet(f"these settings cost ε = {epsilon:.3f}; let dp.noise_multiplier find a larger σ.")
    fits = [dp_sgd(X[~held], y[~held], **settings, delta=1e-6, rng=np.random.default_rng(seed)) for seed in range(3)]
    right = np.mean([accuracy(fit.theta, X[held], y[held]) for fit in fits])
    if right < 0.823:
        raise NotYet(f"ε is {epsilon:.2f}, but only {right:.1%} are right. Try more steps, or another rate.")
    return f"ε = {epsilon:.2f}, with {right:.1%} predicted right."
