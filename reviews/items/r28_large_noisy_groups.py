"""A threshold for the map."""

from reviews.review import Review


def before(districts, names, epsilon, rng):
    counts = {name: list(districts).count(name) for name in names}
    noise = {name: rng.laplace(scale=1 / epsilon) for name in names}
    return {name: counts[name] + noise[name] for name in names}


def after(districts, names, epsilon, rng):
    counts = {name: list(districts).count(name) for name in names}
    noise = {name: rng.laplace(scale=1 / epsilon) for name in names}
    noisy = {name: counts[name] + noise[name] for name in names}
    largest = max(noisy.values())
    return {name: value / largest for name, value in noisy.items() if value > 0.1 * largest}


def released(districts, names, epsilon, rng):
    """What is noisy before it is compared."""
    return before(districts, names, epsilon, rng)


def post(noisy):
    """What is made of it."""
    largest = max(noisy.values())
    return {name: value / largest for name, value in noisy.items() if value > 0.1 * largest}


REVIEW = Review(
    change="The map shows shares of the largest district, and leaves the smallest ones out.",
    promise="ε = 1 for all that is returned, add/remove-one.",
    unit="A person, who has one row: the name of his or her district.",
    public="The list `names`, which has at least one name, each once. The code that draws the map isn't in the change.",
    parameters={"names": ["A", "B"], "epsilon": 1.0},
    verdict="keeps",
    lines=(
        "largest = max(noisy.values())",
        "return {name: value / largest for name, value in noisy.items() if value > 0.1 * largest}",
    ),
    also=("noisy = {name: counts[name] + noise[name] for name in names}",),
    reason="What is compared, divided and left out are noisy numbers, and nothing looks at the counts again. That is"
    " post-processing, although districts come and go.",
    kind="post-processing",
    chapter=4,
    source="the other side of a common mistake",
    data=["A", "B", "B"],
    neighbour=["A", "B"],
    event="district B is shown",
    happens=lambda output: "B" in output,
    trials=20_000,
)
