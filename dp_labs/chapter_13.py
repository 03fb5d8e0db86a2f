"""The labs of chapter 13, Local DP (i): randomized response."""

import math
from functools import partial

import numpy as np

from .answers import PROTOCOLS, NotYet, about, barred, binary, expect, finite, function, leaves_alone, pair
from .noise import may_be, reports
from .tables import LinesLab, MendLab, NumberLab

LABS = (
    "app-that-rarely-says-yes",
    "honest-interval",
    "one-toss-saved",
    "unfair-second-coin",
    "survey-before-it-is-asked",
)

app_that_rarely_says_yes = NumberLab(
    right=math.log(6),
    praise="A yes is six times as likely from those whose truth is yes: ε = ln 6.",
    mistakes={
        math.log(0.88 / 0.28): "that is what a no gives away. A yes gives away more.",
        math.log(1.6 / 0.4): "that would be right if the second coin were fair. It says yes with probability 0.3.",
        **dict.fromkeys([6, math.log2(6), math.log10(6)], "the ratio is right. ε is its natural logarithm."),
        **dict.fromkeys([math.log(0.72 / 0.28), math.log(0.88 / 0.12)], "compare two truths, not two reports."),
        math.log(0.6 / 0.12): "a truth of yes is reported as yes by the second coin, too: 0.6 is not all of it.",
        math.log(0.6 / 0.4): "those are the sides of the first coin. Compare the chances of a yes under both truths.",
        -math.log(6): "the ratio is upside down: ε is never negative.",
    },
    otherwise="start from the chances of a yes: 0.6 + 0.4 · 0.3 if the truth is yes, 0.4 · 0.3 if it is no.",
)


def honest_interval(answer) -> str:
    """Check a 95% interval for the share of true yeses among the people who reported."""
    interval = function(answer)
    # Chosen so that no interval reaches 0 or 1, where cutting it would be as good.
    for n, yeses, noise in [(400, 150, 0.5), (10_000, 4_200, 0.8), (2_500, 1_500, 0.1)]:
        answers = np.arange(n) < yeses
        _judge_interval(*_ends(interval(answers.copy(), noise)), share=yeses / n, n=n, noise=noise)
    rng, chances = np.random.default_rng(1302), np.repeat([0.8, 0.2], [150, 350])
    surveys = [_ends(interval(rng.random(500) < chances, 0.4)) for _ in range(500)]
    covered = np.mean([low <= 0.3 <= high for low, high in surveys])
    return f"In 500 simulated surveys it held the true share {covered:.0%} of the time."


@barred(*PROTOCOLS, why="write respond yourself: the package's protocols do this already.")
def _check_one_toss_saved(answer) -> str:
    """Check a response with a second coin, for each person and for every noise."""
    respond, n = function(answer), 200_000
    truths = np.arange(60) < 30
    reports(lambda rng: _reports(respond(truths.copy(), 0.5, rng), 60), truths, "person")
    for noise, people, times in [(0.5, n, 1), (0.8, 30_000, 1), (0.05, 10_000, 1), (1.0, 10_000, 1), (0.5, 1, 600)]:
        for truth in (True, False):
            _judge_response(respond, truth, noise, people, times)
    leaves_alone(lambda answers: respond(answers, 0.5, np.random.default_rng(2)), np.arange(1_000) % 3 == 0)
    return (
        "Everybody's coins are their own: at noise 0.5 a no is three times as likely if the truth is no, and not more."
    )


one_toss_saved = MendLab(
    mended=_check_one_toss_saved,
    lines=LinesLab(
        lines=3,
        hints={3: "one line looks twice at the same random number."},
        harmless={1: "line 1 says what the function takes."},
        praise="that is the line: one coin decides two things. Now mend it.",
    ),
)


def unfair_second_coin(answer) -> str:
    """Check which second coins keep a given epsilon."""
    b_range, rng = function(answer), np.random.default_rng(1304)
    cases = [(0.5, math.log(5)), (0.5, math.log(3) + 1e-6), (0.5, 1.0), (0.2, 3.0), (0.9, 2.0), (0.8, 4.0)]
    cases += zip(rng.uniform(0.05, 0.8, 20), rng.uniform(0.3, 5, 20), strict=True)
    for a, epsilon in cases:
        least = a / ((1 - a) * math.expm1(epsilon))
        given, case = b_range(a, epsilon), f"for a = {a:.3g} and ε = {epsilon:.3g}"
        if not _is_none(given, least > 0.5, "even the fair coin gives away too much", case):
            _judge_range(*_ends(given), least, case)
    return "Both sides of the second coin must be common enough to hide behind; the fair coin hides best."


