"""Several districts."""

from reviews.review import Review


def before(districts, names, epsilon, rng):
    share = epsilon / len(names)
    counts = {}
    for name in names:
        count = list(districts).count(name)
        counts[name] = count + rng.laplace(scale=1 / share)
    return counts


def after(districts, names, epsilon, rng):
    counts = {}
    for name in names:
        count = list(districts).count(name)
        counts[name] = count + rng.laplace(scale=1 / epsilon)
    return counts


REVIEW = Review(
    change="Each district is a question of its own, so each gets the whole ε.",
    promise="ε = 1 for all that is returned, add/remove-one.",
    unit="A person, who has one row: the name of his or her district.",
    public="The list `names`, which has every district once and comes from a map.",
    parameters={"names": ["A", "B", "C"], "epsilon": 1.0},
    verdict="keeps",
    lines=("counts[name] = count + rng.laplace(scale=1 / epsilon)",),
    reason="With or without a person, one count differs by 1 and the others don't differ at all. Counts of"
    " people who are"
    " in one part each cost ε once (parallel composition).",
    kind="composition",
    chapter=4,
    first=True,
    source="the other side of a common mistake",
    data=["A", "B", "B"],
    neighbour=["A", "B"],
    event="the count of B is at least 2",
    happens=lambda output: output["B"] >= 2,
    trials=20_000,
)
