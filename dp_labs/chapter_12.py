"""The labs of chapter 12, DP-SGD."""

import math
from functools import partial

import numpy as np

from dp_helpers.data import census_features, load_census
from dp_helpers.learning import accuracy, dp_sgd
from dp_helpers.queries import clip_norm
from dp_helpers.renyi import dp_sgd_epsilon

from .answers import NotYet, alike, array, expect, function
from .clipping import clipping_mistakes
from .noise import Case, Size, additive, batches, fresh, outputs
from .tables import LinesLab, MendLab, NumberLab

LABS = (
    "what-does-an-attack-prove",
    "another-loss",
    "step-that-isnt-covered",
    "settings-for-epsilon",
)

what_does_an_attack_prove = NumberLab(
    right=math.log(3),
    digits=2,
    praise="0.6 ≤ e^ε · 0.2; the advantage alone would prove 0.85.",
    mistakes={
        math.log(1.4 / 0.6): "that follows from the cap on the advantage; the ratio of the two rates says more.",
        math.log(2): "that is the event 'not called a member'; the other event says more.",
        **dict.fromkeys([3, 2], "that is e^ε; take its logarithm."),
        0.4: "that is the advantage, not an ε.",
        **dict.fromkeys([math.log(1.5), math.log(6)], "take one event, 'called a member', under both truths."),
        **dict.fromkeys([math.log10(3), math.log2(3)], "the logarithm is the natural one."),
        -math.log(3): "the ratio is upside down: ε is never negative.",
    },
    otherwise="compare the probabilities of 'called a member': 0.6 for members, 0.2 for others.",
)


def another_loss(answer) -> str:
    """Check the sum of clipped gradients of the squared loss."""
    clipped_sum, rng = function(answer), np.random.default_rng(3)

    def given(theta, X, y, bound):
        return array(clipped_sum(theta.copy(), X.copy(), y.copy(), bound), theta.shape, "one sum for each coordinate")

    theta, X, y = rng.normal(size=3), rng.normal(size=(40, 3)), 5 * rng.normal(size=40)
    gradients = 2 * (X @ theta - y)[:, None] * X
    lengths, total = np.linalg.norm(gradients, axis=1), gradients.sum(axis=0)
    mistakes = [
        (-total, "the sign is wrong: where x·θ is above y, the loss rises with x·θ."),
        (total / 2, "the loss is the square itself, not half of it."),
        (total / 40, "that is the average; the sum is wanted."),
    ]
    why = "with a bound that clips nobody, the sum of the gradients 2 (x·θ - y) x isn't what you return."
    expect(given(theta, X, y, float(lengths.sum())), total, mistakes, why, alike)
    bound = float(np.median(lengths))
    why = "longer gradients are multiplied by bound / length, the others stay as they are."
    right = clip_norm(gradients, bound).sum(axis=0)
    expect(given(theta, X, y, bound), right, clipping_mistakes(gradients, bound), why, alike)
    with np.errstate(all="ignore"):
        exact = np.asarray(clipped_sum(np.zeros(3), X[:2], np.array([0.0, 9.0]), 1.0))
    why = f"a row that fits exactly has a gradient of 0; with one, your sum is {exact}."
    expect(exact, -X[1] / np.linalg.norm(X[1]), [], why, alike)
    return "Each gradient has its own length; one of 0 stays 0."


def _check_step_that_isnt_covered(answer) -> str:
    """Check a step of DP-SGD: clipping, coins, noise in units of the clipping norm, a divisor that is public."""
    step = function(answer)

    def draw(gradients, q, clip, sigma):
        def once(_, rng):
            found = step(gradients.copy(), q, clip, sigma, rng)
            return array(found, gradients.shape[1:], "one average for each coordinate") * q * len(gradients)

        return once

    _judge_clipping(draw)
    whose = draw(np.tile(np.eye(6), 2), 0.3, 2.0, 1e-20)  # two numbers for each person
    fresh(partial(whose, None))
    taken, twin = np.split(outputs(partial(whose, None), 1_500, np.random.default_rng(121)), 2, axis=1)
    if not np.allclose(taken, twin, atol=1e-5):
        raise NotYet("somebody is in a batch with one coordinate and not with another: one coin decides for a person.")
    if not np.isin(np.round(taken, 3), range(7)).all():
        raise NotYet("divide by q n, the expected size of a batch: it doesn't depend on who was drawn.")
    batches(taken, 0.3)
    _judge_empty_batch(draw)

    def case(clip, sigma, people, q):
        nobody = draw(np.zeros((people, 9)), q, clip, sigma)
        where = f"for σ = {sigma:g} and a clipping norm of {clip:g}"
        return Case(lambda rng: nobody(None, rng), [0] * 9, sigma * clip, where, 900)

    reasons = {1 / 3: "It has σ times the clipping norm.", 0.5: "It has σ times the clipping norm, not its square."}
    reasons |= {3: reasons[0.5], 0.6: "It has σ, the standard deviation, and not its square, the variance."}
    additive([case(3.0, 2.0, 50, 0.1), case(0.5, 0.6, 9, 0.01)], 122, Size(reasons=reasons, at_most=2, normal=True))
    return "Coins, the right unit of noise, a public divisor."


