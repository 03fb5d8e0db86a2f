"""The labs of chapter 15, Synthetic data."""

import math

import numpy as np
from scipy import stats

from .answers import NotYet, array, expect, function, truth
from .noise import fresh
from .tables import NumberLab, NumbersLab

LABS = (
    "what-the-pair-loses",
    "when-does-the-histogram-pay",
    "rows-without-dice",
    "people-from-a-tree",
    "detector-of-copiers",
)

# A table of 100 people, two columns of two answers; a file of the two one-way marginals has 16, 24, 24 and 36 of them.
what_the_pair_loses = NumberLab(
    right=0.28,
    digits=2,
    praise="Each cell is off by 14 people of 100, two by too many and two by too few, so 28 would have to move.",
    mistakes={
        **dict.fromkeys([0.56, 56], "a person who moves counts in two cells, the old one and the new one: take half."),
        **dict.fromkeys([0.14, 14, 0.07], "that is of one cell; add up the shares of all four, and take half."),
        28: "give a share between 0 and 1, not percent.",
        0.3: "the file's cells aren't equal: multiply the shares of those who smoke and who cough.",
        0: "both columns are right, and the pair isn't: how many smoke and cough if the columns are independent?",
    },
    otherwise="write down the four shares if the columns are independent (0.4 times 0.4 is the first), and compare.",
)

when_does_the_histogram_pay = NumbersLab(
    names=["ranges with Laplace noise", "ranges with Gaussian noise"],
    right=[6, 31],
    praise="√30 is about 5.5, and 30 is 30; ε and ρ play no part, as both sides are divided by them.",
    mistakes=[
        ((31, 6), "the other way round: the first number is for Laplace noise."),
        ((30, None), "with Laplace noise: variances add up over the 30 ages, so the deviation grows with √30, not 30."),
        ((31, 31), "with Laplace noise k direct answers have k times the noise each, not √k times."),
        *(((k, None), "at √30 they would be equal; which whole number is the first above?") for k in (5, 5.477)),
        ((8, None), "both have Laplace noise: the factor √2 is on either side."),
        *(((6, k), "with Gaussian noise each of k answers gets ρ/k: its noise grows with √k.") for k in (6, 5.477)),
        ((6, 30), "with Gaussian noise they are equal at 30; which number of ranges is the first above?"),
        ((6, 900), "with Gaussian noise the sum of 30 counts has √30 times the deviation of one, not 30 times."),
    ],
    otherwise="write down both deviations for {name}: k direct answers, and the sum of 30 counts.",
)


def rows_without_dice(answer) -> str:
    """Check whole counts: near the clamped noisy ones, and without a bias."""
    whole, rng = function(answer), np.random.default_rng(154)
    tables = [
        rng.integers(0, 60, size) * (rng.random(size) < 0.8) + rng.laplace(0, 1 / epsilon, size)
        for size, epsilon in [(1_000, 1.0), (50, 0.1), (10_000, 0.5)] + [(500, 1.0)] * 12
    ]
    # Of the last two one has nobody, only noise; the other is rounded up nine times in ten.
    for noisy in [*tables, rng.laplace(size=4_000), np.arange(1_000) % 50 + 0.9]:
        clamped, size = np.maximum(noisy, 0), noisy.size
        given = array(whole(noisy.copy(), rng.spawn(1)[0]), noisy.shape, f"an integer for each of the {size} cells")
        if not (given == np.round(given)).all():
            raise NotYet("people come in whole numbers.")
        if (given < 0).any():
            raise NotYet(f"a cell can't have {given.min():.0f} people: clamp first.")
        _near(given, noisy, clamped)
        # The errors are independent, with mean 0 and a range of 1: beyond 4 √cells by chance once in e^32 (Hoeffding).
        if abs(given.sum() - clamped.sum()) > 4 * math.sqrt(size):
            raise NotYet("the fractions add up: don't round all the same way, and draw, if at all, for each cell anew.")
    fresh(lambda rng: whole(np.full(60, 0.5), rng))
    return "No dice, or only for the fractions: the rows are as good as the counts."


def _near(given, noisy, clamped):
    """Refuse whole numbers that are 1 or more away from the clamped counts."""
    far = np.abs(given - clamped)
    worst = int(far.argmax())
    if far[worst] < 1:
        return
    cell = f"a cell of {noisy[worst]:.2f} got {given[worst]:.0f}"
    if (given[noisy < 0] == np.round(-noisy[noisy < 0])).all():
        raise NotYet(f"{cell}. Below 0 there is nobody: clamp, don't take off the sign.")
    if noisy[worst] < 0 and given[worst] == 1:
        raise NotYet(f"{cell}. After clamping its fraction is 0, so nothing is rounded up.")
    raise NotYet(f"{cell}, which is 1 or more away. Drawing rows does that; so does scaling, or cutting late.")


def people_from_a_tree(answer) -> str:
    """Check rows drawn from a tree of two marginals, against their exact law."""
    rows_from, n = function(answer), 16_000
    cases = [
        (np.array([[12.5, 80.0], [150.0, 0.0]]), np.array([[90.0, 8.5], [90.0, 180.0]])),
        (np.array([[400.5, 20.0, 90.0], [30.0, 250.0, 199.5]]), np.array([[300.0, 100], [20, 10.5], [150, 150]])),
    ]
    for seed, (ab, bc) in enumerate(cases):
        given = rows_from(ab.copy(), bc.copy(), n, np.random.default_rng(seed))
        rows, sizes = array(given, (n, 3), f"{n:,} rows of three codes, those of A, B and C"), (*ab.shape, bc.shape[1])
        if (rows != np.rint(rows)).any() or (rows < 0).any() or (rows >= sizes).any():
            raise NotYet("codes are whole numbers from 0, in each column up to its number of answers less 1.")
        seen = np.zeros(sizes)
        np.add.at(seen, tuple(rows.astype(int).T), 1)
        _judge_tree(seen, ab / ab.sum(), bc)
    if np.array_equal(*(rows_from(ab.copy(), bc.copy(), 100, np.random.default_rng(seed)) for seed in (1, 2))):
        raise NotYet("two generators gave the same rows: draw the rows from rng.")
    fresh(lambda rng: np.ravel(rows_from(ab.copy(), bc.copy(), 100, rng)))
    return "Each column was drawn given its parent: this is how a tree of any number of columns makes people."


