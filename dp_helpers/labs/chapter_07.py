"""The labs of chapter 7, Local sensitivity."""

import math

import numpy as np

from .answers import NotYet, close, follows, function, laplace_cdf, margin, number


def lab_1(answer) -> str:
    """Check the local sensitivity of a mean of five ages."""
    given = number(answer)
    if close(given, 70 / 6):
        raise NotYet("that is the largest change by somebody who joins. Who could leave?")
    if close(given, 100 / 6):
        raise NotYet("that is a bound for newcomers only, and somebody who leaves can do almost as much as that.")
    if close(given, 20):
        raise NotYet("that is a safe bound, range over n, but in this table nobody moves the mean that far.")
    if close(given, 18):
        raise NotYet("that is replace-one: here a person joins or leaves.")
    if not close(given, 15):
        raise NotYet("the mean is 30; compute it again without each person, and with a newcomer of 0 or 100 years.")
    return "Without the oldest the mean falls from 30 to 15; no newcomer can do as much."


def lab_2(answer) -> str:
    """Check the attack on noise that was scaled to the local sensitivity, with a floor of one year."""
    attack, games, rng = function(answer), 4_000, np.random.default_rng(2)
    two, noise = rng.integers(2, size=games).astype(bool), rng.laplace(0, 1, games)
    answers = 20 + noise * np.where(two, 70.0, 1.0)
    wins = 0
    for said, truth in zip((attack(float(given)) for given in answers), two, strict=True):
        if not isinstance(said, (bool, np.bool_)):
            raise NotYet(f"return True or False, not {said!r}.")
        wins += said == truth
    if wins / games < 0.5:
        raise NotYet(f"you win {wins / games:.0%} of the games. Have you mixed up True and False?")
    # The best threshold wins 96% of the games, with a standard deviation of 0.3%.
    if wins / games < 0.92:
        raise NotYet(f"you win {wins / games:.0%} of the games. Look at the size of the noise, on both sides of 20.")
    return f"You win {wins / games:.0%} of the games, where an ε of 1 would allow 73%."


def lab_3(answer) -> str:
    """Check the epsilon of an average over fewer chunks than its noise is made for."""
    given, chunks = number(answer), math.ceil(32_561 / 6)
    if close(given, chunks / 6_000):
        raise NotYet("fewer chunks make one answer weigh more, so ε can't have become smaller.")
    if close(given, chunks):
        raise NotYet(
            "that is the number of chunks. How far does one of them move the mean, in units of the noise scale?"
        )
    if not close(given, 6_000 / chunks):
        raise NotYet("count the slices of 6 rows, rounded up; ε is the change by one of them over the noise scale.")
    return f"Noise for 6,000 chunks, but only {chunks:,} of them: ε is 11% larger than claimed."


def lab_4(answer) -> str:
    """Check the smooth sensitivity of a mean against its definition."""
    smooth = function(answer)
    for n, width, beta in [
        (1000, 100, 0.5),
        (1000, 100, 0.003),
        (3000, 2, 0.002),
        (50, 1, 0.1),
        (7, 1, 3.0),
        (1, 5, 1),
    ]:
        k = np.arange(n + 1)
        terms = np.exp(-beta * k) * width / np.maximum(1, n - k)
        given, right = number(smooth(n, width, beta)), float(terms.max())
        if math.isclose(given, right, rel_tol=1e-6):
            continue
        case = f"for n = {n}, width {width} and β = {beta:g}"
        if n > 1 and math.isclose(given, float(terms[1:].max()), rel_tol=1e-6):
            raise NotYet(f"{case} the maximum is at k = 0, which you leave out.")
        if given < right:
            raise NotYet(f"{case} you get {given:.4g}, but k = {terms.argmax()} alone gives {right:.4g}.")
        raise NotYet(f"{case} you get {given:.4g}; no k gives more than {right:.4g}.")
    return "Every distance from 0 to n is looked at, so the noise is never too small."


