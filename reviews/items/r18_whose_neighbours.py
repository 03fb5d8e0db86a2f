"""Less noise for the poll."""

from reviews.review import Review


def before(answers, options, epsilon, rng):
    counts = {}
    for option in options:
        count = list(answers).count(option)
        counts[option] = count + rng.laplace(scale=2 / epsilon)
    return counts


def after(answers, options, epsilon, rng):
    counts = {}
    for option in options:
        count = list(answers).count(option)
        counts[option] = count + rng.laplace(scale=1 / epsilon)
    return counts


REVIEW = Review(
    change="Everybody is in one count, so noise of scale 1/ε is enough.",
    promise="“ε = 1 for every participant”, for all that is returned. The contract has these words, and no definition.",
    unit="A person, who has one row: one of the options.",
    public="The list `options`, which has at least two, each once.",
    parameters={"options": ["A", "B"], "epsilon": 1.0},
    verdict="can't be said",
    lines=("counts[option] = count + rng.laplace(scale=1 / epsilon)",),
    reason="For neighbours by adding or removing a person it is ε = 1. For neighbours by an exchanged answer it"
    " is ε = 2."
    " The promise doesn't say which; ask.",
    completions={
        "keeps": ("add/remove-one", {"data": list("AAA"), "neighbour": list("AAAB")}),
        "breaks": ("replace-one", {"data": list("AAAA"), "neighbour": list("AAAB")}),
    },
    kind="unit",
    chapter=3,
    source="a common gap in claims",
    data=list("AAAA"),
    neighbour=list("AAAB"),
    event="A has at least 4, and B at most 0",
    happens=lambda output: output["A"] >= 4 and output["B"] <= 0,
    trials=20_000,
)
