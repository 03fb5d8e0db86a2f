"""Half the noise in a histogram."""

from reviews.review import Review


def before(parties, names, epsilon, rng):
    counts = {}
    for name in names:
        count = list(parties).count(name)
        counts[name] = count + rng.laplace(scale=2 / epsilon)
    return counts


def after(parties, names, epsilon, rng):
    counts = {}
    for name in names:
        count = list(parties).count(name)
        counts[name] = count + rng.laplace(scale=1 / epsilon)
    return counts


mended = before


REVIEW = Review(
    change="Every voter is in one count, so the sensitivity is 1, not 2.",
    promise="ε = 1 for all that is returned, replace-one: somebody's row is exchanged for another.",
    unit="A person, who has one row: the name of a party.",
    public="The list `names`, which has every party once, two at least, and how many people voted.",
    parameters={"names": ["A", "B"], "epsilon": 1.0},
    verdict="breaks",
    lines=("counts[name] = count + rng.laplace(scale=1 / epsilon)",),
    reason="A changed vote leaves one count and enters another, so two counts move by 1 each: ε = 2. Noise of"
    " scale 1/ε"
    " would be right for add/remove-one.",
    mending="Noise of scale 2/ε.",
    kind="sensitivity",
    chapter=4,
    first=True,
    source="books that define neighbours by a changed row and noise by an added one",
    data=list("AAAA"),
    neighbour=list("AAAB"),
    event="A has at least 4, and B at most 0",
    happens=lambda output: output["A"] >= 4 and output["B"] <= 0,
    trials=20_000,
)