def lab_5(answer) -> str:
    """Check a mended propose-test-release: bounds, distance, threshold, and both halves of the cost."""
    ptr, rng = function(answer), np.random.default_rng(5)

    def release(values, bound, epsilon, delta):
        result = ptr(np.asarray(values, dtype=float), 0.0, 100.0, bound, epsilon, delta, rng)
        return None if result is None else number(result)

    try:
        always = release([40.0, 60.0], 150.0, 50.0, 0.1)
    except ZeroDivisionError:
        raise NotYet("a bound above the range still ends in a division by zero.") from None
    if always is None:
        raise NotYet("no table has a local sensitivity above its range, so for such a bound the test always passes.")

    calm = np.repeat([-1000.0, 20.0, 40.0, 3000.0], 500)  # clipped: 0, 20, 40, 100
    answers = [release(calm, 0.2, 2.0, 1e-3) for _ in range(1_000)]
    if None in answers:
        raise NotYet("2,000 rows are calm for a bound of 0.2, hundreds of rows from trouble, and your test refused.")
    errors = np.array(answers) - 40
    if abs(np.median(errors)) > 1:
        raise NotYet("the values have to be clipped to both bounds, and your mean is far off.")
    if not follows(errors, lambda x: laplace_cdf(x, 0.2)):
        scale = np.abs(errors).mean() / 0.2
        raise NotYet(f"your release has noise of {scale:.1f} · bound; at epsilon = 2, half of it is 1.")

    # At distance 0 a safe test passes 30 times of 6,000; 80 or more never happen to it (below 1e-12).
    if sum(release(np.zeros(5), 1.0, 1.0, 0.005) is not None for _ in range(6_000)) > 80:
        raise NotYet("at distance 0 your test passes more often than δ. Check the threshold.")
    if sum(release(np.zeros(10), 9.9, 40.0, 0.005) is not None for _ in range(6_000)) > 80:
        raise NotYet("with 10 rows, one row leaving can move a mean by 10, so a bound of 9.9 has distance 0.")
    # Distance 20 of 30 rows; with half of 0.1 for the test, it passes with the probability below, or more rarely.
    passes = sum(release(np.zeros(30), 100 / 11, 0.1, 0.3) is not None for _ in range(4_000)) / 4_000
    if passes > 1 - math.exp(-0.05 * (20 - math.log(1 / 0.6) / 0.05)) / 2 + margin(4_000):
        raise NotYet("the noise of your test is too small: it may spend half of epsilon only.")
    return "Both bounds, departures, a large bound, half of ε twice, and a threshold that fails with probability δ."


def lab_6(answer) -> str:
    """Check that a name's chunk depends on nothing but the name, and that chunks are about equally large."""
    chunk_of, chunks = function(answer), 8
    names = np.array([f"{first} {last}" for first in ("Ada", "Bob", "Cleo", "Dan") for last in range(500)])

    def assigned(rows):
        given = np.asarray(chunk_of(rows, chunks))
        if given.shape != rows.shape or given.dtype.kind not in "iu":
            raise NotYet("return one whole number for each name.")
        if given.min() < 0 or given.max() >= chunks:
            raise NotYet(f"with {chunks} chunks, the numbers go from 0 to {chunks - 1}.")
        return given

    before = assigned(names)
    for gone in (0, 700, 1999):
        if (assigned(np.delete(names, gone)) != np.delete(before, gone)).any():
            raise NotYet("one name left the table, and others changed their chunk.")
    if (assigned(names[::-1]) != before[::-1]).any():
        raise NotYet("the same names in another order got other chunks.")
    # 250 expected in each of 8 chunks, with a standard deviation of 15 for a good hash.
    sizes = np.bincount(before, minlength=chunks)
    if sizes.min() < 130 or sizes.max() > 400:
        raise NotYet(f"of 2,000 names, your smallest chunk holds {sizes.min()} and your largest {sizes.max()}.")
    return "Whoever leaves takes one row out of one chunk, and nobody else moves."