def _judge_tree(seen, ab, bc) -> None:
    """Compare how often each (A, B, C) was seen with the law of the tree, and with those of usual mistakes."""
    a, b, given_b = ab.sum(axis=1), bc.sum(axis=1) / bc.sum(), bc / bc.sum(axis=1, keepdims=True)
    by_columns = (bc / bc.sum(axis=0)).T if bc.shape[0] == bc.shape[1] else given_b
    wrong_sums = bc / bc.sum(axis=0)
    wrong_sums = wrong_sums / wrong_sums.sum(axis=1, keepdims=True)
    b_from_bc = np.outer(a, b), ab / ab.sum(axis=0) * b
    frozen = np.eye(bc.shape[1])[seen.sum(axis=0).argmax(axis=1)]
    laws = [
        (np.outer(a, ab.sum(axis=0)), given_b, "A and B are independent in your rows: draw the pair from ab."),
        *((pair, given_b, "B comes from bc: draw A and B from ab, and only C from bc.") for pair in b_from_bc),
        (ab, bc.sum(axis=0) / bc.sum(), "C doesn't depend on B in your rows: draw it from the row of the person's B."),
        (ab, wrong_sums, "you divide bc by the sums of its columns: divide each row by its own sum."),
        (ab, by_columns, "you read bc by columns; its rows are the answers of B."),
        (ab, frozen, "all people with the same B have the same C: draw for each person anew."),
    ]
    why = "C doesn't come up, given B, as often as the row of bc says."
    if not _follow(seen.sum(axis=2), ab):
        why = "the pair (A, B) doesn't come up as often as the cells of ab say."
    mistakes = [(pair[:, :, None] * given, sentence) for pair, given, sentence in laws]
    expect(seen, ab[:, :, None] * given_b, mistakes, why, _follow)


def _follow(seen, law) -> bool:
    """Tell whether these may be counts of independent draws by the law (else 1e-8): each cell expects 28 or more."""
    return not seen[law == 0].any() and stats.chisquare(seen[law > 0], seen.sum() * law[law > 0]).pvalue > 1e-8


def detector_of_copiers(answer) -> str:
    """Check a detector of synthesisers that remember their members."""
    copies, rng = function(answer), np.random.default_rng(155)
    for name, members, strangers, rows, remembers in _files(rng):
        try:
            given = truth(copies(members.copy(), strangers.copy(), rng.permutation(rows)))
        except ZeroDivisionError:
            raise NotYet(f"on {name} you divide by 0: a row may be as close to members as to strangers.") from None
        if given and not remembers:
            raise NotYet(f"you accuse {name}. How often would such a row be closer to a stranger?")
        if remembers and not given:
            raise NotYet(f"you let pass {name}.")
    return "Strangers are the yardstick: without them, nobody knows how close is too close."


def _files(rng):
    """Yield for each file its name, members, strangers, rows, and whether the rows remember the members."""

    def some_of(rows, n):
        return rows[rng.integers(0, len(rows), n)]

    def changed(rows, sizes):
        at = rng.integers(0, rows.shape[1], len(rows))
        rows[np.arange(len(rows)), at] = (rows[np.arange(len(rows)), at] + 1) % sizes[at]
        return rows

    n, m, usual = 240, 120, np.array([2, 5, 7, 9, 16, 12, 20, 8])
    few_kinds, wide = np.array([2, 2, 2, 2, 2]), np.full(12, 60)
    members, strangers = _people(rng, m, usual), _people(rng, m, usual)
    shuffled = np.column_stack([some_of(column, n) for column in members.T])
    mixed = np.vstack([some_of(members, n), _people(rng, 2 * n, usual)])
    yield "an honest file, new people from the same country", members, strangers, _people(rng, n, usual), False
    yield "an honest file of independent columns", members, strangers, shuffled, False
    yield "a file of copied people", members, strangers, some_of(members, n), True
    yield "a file of copies with one answer changed", members, strangers, changed(some_of(members, n), usual), True
    yield "a file of which a third is copied", members, strangers, mixed, True
    yield "a file that remembers the strangers, none of the members", members, strangers, strangers.copy(), False
    members, strangers = _people(rng, m, few_kinds), _people(rng, m, few_kinds)
    yield "an honest file of a country with few kinds of people", members, strangers, _people(rng, m, few_kinds), False
    members, strangers = _people(rng, m, wide), _people(rng, m, wide)
    yield "an honest file of many columns", members, strangers, _people(rng, m, wide), False
    far = some_of(members, m)
    far[:, rng.permutation(12)[:6]] = rng.integers(0, 60, (m, 6))
    yield "a file of copies in which half of the answers are changed", members, strangers, far, True


def _people(rng, n, sizes):
    """Return people whose answers depend on one another, like those of a census."""
    kind = rng.integers(0, 6, n)
    spread = rng.geometric(0.35, (n, sizes.size)) - 1
    if sizes[0] == 60:  # nobody agrees with anybody in more than a few answers
        return rng.integers(0, 60, (n, sizes.size))
    return (kind[:, None] * np.resize([1, 1, 2, 1, 3, 2, 3, 1], sizes.size) + spread) % sizes
