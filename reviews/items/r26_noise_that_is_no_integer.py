"""One kind of noise for all."""

import dp_helpers as dp
from reviews.review import Review


def before(count, epsilon, rng):
    return dp.geometric_mechanism(count, sensitivity=1, epsilon=epsilon, rng=rng)


def after(count, epsilon, rng):
    noise = rng.laplace(scale=1 / epsilon)
    noisy = float(count) + noise
    return noisy


mended = before


def sound_epsilon():
    """The geometric mechanism's loss, by its formula: neighbouring whole numbers differ by the factor e^ε."""
    return 1.0


def is_fine(output):
    """Tell whether a number near 0 is finer than the floats near 1."""
    return abs(output) < 1 / 4 and (output * 2.0**53) % 1 != 0


REVIEW = Review(
    change="Laplace noise instead of the geometric one, as everywhere else in our code.",
    promise="ε = 1, add/remove-one, for the number as it is handed out, to its last bit.",
    unit="A person, who has one row. The data, `count`, is the number of rows.",
    public="Nothing but the code.",
    parameters={"epsilon": 1.0},
    verdict="breaks",
    lines=("noisy = float(count) + noise",),
    also=("noise = rng.laplace(scale=1 / epsilon)",),
    reason="Floats near 0 are finer than floats near 1. After 1 + noise the last bits are rounded away, after 0"
    " + noise they"
    " are there, so some outputs come from 0 alone.",
    mending="Noise that is a whole number.",
    kind="floats",
    chapter=16,
    source="Mironov (2012); public reports to a library (diffprivlib, issue 94)",
    data=0,
    neighbour=1,
    event="the output is near 0 and no multiple of 2⁻⁵³",
    happens=is_fine,
    trials=4_000,
)
