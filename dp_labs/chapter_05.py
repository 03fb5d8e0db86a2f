"""The labs of chapter 5, Sensitivity."""

import math
from bisect import bisect_left
from contextlib import suppress

import numpy as np
import pandas as pd

from .answers import NotYet, finite, function, number, pair, truth
from .noise import Case, Pair, Size, additive, edge, laplace_steps, not_rounded_before, release
from .tables import NumbersLab

LABS = (
    "cold-place",
    "attack-a-maximum",
    "mean-with-a-public-n",
    "one-person-many-visits",
    "buy-a-bound",
)

cold_place = NumbersLab(
    names=["sum under add/remove", "sum under replace-one", "mean under replace-one"],
    right=[45, 75, 75 / 500],
    praise="A new reading counts in full, an exchanged one by its change.",
    mistakes=[
        ([75, None, None], "75 is the width of the range. Which single reading, added to a sum, moves it most?"),
        *(([x, None, None], "a reading of -30 moves the sum by 30. Another one moves it further.") for x in (30, -30)),
        ([45, 90, None], "twice the add/remove sensitivity is a limit, not always reached: 45 to 45 is no change."),
        *(([45, x, None], "under replace-one: which exchange of two readings moves the sum most?") for x in (45, 30)),
        ([45, 75, 45 / 500], "the mean is asked for under replace-one, too."),
        ([45, 75, 75], "the mean is the sum over a public 500: what becomes of the step?"),
    ],
    otherwise="look again at the {name}: how far can one reading move it?",
)


def attack_a_maximum(answer) -> str:
    """Check an attack on a sum whose noise is scaled to the largest value of the table."""
    attack, rng, noise, wins = function(answer), np.random.default_rng(53), laplace_steps(1_000), []
    for member, income, scale in [(True, 1_000_000, 1_000_000), (False, 0, 50_000)]:
        others = rng.integers(1_000_000, 3_000_000, size=noise.size)
        answers = (others + income + scale * noise).tolist()
        wins += [truth(attack(*known)) == member for known in zip(answers, others.tolist(), strict=True)]
    share = np.mean(wins)
    if share < 0.8:
        side = "less than a 1-DP release might allow" if share < math.e / (1 + math.e) else "but not in 80%"
        raise NotYet(f"you are right in {share:.1%} of the rounds, {side}. The answer can be far off on either side.")
    return f"You win {share:.0%} of the rounds; no 1-DP release allows that."


def mean_with_a_public_n(answer) -> str:
    """Check the noisy mean under replace-one, n public."""
    mean = function(answer)
    off = "with outliers in the data your answers are off: what is asked for is the mean of the clipped values."

    def case(values, lower, upper, epsilon):
        right, scale = np.clip(values, lower, upper).mean(), (upper - lower) / len(values) / epsilon
        where = f"for [{lower}, {upper}], {len(values)} values and ε = {epsilon:g}"
        return Case(
            lambda rng: finite(mean(values.copy(), lower, upper, epsilon, rng)), right, scale, where, around=off
        )

    def noise(value):
        return lambda rng: (finite(mean(np.full(5, value), 0, 1_000, 10.0, rng)) - value) / 20

    reasons = {1 / 3: "It fits the values, which one person may change; the bounds are public."}
    reasons |= dict.fromkeys((0.5, 3), "A value is replaced: it moves by the width at most.")
    reasons |= dict.fromkeys((5, 40), "That covers the sum; what does one value move the mean by?")
    size = Size(reasons=reasons | {2: "All of ε goes into this one release: n is public."})
    # Far from the middle of the bounds, a mean over a noisy count is seen; below 0, a bound taken for the width.
    outliers = np.repeat([40, 49.3, 1e3, -900], [20, 10, 5, 5])
    additive([case(np.linspace(70, 80, 5), 60, 90, 3.0), case(outliers, -50, 50, 3.2)], 54, size)
    edge(noise(0.1), noise(500.0))
    ages = 20 + np.arange(1_000) * 0.061
    not_rounded_before(lambda epsilon, rng: finite(mean(ages.copy(), 0, 100, epsilon, rng)), ages.mean())
    return "One value moves the mean by (upper - lower) / n, no further."


