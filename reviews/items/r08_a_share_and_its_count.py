"""Count and percentage."""

from reviews.review import Review


def before(answers, epsilon, rng):
    yes = sum(answers)
    noisy = yes + rng.laplace(scale=1 / epsilon)
    return noisy


def after(answers, epsilon, rng):
    yes = sum(answers)
    noisy = yes + rng.laplace(scale=1 / epsilon)
    percent = 100 * noisy / len(answers)
    return noisy, percent


def released(answers, epsilon, rng):
    """The one noisy number."""
    return before(answers, epsilon, rng)


def post(noisy):
    """Both outputs, for the public number of 4 people."""
    return noisy, 100 * noisy / 4


REVIEW = Review(
    change="Publish the percentage, too.",
    promise="ε = 1 for all that is returned, replace-one.",
    unit="A person, who has one row: 1 for yes, 0 for no.",
    public="How many people were asked, at least one. What the newspaper rounds the numbers to isn't known.",
    parameters={"epsilon": 1.0},
    verdict="keeps",
    lines=("percent = 100 * noisy / len(answers)", "return noisy, percent"),
    reason="Two outputs, but noise was added once: the percentage is the noisy count, divided by a number that"
    " is public."
    " Anybody could do that, so it costs nothing.",
    kind="post-processing",
    chapter=4,
    first=True,
    source="the other side of a common mistake",
    data=[1, 1, 0, 1],
    neighbour=[1, 1, 0, 0],
    event="the count is at least 3",
    happens=lambda output: output[0] >= 3,
    trials=20_000,
)
