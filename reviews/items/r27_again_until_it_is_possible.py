"""No impossible answers."""

from reviews.review import Review


def before(patients, epsilon, rng):
    noisy = len(patients) + rng.laplace(scale=1 / epsilon)
    return noisy


def after(patients, epsilon, rng):
    noisy = len(patients) + rng.laplace(scale=1 / epsilon)
    while noisy < 0:
        noisy = len(patients) + rng.laplace(scale=1 / epsilon)
    return noisy


def mended(patients, epsilon, rng):
    noisy = len(patients) + rng.laplace(scale=1 / epsilon)
    if noisy < 0:
        noisy = 0
    return noisy


def released(patients, epsilon, rng):
    """What is noisy before it is cut."""
    return before(patients, epsilon, rng)


def post(noisy):
    """What is done to it."""
    return max(noisy, 0)


REVIEW = Review(
    change="A negative number of patients is drawn again.",
    promise="ε = 1, add/remove-one.",
    unit="A person, who has one row.",
    public="Nothing but the code.",
    parameters={"epsilon": 1.0},
    verdict="breaks",
    lines=("while noisy < 0:",),
    also=("noisy = len(patients) + rng.laplace(scale=1 / epsilon)",),
    reason="To draw again, the program looks at the data again: how often it must depends on the exact count. With no"
    " patient half of all draws are thrown away, with one fewer, so answers near 0 are up to 2e − 1 = 4.4 times"
    " as likely"
    " without her: ε is about 1.5.",
    mending="Cut at 0, which uses the noisy number alone.",
    kind="post-processing",
    chapter=4,
    source="a common mistake",
    data=[],
    neighbour=["Ada"],
    event="the answer is below 0.2",
    happens=lambda output: output < 0.2,
    trials=100_000,
)
