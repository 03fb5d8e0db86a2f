"""The labs of chapter 13, Local DP (i): randomized response."""

import math

import numpy as np

from .answers import NotYet, close, function, margin, number


def lab_1(answer) -> str:
    """Check the epsilon of a coin that is honest with probability 0.6 and says yes with 0.3 otherwise."""
    given = number(answer)
    if close(given, math.log(0.88 / 0.28)):
        raise NotYet("that is what a no gives away. A yes gives away more.")
    if close(given, math.log(1.6 / 0.4)):
        raise NotYet("that would be right if the second coin were fair. It says yes with probability 0.3.")
    if close(given, 6) or close(given, math.log2(6)) or close(given, math.log10(6)):
        raise NotYet("the ratio is right. ε is its natural logarithm.")
    if close(given, math.log(0.72 / 0.28)) or close(given, math.log(0.88 / 0.12)):
        raise NotYet("compare two truths for one report, not two reports for one truth.")
    if not close(given, math.log(6)):
        raise NotYet("start from the chances of a yes: 0.6 + 0.4 · 0.3 if the truth is yes, 0.4 · 0.3 if it is no.")
    return "A yes is six times as likely from those whose truth is yes: ε = ln 6."


def lab_2(answer) -> str:
    """Check a 95% interval for the share of true yeses among the people who reported."""
    interval, covered, surveys = function(answer), 0, 1_000
    # Chosen so that no interval reaches 0 or 1, where cutting it would be as good.
    for n, yeses, noise in [(400, 150, 0.5), (10_000, 4_200, 0.8), (2_500, 1_500, 0.1)]:
        reports = np.arange(n) < yeses
        _judge_interval(*_ends(interval(reports.copy(), noise)), share=yeses / n, n=n, noise=noise)
    rng = np.random.default_rng(1302)
    for _ in range(surveys):
        low, high = _ends(interval(rng.random(500) < np.repeat([0.8, 0.2], [150, 350]), 0.4))
        covered += low <= 0.3 <= high
    return f"In {surveys:,} simulated surveys it held the true share {covered / surveys:.0%} of the time."


def lab_3(answer) -> str:
    """Check that a response tosses a second coin for each person."""
    respond, n = function(answer), 40_000
    _check_fresh_coins(respond)
    for noise in (0.5, 0.2, 0.8):
        for truth in (True, False):
            rng = np.random.default_rng(1303)
            reports = _reports(respond(np.full(n, truth), noise, rng), n)
            share, right = reports.mean(), 1 - noise / 2 if truth else noise / 2
            if abs(share - right) > margin(n):
                said = "yes" if truth else "no"
                raise NotYet(
                    f"at noise {noise:g}, people whose truth is {said} say yes with probability {right:g}; "
                    f"of yours, {share:.3f} do."
                )
    answers = np.random.default_rng(1).random(1_000) < 0.3
    given = answers.copy()
    respond(given, 0.5, np.random.default_rng(2))
    if not np.array_equal(given, answers):
        raise NotYet("respond must leave the true answers as they are: it changed the array that it was given.")
    return "Two independent coins for each person: at noise 0.5 a no is three times as likely from a no, and no more."


def lab_4(answer) -> str:
    """Check the epsilon of any two coins as a function."""
    epsilon, rng = function(answer), np.random.default_rng(1304)
    coins = [(0.5, 0.5), (0.5, 0.25), (0.5, 0.75), *rng.uniform(0.05, 0.95, (50, 2)).tolist()]
    for a, b in coins:
        given = number(epsilon(a, b))
        yes, no = math.log1p(a / ((1 - a) * b)), math.log1p(a / ((1 - a) * (1 - b)))
        if math.isclose(given, max(yes, no), rel_tol=1e-6):
            continue
        at = f"at a = {a:.3g} and b = {b:.3g}"
        if math.isclose(given, yes, rel_tol=1e-6):
            raise NotYet(f"{at} a no gives away more than a yes. Your ε would call a coin that always says yes safe.")
        if math.isclose(given, no, rel_tol=1e-6):
            raise NotYet(f"{at} a yes gives away more than a no. Your ε would call a coin that never says yes safe.")
        if math.isclose(given, math.exp(max(yes, no)), rel_tol=1e-6):
            raise NotYet("that is the ratio; ε is its logarithm.")
        raise NotYet(f"{at} ε is {max(yes, no):.4f}, yours is {given:.4f}.")
    return "It depends on b only through the smaller of b and 1 - b, and that is largest for the fair coin."


