"""The labs of chapter 12, DP-SGD."""

import math

import numpy as np

from ..data import census_features, load_census
from ..learning import accuracy, dp_sgd
from ..mechanisms import gaussian_sigma
from ..renyi import dp_sgd_epsilon, noise_multiplier
from .judging import LinesLab, MendLab, NotYet, NumberLab, draws_from, follows, function, margin, number

_BUDGET = {"epsilon": 1.0, "delta": 1e-6}
_UNIT = gaussian_sigma(sensitivity=3, **_BUDGET)

lab_1 = NumberLab(
    right=2 * _UNIT,
    praise=f"Nine answers make a vector of length √9 = 3: {_UNIT:.1f} units, of 2 each.",
    mistakes={
        _UNIT: "that is the noise in units of the clipping norm, and the clipping norm is 2.",
        2 * gaussian_sigma(sensitivity=math.sqrt(8), **_BUDGET): (
            "that pays for the eight sums; the count is one more answer."
        ),
        4 * _UNIT: "that is replace-one: here a person joins or leaves.",
        2 * _UNIT / 3: "that is the noise of a single answer, and there are nine.",
        6 * _UNIT: "lengths of vectors add up in squares: nine answers are √9 long, not 9.",
        2
        * gaussian_sigma(
            sensitivity=8, **_BUDGET
        ): "lengths of vectors add up in squares; and the count is there, too.",
        2 * gaussian_sigma(sensitivity=1, epsilon=1 / 9, delta=1e-6 / 9): (
            "you divide ε and δ among the answers; as one Gaussian release they need less noise."
        ),
        2 * noise_multiplier(q=1.0, steps=9, **_BUDGET): (
            "Rényi accounting is safe, but asks for a little more than the exact noise of dp.gaussian_sigma."
        ),
        6 * math.sqrt(2 * math.log(1.25e6)): (
            "that is the textbook's formula, √(2 ln(1.25/δ))/ε, for an ε below 1; dp.gaussian_sigma is exact, and less."
        ),
    },
    otherwise="use dp.gaussian_sigma with the length of the vector of nine answers, then multiply by 2.",
)

lab_2 = NumberLab(
    right=math.log(3),
    digits=2,
    praise="0.6 ≤ e^ε · 0.2; the advantage alone would prove 0.85.",
    mistakes={
        math.log(1.4 / 0.6): "that follows from the cap on the advantage; the ratio of the two rates says more.",
        math.log(2): "that is the event 'not called a member'; the other event says more.",
        3: "that is e^ε.",
        2: "that is e^ε, and for the event that says less.",
        0.4: "that is the advantage, not an ε.",
        math.log(1.5): "0.6 against 0.4 are two answers about a member. Compare a member with somebody who is none.",
        math.log(6): "take one event, 'called a member', under both truths: 0.6 and 0.2.",
        math.log10(3): "the logarithm is the natural one.",
        math.log2(3): "the logarithm is the natural one.",
        -math.log(3): "the ratio is upside down: ε is never negative.",
    },
    otherwise="compare the probabilities of 'called a member': 0.6 for members, 0.2 for others.",
)


def lab_3(answer) -> str:
    """Check the sum of clipped gradients of the squared loss."""
    clipped_sum, rng = function(answer), np.random.default_rng(3)

    def given(theta, X, y, bound):
        try:
            result = np.asarray(clipped_sum(theta.copy(), X.copy(), y.copy(), bound), dtype=float)
        except TypeError as error:
            raise NotYet(f"return one vector of numbers, the sum over all rows ({error}).") from None
        if result.shape != theta.shape:
            raise NotYet(f"return one vector of {theta.size} numbers, the sum over all rows, not shape {result.shape}.")
        return result

    theta, X, y = rng.normal(size=3), rng.normal(size=(40, 3)), 5 * rng.normal(size=40)
    each = 2 * (X @ theta - y)[:, None] * X
    lengths = np.linalg.norm(each, axis=1, keepdims=True)
    wide, bound = float(lengths.sum()), float(np.median(lengths))
    total = each.sum(axis=0)
    _compare(
        given(theta, X, y, wide),
        total,
        (-total, "the sign is wrong: where x·θ is above y, the loss rises with x·θ."),
        (total / 2, "the loss is the square itself, not half of it."),
        (each.mean(axis=0), "that is the average; the sum is wanted."),
        otherwise="with a bound that clips nobody, the sum of the gradients 2 (x·θ - y) x isn't what you return.",
    )
    coordinates = np.clip(each, -bound, bound).sum(axis=0)
    _compare(
        given(theta, X, y, bound),
        (each * np.minimum(1, bound / lengths)).sum(axis=0),
        (total, "gradients longer than the bound come through: you don't clip, or clip the rows instead."),
        (
            total * min(1, bound / np.linalg.norm(total)),
            "you clip the sum; clip each row's gradient before adding up.",
        ),
        ((each / lengths * bound).sum(axis=0), "you stretch short gradients to the bound; clipping only shortens."),
        (coordinates, "you clip coordinate by coordinate; the length of each gradient has to be at most the bound."),
        otherwise="longer gradients are multiplied by bound / length, the others stay as they are.",
    )
    with np.errstate(all="ignore"):
        exact = given(np.zeros(3), X[:2], np.zeros(2), 1.0)
    if not np.allclose(exact, 0):
        raise NotYet(f"rows that fit exactly have a gradient of 0, and your sum of two of them is {exact[0]:g}.")
    return "Each gradient has its own length; one of 0 stays 0."


