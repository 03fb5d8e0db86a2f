"""Small groups are left out."""

from reviews.review import Review


def before(schools, names, epsilon, rng):
    shown = {}
    for name in names:
        count = list(schools).count(name)
        shown[name] = count + rng.laplace(scale=1 / epsilon)
    return shown


def after(schools, names, epsilon, rng):
    shown = {}
    for name in names:
        count = list(schools).count(name)
        if count >= 10:
            shown[name] = count + rng.laplace(scale=1 / epsilon)
    return shown


def mended(schools, names, epsilon, rng):
    shown = {}
    for name in names:
        count = list(schools).count(name)
        noisy = count + rng.laplace(scale=1 / epsilon)
        if noisy >= 10:
            shown[name] = noisy
    return shown


def released(schools, names, epsilon, rng):
    """What is noisy before groups are left out."""
    return before(schools, names, epsilon, rng)


def post(shown):
    """What is left."""
    return {name: count for name, count in shown.items() if count >= 10}


REVIEW = Review(
    change="More protection: counts below 10 are suppressed.",
    promise="ε = 1 for all that is returned, add/remove-one.",
    unit="A person, who has one row: the name of a school.",
    public="The list `names`, which has every school once.",
    parameters={"names": ["A", "B"], "epsilon": 1.0},
    verdict="breaks",
    lines=("if count >= 10:",),
    reason="The exact count decides whether a school is shown. With 10 pupils it is there, with 9 it isn't, and"
    " no noise"
    " hides that.",
    mending="Compare the noisy count.",
    kind="data-dependent parameter",
    chapter=22,
    source="a common mistake",
    data=["A"] * 10,
    neighbour=["A"] * 9,
    event="school A is shown",
    happens=lambda output: "A" in output,
    trials=400,
)
