"""No negative counts."""

from reviews.review import Review


def before(patients, epsilon, rng):
    count = len(patients)
    noisy = count + rng.laplace(scale=1 / epsilon)
    return noisy


def after(patients, epsilon, rng):
    count = len(patients)
    noisy = count + rng.laplace(scale=1 / epsilon)
    whole = round(noisy)
    if whole < 0:
        whole = 0
    return whole


def released(patients, epsilon, rng):
    """What is noisy before it is rounded."""
    return before(patients, epsilon, rng)


def post(noisy):
    """What is done to it afterwards."""
    return max(0, round(noisy))


REVIEW = Review(
    change="The press office wants whole numbers, and none below 0.",
    promise="ε = 1, add/remove-one.",
    unit="A person, who has one row.",
    public="Nothing but the code.",
    parameters={"epsilon": 1.0},
    verdict="keeps",
    lines=("whole = 0", "if whole < 0:", "whole = round(noisy)"),
    reason="Whoever reads the noisy count could round it and cut it at 0 without you. What is made of the noisy"
    " answer"
    " alone costs nothing (post-processing). It does shift small counts upwards on average, which is another matter.",
    kind="post-processing",
    chapter=4,
    first=True,
    source="a common question of users: negative counts",
    data=[1],
    neighbour=[],
    event="the answer is 0",
    happens=lambda output: output == 0,
    trials=20_000,
)
