"""The labs of chapter 15, Synthetic data."""

import math

import numpy as np

from .answers import NotYet, close, function, number


def lab_1(answer) -> str:
    """Check a percentage error whose arguments were swapped, mended."""
    given, right = number(answer), 100 * 9.583 / (100 - 9.583)
    if math.isclose(given, right, rel_tol=1e-3):
        return "Of a too large estimate the swapped error is too small, and can never exceed 100%."
    if math.isclose(given, right / 100, rel_tol=1e-3):
        raise NotYet("give it in percent.")
    if math.isclose(given, 9.583, rel_tol=1e-3):
        raise NotYet("that is in percent of the synthetic count, since the arguments are swapped.")
    if math.isclose(given, 100 * 9.583 / (100 + 9.583), rel_tol=1e-3):
        raise NotYet("that would be right for a synthetic count that is too small.")
    raise NotYet("let the synthetic count be 100: by how much is it too large, and what is the real count?")


def lab_2(answer) -> str:
    """Check the number of ranges from which one histogram is better."""
    given = number(answer)
    if given == 6:
        return "√30 is about 5.5; ε plays no part, as both errors are divided by it."
    if given in (30, 31):
        raise NotYet("variances add up over the 30 ages, so the standard deviation grows with √30, not 30.")
    if close(given, math.sqrt(30)):
        raise NotYet("there they would be equal; which whole number of ranges is the first above?")
    if given in (8, 60, 61) or close(given, math.sqrt(60)):
        raise NotYet("both have Laplace noise: the factor √2 is on either side.")
    k = max(given, 0)
    raise NotYet(f"{given:g} direct answers have a deviation of {math.sqrt(2) * k:.1f}, the histogram √60 ≈ 7.7.")


def lab_3(answer) -> str:
    """Check the expected number of people that clamping adds."""
    added = function(answer)
    cases = [([0] * 200, 1.0), ([0, 1, 2, 3, 40] * 40, 0.5), ([5] * 300, 0.1), ([0, 2, 9] * 100, 2.0)]
    for counts, epsilon in cases:
        counts = np.array(counts)
        given = number(added(counts.copy(), epsilon))
        right = float(np.sum(np.exp(-counts * epsilon)) / (2 * epsilon))
        if math.isclose(given, right, rel_tol=0.03):
            continue
        case = f"for {counts.size} cells with {counts.min()} to {counts.max()} people at ε = {epsilon:g}"
        if math.isclose(given, 2 * right, rel_tol=0.03):
            raise NotYet(f"{case} you are twice too high: the noise is negative only half of the time.")
        if math.isclose(given, right / counts.size, rel_tol=0.03):
            raise NotYet("that is the mean of a cell; add up all cells.")
        if math.isclose(given, right + counts.sum(), rel_tol=0.03):
            raise NotYet("that is the size of the clamped table; by how much did it grow?")
        if math.isclose(given, float(np.sum(np.exp(-counts / epsilon)) * epsilon / 2), rel_tol=0.03):
            raise NotYet("the scale of the noise is b = 1/ε, not ε.")
        raise NotYet(f"{case} clamping adds {right:.1f} people; yours is {given:.1f}.")
    return "All of them are made of noise, and most are in cells where nobody is."


def lab_4(answer) -> str:
    """Check whole counts: near the clamped noisy ones, and without a bias."""
    whole, rng = function(answer), np.random.default_rng(154)
    for size, epsilon in [(1_000, 1.0), (50, 0.1), (1_000, 0.05)]:
        noisy = rng.integers(0, 60, size) + rng.laplace(0, 1 / epsilon, size)
        clamped = np.maximum(noisy, 0)
        given = np.asarray(whole(noisy.copy(), np.random.default_rng(size)))
        if given.shape != noisy.shape:
            raise NotYet(f"return an integer for each of the {size} cells; yours has the shape {given.shape}.")
        if given.dtype.kind not in "iuf" or not (given == np.round(given)).all():
            raise NotYet("people come in whole numbers.")
        if (given < 0).any():
            raise NotYet(f"a cell can't have {given.min():.0f} people: clamp first.")
        worst = int(np.abs(given - clamped).argmax())
        if abs(given[worst] - clamped[worst]) >= 1:
            raise NotYet(
                f"a cell of {noisy[worst]:.2f} got {given[worst]:.0f}, which is 1 or more away. "
                "Drawing rows does that; so does scaling."
            )
        # The errors are independent, with mean 0 and a range of 1: beyond 4 √cells by chance once in e^32 (Hoeffding).
        if abs(given.sum() - clamped.sum()) > 4 * math.sqrt(size):
            raise NotYet("the fractions add up: don't round all of them the same way.")
    return "No dice, or only for the fractions: the rows are as good as the counts."


def lab_5(answer) -> str:
    """Check a detector of synthesisers that remember their members."""
    copies, rng = function(answer), np.random.default_rng(155)
    sizes = np.array([2, 5, 7, 9, 16, 12, 20, 8])

    def people(n):  # columns that depend on one another, like those of a census
        kind = rng.integers(0, 6, n)
        spread = rng.geometric(0.35, (n, sizes.size)) - 1
        return (kind[:, None] * np.array([1, 1, 2, 1, 3, 2, 3, 1]) + spread) % sizes

    def changed(rows):
        rows = rows.copy()
        at = rng.integers(0, sizes.size, len(rows))
        rows[np.arange(len(rows)), at] = (rows[np.arange(len(rows)), at] + 1) % sizes[at]
        return rows

    def some_of(rows, n):
        return rows[rng.integers(0, len(rows), n)]

    for _ in range(3):
        members, strangers, n = people(600), people(600), 300
        shuffled = np.column_stack([rng.permutation(column) for column in members.T])[:n]
        files = [
            ("an honest file, new people from the same country", people(n), False),
            ("an honest file of independent columns", shuffled, False),
            ("a file of copied people", some_of(members, n), True),
            ("a file of copies with one answer changed", changed(some_of(members, n)), True),
            ("a file of which a third is copied", np.vstack([some_of(members, n // 3), people(n - n // 3)]), True),
            ("a file that remembers the strangers, none of the members", strangers[:n], False),
        ]
        for name, rows, remembers in files:
            given = copies(members.copy(), strangers.copy(), rng.permutation(rows))
            if not isinstance(given, (bool, np.bool_)):
                raise NotYet(f"return True or False, not {type(given).__name__}.")
            if given and not remembers:
                raise NotYet(f"you accuse {name}. How often would such a row be closer to a stranger?")
            if remembers and not given:
                raise NotYet(f"you let pass {name}.")
    return "Strangers are the yardstick: without them, nobody knows how close is too close."