def _compare(found, right, *mistakes, otherwise):
    """Say which mistake a vector shows, or ``otherwise``, unless it is right; each mistake is (vector, hint)."""
    for wrong, hint in mistakes:
        if np.allclose(found, wrong):
            raise NotYet(hint)
    if not np.allclose(found, right):
        raise NotYet(otherwise)


def _lab_4(answer) -> str:
    """Check a step of DP-SGD: clipping, coins, noise in units of the clipping norm, a divisor that is public."""
    step, rng = function(answer), np.random.default_rng(4)

    def draws(gradients, q, clip, sigma, runs):
        found = [step(gradients.copy(), q, clip, sigma, rng) for _ in range(runs)]
        try:
            found = np.array(found, dtype=float)
        except (TypeError, ValueError):
            found = np.empty(0)
        if found.shape != (runs, gradients.shape[1]):
            raise NotYet(f"return one vector of {gradients.shape[1]} numbers, the noisy average gradient.")
        if not np.isfinite(found).all():
            raise NotYet("with an empty batch your step isn't a number.")
        return found

    _judge_clipping(draws)
    _judge_coins(draws)
    for clip, sigma in [(3.0, 2.0), (0.5, 1.0)]:
        _judge_noise(draws(np.zeros((50, 2)), 0.01, clip, sigma, 3_000) * (0.01 * 50), clip, sigma)
    draws_from(lambda rng: step(np.ones((50, 2)), 0.5, 1.0, 1.0, rng))
    return "Coins, the right unit of noise, a public divisor."


lab_4 = MendLab(
    mended=_lab_4,
    lines=LinesLab(
        lines=5,
        hints={
            3: "the accountant was promised a coin for each person.",
            5: "the noise is in another unit than the sum, and what one divides by may not depend on who was drawn.",
        },
        harmless={
            1: "line 1 says what the function takes.",
            4: "line 4 clips each person's gradient, as it should.",
        },
        praise="those are the lines: a batch of fixed size, a noise and a divisor in the wrong unit. Now mend them.",
    ),
)