def survey_before_it_is_asked(answer) -> str:
    """Check the smallest epsilon for a survey of given size and error."""
    design = function(answer)
    for n, error in [(5_000, 0.03), (1_000, 0.05), (100_000, 0.01), (1_000_000, 0.01), (400, 0.04)]:
        given, honesty = design(n, error), 0.98 / (error * math.sqrt(n))
        case = f"with {n:,} people and an error of {error:g}"
        if not _is_none(given, honesty >= 1, "even honest answers are too few", case):
            _judge_design(finite(given), n, error, honesty, case)
    return "Ask more people, accept a larger error, or give up privacy: any two of the three fix the last."


def _ends(interval) -> tuple[float, float]:
    """Return the ends of the reader's interval, or say that two numbers are wanted."""
    low, high = map(finite, pair(interval, "(low, high)"))
    if not low <= high:
        raise NotYet(f"low must not be above high; yours runs from {low:.3f} to {high:.3f}.")
    return low, high


def _judge_interval(low, high, *, share, n, noise) -> None:
    centre, half = (low + high) / 2, (high - low) / 2
    right = (share - noise / 2) / (1 - noise)
    mistakes = [
        (share, "your interval is centred on the share of reported yeses. Take the coins out first."),
        (right * n, "give shares between 0 and 1, not numbers of people."),
    ]
    why = f"with {share:.0%} yeses at noise {noise:g} the estimate is {right:.3f}; your middle is {centre:.3f}."
    expect(centre, right, mistakes, why, partial(math.isclose, rel_tol=1e-3, abs_tol=1e-3))
    sd = math.sqrt(noise / 2 * (1 - noise / 2) / n) / (1 - noise)
    reported = math.sqrt(share * (1 - share) / n)
    stretch = "that is the interval of the reported share. The estimate stretches it by 1/(1 - noise)."
    root = "mind the root: the variance is that of one report over n, and the interval takes its root."
    mistakes = [
        *((z * sd, f"it reaches {z:g} × the standard deviation; 95% takes 1.96 of them.") for z in (1, 1.645, 2)),
        *((1.96 * error, stretch) for error in (sd * (1 - noise), reported)),
        *((1.96 * error, root) for error in (sd * math.sqrt(n), sd**2)),
        (1.96 * reported / (1 - noise), "the people who reported are all that counts: only the coins are random."),
    ]
    why = f"with {n:,} reports at noise {noise:g} it reaches {1.96 * sd:.4f} either way; yours, {half:.4f}."
    expect(half, 1.96 * sd, mistakes, why)


def _reports(sent, n: int) -> np.ndarray:
    """Return the reader's reports as zeros and ones, or say what is wrong with their form."""
    return binary(sent, (n,), "a True or False for each person", "reports must be True or False.")


def _judge_response(respond, truth, noise, n, times) -> None:
    rng = np.random.default_rng(1303)
    sent = np.concatenate([_reports(respond(np.full(n, truth), noise, rng), n) for _ in range(times)])
    right, who = (1 - noise / 2, "yes") if truth else (noise / 2, "no")
    if not may_be(sent, right):
        who = f"people whose truth is {who} say yes with probability {right:g}"
        raise NotYet(f"at noise {noise:g}, {who}; of yours, {sent.mean():.3f} do.")


def _is_none(given, impossible, why, case) -> bool:
    """Tell whether there is no such coin, or refuse an answer that says otherwise."""
    if (given is None) != impossible:
        raise NotYet(f"{case} {why}: return None." if impossible else f"{case} there is such a coin; yours finds none.")
    return impossible


def _judge_range(low, high, least, case) -> None:
    ends = [(low, least, low < least, "a yes"), (high, 1 - least, high > 1 - least, "a no")]
    for b, right, wide, report in ends:
        why = f"your range is too narrow: b = {right:.3f} keeps ε, too."
        if wide:
            why = f"your range is too wide: at b = {np.clip(b, 0, 1):.3f} {report} gives away more than ε."
        elif abs(b - 0.5) < 1e-3:
            why = "the fair coin is only the best one; others keep ε, too."
        expect(b, right, [], why, about, case)


def _judge_design(given, n, error, honesty, case) -> None:
    right = 2 * math.atanh(honesty)
    mistakes = [
        (2 * math.asinh(honesty), "the luck of the draw adds f(1 - f)/n to the variance of the coins."),
        (2 * math.atanh(honesty / 1.96), "your error is one standard deviation; 95% takes 1.96 of them."),
        *((chance, "that is a probability of the first coin; turn it into ε.") for chance in (honesty, 1 - honesty)),
        (math.exp(right), "that is the ratio; ε is its natural logarithm."),
        (math.log(20) / (n * error), "that is a curator's ε, with Laplace noise. Here everybody adds their own."),
    ]
    expect(given, right, mistakes, f"{case} ε is {right:.3f}; yours is {given:.3f}.")