def one_person_many_visits(answer) -> str:
    """Check that a person with many visits is clipped as a person, and covered by the noise."""
    minutes = function(answer)
    usual = pd.DataFrame({"person": np.repeat(np.arange(40), 3), "minutes": np.arange(120) % 61})
    often = pd.DataFrame({"person": 99, "minutes": np.full(50, 35)})
    mixed = pd.concat([usual, often], ignore_index=True).iloc[::-1].reset_index(drop=True)
    few_visits = pd.DataFrame({"person": [0, 0, 1, 1, 2, 2], "minutes": np.full(6, 197)})
    # With an enormous ε there is next to no noise, and the answer is the clipped total.
    for visits, more, rule in [
        (usual, 0, "nobody has more than 600 minutes, and all should count in full"),
        (mixed, 600, "fifty visits of 35 minutes should count for 600 in all"),
    ]:
        off = number(minutes(visits.copy(), 1e9, np.random.default_rng(56))) - usual["minutes"].sum() - more
        if not abs(off) <= 1:
            raise NotYet(f"at an enormous ε your total is off by {off:,.0f}, where {rule}.")

    def case(visits, epsilon, runs):
        def draw(rng):
            return finite(minutes(visits.copy(), epsilon, rng))

        return Case(draw, visits["minutes"].sum(), 600 / epsilon, f"at ε = {epsilon:g}", runs)

    def noise(visits):
        return lambda rng: (finite(minutes(visits.copy(), 1.0, rng)) - visits["minutes"].sum()) / 600

    reasons = {
        200 / 600: "That covers one visit of this table; one person may bring 600 minutes.",
        400 / 600: "That covers the busiest person of this table; another one may bring 600 minutes.",
        2: "A person comes or goes, and isn't replaced: the total moves by 600 at most.",
    }
    # Nobody is near the limit here, and the total is so far from 0 that raising it to 0 changes nothing.
    many_visits = pd.concat([few_visits.assign(person=few_visits["person"] + 3 * k) for k in range(20)])
    cases = [case(few_visits, 10.0, 1_000), case(many_visits, 1.0, 600), case(few_visits, 100.0, 1_500)]
    additive(cases, 58, Size(" minutes", reasons))
    edge(noise(few_visits.assign(minutes=1)[:1]), noise(many_visits))
    return "A person weighs 600 minutes, however many their visits."


_CANDIDATES = 1_000 * 2 ** np.arange(1, 11)

# For each ε, how often the pairs of _bound_is_private are run. A root, or a square, shows on one side of 1 only. Each
# pair has many runs where most of its mistakes show, and elsewhere as few as see a bound without any noise.
_RUNS = {10.0: (500, 5_000, 11_000, 500), 2.0: (500, 2_000, 500, 4_000), 0.2: (4_000, 2_500, 500, 500)}