step_that_isnt_covered = MendLab(
    mended=_check_step_that_isnt_covered,
    lines=LinesLab(
        lines=5,
        hints={
            3: "the accountant was promised a coin for each person.",
            5: "the noise is in another unit than the sum, and what one divides by may not depend on who was drawn.",
        },
        harmless={1: "line 1 says what the function takes.", 4: "line 4 clips each person's gradient, as it should."},
        praise="those are the lines: a batch of fixed size, a noise and a divisor in the wrong unit. Now mend them.",
    ),
)


def _judge_clipping(draw) -> None:
    """Check the step with everybody in the batch and next to no noise: the sum of the clipped gradients."""
    gradients, clip = np.array([[6.0, 8.0], [0.3, -0.4], [-12.0, 9.0], [0.0, 0.0], [2.0, 0.0]]), 5.0
    found, second_step = (draw(gradients, 1.0, clip, 1e-20)(None, np.random.default_rng(seed)) for seed in range(2))
    if not np.allclose(found, second_step, atol=1e-5):
        raise NotYet("with q = 1 everybody is in the batch, once; in yours somebody is missing, or in them twice.")
    right = clip_norm(gradients, clip).sum(axis=0)
    summed = 5 * right, "that is the noisy sum; divide by q n, the expected size of a batch."
    why = "with q = 1 and hardly any noise, your step isn't the average of the clipped gradients."
    expect(found, right, [*clipping_mistakes(gradients, clip), summed], why, alike)


def _judge_empty_batch(draw) -> None:
    if not draw(np.zeros((50, 9)), 1e-9, 1.0, 1.0)(None, np.random.default_rng(120)).all():
        raise NotYet("where nobody was drawn, yours has no noise: an empty batch needs as much as any other.")


def settings_for_epsilon(answer) -> str:
    """Check settings of DP-SGD: their cost, their work, and their accuracy on the people held out."""
    if not isinstance(answer, dict) or set(answer) != {"steps", "batch", "clip", "sigma", "rate"}:
        raise NotYet('give a dictionary with the keys "steps", "batch", "clip", "sigma" and "rate".')
    given = array([*answer.values()], (5,), "a number for each setting")
    settings = dict(zip(answer, given.tolist(), strict=True))
    settings |= {name: round(settings[name]) for name in ("steps", "batch")}
    if any(settings[name] != value or value <= 0 for name, value in zip(answer, given, strict=True)):
        raise NotYet("all five settings are above 0; steps and batch are whole numbers.")
    census = load_census()
    X, y = census_features(census)
    held = census["SSN"].str[-1].isin(["0", "5"]).to_numpy()
    n = int((~held).sum())
    read = settings["steps"] * settings["batch"]
    if settings["batch"] > n or read > 1_000_000:
        raise NotYet(f"a batch is at most {n:,} people, all steps a million rows; yours read {read:,}.")
    epsilon = dp_sgd_epsilon(q=settings["batch"] / n, sigma=settings["sigma"], steps=settings["steps"], delta=1e-6)
    if epsilon > 0.3 * (1 + 1e-3):
        raise NotYet(f"these settings cost ε = {epsilon:.3f}; let dp.noise_multiplier find a larger σ.")
    fits = [dp_sgd(X[~held], y[~held], **settings, delta=1e-6, rng=np.random.default_rng(seed)) for seed in range(3)]
    right = np.mean([accuracy(fit.theta, X[held], y[held]) for fit in fits])
    if right < 0.823:
        why = "try more steps, or another rate."
        if settings["clip"] > 4:
            why = "the noise grows with the clipping norm, and few gradients are so long."
        if epsilon < 0.2:
            why = "a smaller σ uses what you may spend."
        raise NotYet(f"ε is {epsilon:.2f} of 0.3, but only {right:.1%} are right: {why}")
    return f"ε = {epsilon:.2f}, with {right:.1%} predicted right."