def _judge_clipping(draws) -> None:
    """Check the step with everybody in the batch and next to no noise: the average of the clipped gradients."""
    gradients, clip = np.array([[6.0, 8.0], [0.3, -0.4], [-9.0, 12.0], [0.0, 0.0], [2.0, 0.0]]), 5.0
    lengths = np.linalg.norm(gradients, axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        each = np.where(lengths > clip, gradients * clip / lengths, gradients)
        stretched = np.nan_to_num(gradients / lengths * clip)
    mean = gradients.mean(axis=0)
    mistakes = {
        "you don't clip: a single long gradient may move the average by any amount.": mean,
        "you clip the average; clip every gradient before adding up.": mean * min(1, clip / np.linalg.norm(mean)),
        "you clip the sum; clip every gradient before adding up.": _shortened(gradients.sum(axis=0), clip) / 5,
        "you clip coordinate by coordinate; the length of each gradient has to be at most the clipping norm.": (
            np.clip(gradients, -clip, clip).mean(axis=0)
        ),
        "you stretch short gradients to the clipping norm; clipping only shortens.": stretched.mean(axis=0),
        "that is the noisy sum; divide by q n, the expected size of a batch.": each.sum(axis=0),
    }
    found, again = draws(gradients, 1.0, clip, 1e-9, 2)
    if not np.allclose(found, again, atol=1e-6):
        raise NotYet("with q = 1 everybody is in the batch, once; your batches differ, and somebody is in them twice.")
    if np.allclose(found, each.mean(axis=0), atol=1e-6):
        return
    for sentence, wrong in mistakes.items():
        if np.allclose(found, wrong, atol=1e-6):
            raise NotYet(sentence)
    raise NotYet("with q = 1 and hardly any noise, your step isn't the average of the clipped gradients.")


def _shortened(vector, bound) -> np.ndarray:
    return vector * min(1, bound / np.linalg.norm(vector))


def _judge_coins(draws) -> None:
    """Check that a coin for each person decides, and that the divisor doesn't depend on the coins."""
    n, q, runs = 50, 0.1, 3_000
    # Everybody has the gradient (1, 0): without noise, the answer times q n counts the people drawn.
    counts = draws(np.tile([1.0, 0.0], (n, 1)), q, 2.0, 1e-9, runs)[:, 0] * (q * n)
    some = counts[counts > 0.01]
    if np.ptp(some) < 1e-3 and some[0] < n / 2:
        raise NotYet(
            "everybody has the same gradient, and your answer is the same however many are drawn: the batch has a "
            "fixed size, or you divide by the size that was drawn."
        )
    if not np.allclose(counts, np.round(counts), atol=1e-4):
        raise NotYet("divide by q n, the expected size of a batch, whoever was drawn.")
    chances = [math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)]
    drawn = np.bincount(np.round(counts).astype(int), minlength=n + 1)[: n + 1] / runs
    if np.abs(np.cumsum(drawn - chances)).max() > margin(runs):
        raise NotYet(
            f"your batches hold {counts.mean():.1f} people on average, with a standard deviation of "
            f"{counts.std():.1f}; with coins it would be 5.0 and 2.1."
        )
    # Whose coins are they?  Two people who are always drawn together have a covariance.
    pairs = np.zeros((n, 2))
    pairs[0, 0] = pairs[1, 1] = 1.0
    times = draws(pairs, 0.5, 2.0, 1e-9, runs) * (0.5 * n)
    if times.max() > 1.5:
        raise NotYet("somebody is in a batch twice, and then counts twice: draw without replacement, by coins.")
    both = times > 0.5
    if abs((both[:, 0] & both[:, 1]).mean() - 0.25) > margin(runs) or np.abs(both.mean(axis=0) - 0.5).max() > 0.07:
        raise NotYet("each person needs a coin of their own.")


def _judge_noise(noise, clip, sigma) -> None:
    """Check the noise on the sum; more than the accountant was told is allowed."""
    needed = sigma * clip
    spread = math.sqrt(np.mean(noise**2))  # its own standard deviation is 0.9% of it
    if spread > 1e-3 and np.ptp(noise, axis=0).min() < 1e-6 * spread:
        raise NotYet("the noise is the same in every call: draw it from rng, anew in each step.")
    if spread < 0.94 * needed:
        raise NotYet(
            f"the noise on the sum has a standard deviation of {spread:.2g}; for σ = {sigma:g} and a clipping norm of "
            f"{clip:g} it has to be {needed:g}, in every batch, even an empty one."
        )
    if abs(np.corrcoef(noise.T)[0, 1]) > 0.13:  # its standard deviation is 0.02
        raise NotYet("the coordinates share their noise: draw it anew for each.")
    normal = np.vectorize(lambda x: (1 + math.erf(x / (spread * math.sqrt(2)))) / 2)
    if not follows(noise.ravel(), normal):
        raise NotYet("the noise isn't normal: the accountant counts on Gaussian noise, the same in every batch.")


def lab_5(answer) -> str:
    """Check settings of DP-SGD: their cost, their work, and their accuracy on the people held out."""
    if not isinstance(answer, dict) or set(answer) != {"steps", "batch", "clip", "sigma", "rate"}:
        raise NotYet('give a dictionary with the keys "steps", "batch", "clip", "sigma" and "rate".')
    settings = {name: number(value) for name, value in answer.items()}
    if any(settings[name] != int(settings[name]) for name in ("steps", "batch")):
        raise NotYet("steps and batch are whole numbers.")
    if not all(0 < settings[name] < math.inf for name in ("clip", "sigma", "rate")):
        raise NotYet("clip, sigma and rate are above 0.")
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