def buy_a_bound(answer) -> str:
    """Check a bound that was bought with a fifth of epsilon, and the sum that the rest paid for."""
    buy_and_sum = function(answer)

    def bought(values, rng, epsilon=5.0, candidates=_CANDIDATES):
        both = pair(buy_and_sum(values.copy(), candidates.copy(), epsilon, rng), "(bound, total)")
        bound, total = map(finite, both)
        if bound not in candidates:
            raise NotYet(f"your bound {bound:,.0f} isn't one of the candidates, the only bounds to choose from.")
        return bound, total

    def noise(values, epsilon=5.0, candidates=_CANDIDATES):
        def draw(rng):
            bound, total = bought(values, rng, epsilon, candidates)
            return (total - np.minimum(values, bound).sum()) / (bound / (0.8 * epsilon))

        return draw

    _serves(bought)
    off = "your totals aren't those of the clipped values: clip each value to [0, bound], then sum."
    reasons = {
        0.8: "It would be right if all of ε were left, but the bound has been paid for, too.",
        4: "It would be right for a fifth of ε; that part buys the bound.",
        1.6: "Add/remove: one person brings at most the bound.",
    }
    draws = [noise(_village(30)), noise(_village(60), 2.0, 1_500 * 2 ** np.arange(9)), noise(_town())]
    where = "in units of bound / (0.8 ε),"
    additive([Case(draw, 0, 1.0, where, 1_000, off) for draw in draws], 66, Size(reasons=reasons))
    edge(noise(np.zeros(20)), noise(_village(30)))
    _judge_small_sums(bought, Size(reasons=reasons))
    for epsilon, runs in _RUNS.items():
        _bound_is_private(lambda values, rng, epsilon=epsilon: bought(values, rng, epsilon)[0], epsilon, runs)
    with suppress(ArithmeticError, ValueError), np.errstate(all="ignore"):  # some weights overflow there
        exact = np.minimum(_village(30), bought(_village(30), np.random.default_rng(64), 1e9)[0]).sum()
        not_rounded_before(lambda epsilon, rng: bought(_village(30), rng, epsilon)[1], exact)
    return "The bound costs a fifth of ε, the sum the rest, and both together ε."


def _village(rich, poor=20, income=1_500.1234):
    return np.append(np.full(poor, income), np.full(rich, 300_000.0))


def _town():
    return np.round(np.random.default_rng(60).lognormal(10, 0.7, size=1_000))


def _judge_small_sums(bought, size) -> None:
    """Check the noise of sums that are small, whole and not, where there is one candidate only."""

    def case(values):
        def draw(rng):
            return bought(values, rng, 1.0, np.array([4]))[1]

        return Case(draw, values.sum(), 5.0, "with small values,", 1_000)

    additive([case(np.ones(50)), case(np.full(50, 1.31))], 67, size)


def _serves(bought) -> None:
    """Raise NotYet unless the usual bound suits a town of a thousand, rich or poor."""
    rng = np.random.default_rng(65)
    for values in (_town(), np.round(_town() / 100)):
        usual = np.median([bought(values, rng)[0] for _ in range(100)])
        above, most = (values > usual).sum(), values.max()
        if above > 100 or usual > 8 * most:
            case = f"for a town with incomes up to {most:,.0f} your usual bound is {usual:,.0f}"
            raise NotYet(f"{case}, with {above:,} of 1,000 people above it; another candidate costs much less.")


_OWN = " If you count, each count needs noise of its own."


def _bound_is_private(bound, epsilon, runs) -> None:
    """Raise NotYet if the bound tells more than a fifth of ε about newcomers, to nobody or to a village."""
    share, rng = epsilon / 5, np.random.default_rng(61)
    few = max(1, round(3 / share))  # so many people together may tell about 3
    often = f"at ε = {epsilon:g} {{}} change your bound {{{{:.1f}}}} times as often as ε / 5 for each of them allows."
    nobody, rich = map(often.format, ("a few people who come where nobody else is", "a few rich people more"))
    poor = often.format("a few poor people more, beside as many rich ones,") + _OWN
    # With so many rich people most bounds are for them, and with fewer they are not.
    steps = [few * k // 3 for k in range(70)]

    def mostly_rich(step):
        return np.median([bound(_village(steps[step]), rng) for _ in range(40)]) > 100_000

    turn = bisect_left(range(69), True, key=mostly_rich)
    around, before = steps[max(turn - 2, 0)], steps[max(turn - 4, 0)]
    as_many, more_poor = (_village(steps[turn], steps[turn] + more, 20_000) for more in (0, few))
    allowed = few * share
    pairs = [
        (np.zeros(0), np.full(few, 1e9), allowed, nobody),
        # A sharp turn is seen across it, a threshold's noise before it.
        (_village(around), _village(around + few), allowed, rich),
        (_village(before), _village(before + few), allowed, rich),
        (as_many, more_poor, allowed, poor),
    ]
    release(bound, [Pair(*pair, times) for pair, times in zip(pairs, runs, strict=True)], 62)