def lab_5(answer) -> str:
    """Check the smallest epsilon for a survey of given size and error."""
    design = function(answer)
    for n, error in [(5_000, 0.03), (1_000, 0.05), (100_000, 0.01), (1_000_000, 0.01), (400, 0.04)]:
        given, honesty = design(n, error), 0.98 / (error * math.sqrt(n))
        case = f"with {n:,} people and an error of {error:g}"
        if honesty >= 1:
            if given is not None and not math.isinf(number(given)):
                raise NotYet(f"{case} even honest answers are too few: return None.")
        elif given is None:
            raise NotYet(f"{case} there is such a coin, yet yours says None.")
        else:
            _judge_design(number(given), n, error, case)
    return "Ask more people, accept a larger error, or give up privacy: any two of the three fix the last."


def _ends(interval) -> tuple[float, float]:
    """Return the ends of the reader's interval, or say that two numbers are wanted."""
    if not isinstance(interval, (tuple, list, np.ndarray)) or len(interval) != 2:
        raise NotYet(f"return two numbers, (low, high), not {type(interval).__name__}.")
    low, high = number(interval[0]), number(interval[1])
    if not low < high:
        raise NotYet(f"low must be below high; yours runs from {low:.3f} to {high:.3f}.")
    return low, high


def _judge_interval(low, high, *, share, n, noise) -> None:
    centre, half = (low + high) / 2, (high - low) / 2
    right = (share - noise / 2) / (1 - noise)
    if math.isclose(centre, share, abs_tol=1e-6):
        raise NotYet("your interval is centred on the share of reported yeses. Take the coins out first.")
    if not math.isclose(centre, right, abs_tol=1e-3):
        raise NotYet(
            f"with {share:.0%} yeses at noise {noise:g} the estimate is {right:.3f}; yours is in the middle "
            f"at {centre:.3f}."
        )
    sd = math.sqrt(noise / 2 * (1 - noise / 2) / n) / (1 - noise)
    if close(half, 1.96 * sd):
        return
    reported = math.sqrt(share * (1 - share) / n)
    if close(half, sd):
        raise NotYet("that is one standard deviation either way; 95% takes 1.96 of them.")
    if close(half, 1.96 * reported):
        raise NotYet("that is the interval of the reported share. The estimate stretches it by 1/(1 - noise).")
    if close(half, 1.96 * reported / (1 - noise)):
        raise NotYet(
            "that is for the share in a population from which the people were drawn; asked is the share among them, "
            "where only the coins are random."
        )
    raise NotYet(f"with {n:,} reports at noise {noise:g} it reaches {1.96 * sd:.4f} either way; yours, {half:.4f}.")


def _reports(reports, n: int) -> np.ndarray:
    """Return the reader's reports as booleans, or say what is wrong with their form."""
    array = np.asarray(reports)
    if array.shape != (n,):
        raise NotYet(f"return an array with one report for each person: {n:,} people got shape {array.shape}.")
    if array.dtype.kind not in "buif" or not np.isin(array, [0, 1]).all():
        raise NotYet("reports must be True or False.")
    return array.astype(bool)


def _check_fresh_coins(respond) -> None:
    """Refuse coins that are not from ``rng``, or that people share."""
    people, surveys = np.zeros(1_000, dtype=bool), 2_000

    def survey(seed):
        return _reports(respond(people.copy(), 0.5, np.random.default_rng(seed)), len(people))

    if not np.array_equal(survey(0), survey(0)):
        raise NotYet("take all coins from rng: the same rng gave different reports.")
    if np.array_equal(survey(0), survey(1)):
        raise NotYet("take all coins from rng: two different ones gave the same reports.")
    counts = np.array([survey(seed).sum() for seed in range(surveys)])
    share = counts.mean() / len(people)
    # A count of independent reports is binomial.  Its sample variance has a relative standard deviation of about
    # sqrt(2 / 1,999) = 3.2%, so that it stays within a fifth of the true one except with probability 1e-8.
    if not 0.8 < np.var(counts) / max(len(people) * share * (1 - share), 1e-9) < 1.2 and 0 < share < 1:
        raise NotYet("the reports of different people hang together: everybody needs coins of their own.")


def _judge_design(given, n, error, case) -> None:
    honesty = 0.98 / (error * math.sqrt(n))
    right = math.log((1 + honesty) / (1 - honesty))
    if close(given, right):
        return
    if close(given, 2 * math.asinh(1.96 / (2 * error * math.sqrt(n)))):
        raise NotYet("your error is that of the coins alone. The luck of the draw adds p(1 - p)/n to the variance.")
    one = honesty / 1.96
    if close(given, math.log((1 + one) / (1 - one))):
        raise NotYet("your error is one standard deviation; 95% takes 1.96 of them.")
    if close(given, honesty) or close(given, 1 - honesty):
        raise NotYet("that is a probability of the first coin; turn it into ε.")
    if close(given, math.log(20) / (n * error)):
        raise NotYet("that is a curator's ε, with Laplace noise. Here everybody adds noise of their own.")
    size = "larger" if given > right else "smaller"
    raise NotYet(f"{case} ε is {right:.3f}; yours is {size}, {given:.3f}.")
