"""The labs of chapter 8, Variants of differential privacy."""

import math
from functools import partial

import numpy as np

from dp_helpers.judging import margin
from dp_helpers.mechanisms import gaussian_sigma
from dp_helpers.renyi import rdp_gaussian, rdp_laplace, rdp_to_dp

from .answers import NotYet, array, expect, finite, function
from .noise import fresh, laplace_steps
from .tables import NumberLab

LABS = (
    "order-3-by-hand",
    "best-order-on-the-menu",
    "losses-of-laplace-noise",
    "noise-for-a-table",
    "accountant-of-your-own",
)

_ORDER_3 = math.log(0.6 * 1.5**2 + 0.4 / 1.5**2) / 2
_LOG_2, _LOG_4 = math.log(0.6 * 1.5 + 0.4 / 1.5), math.log(0.6 * 1.5**3 + 0.4 / 1.5**3)

order_3_by_hand = NumberLab(
    right=_ORDER_3,
    praise="An average that lies between the mean loss and the largest: high losses count for more.",
    mistakes={
        2 * _ORDER_3: "the factor 1/(α - 1) is missing: at order 3 it is 1/2.",
        2 / 3 * _ORDER_3: "the logarithm is divided by α - 1, not by α.",
        math.exp(2 * _ORDER_3): "that is the expectation; take its logarithm, and divide by α - 1.",
        math.log(0.6 * 1.5**2) / 2: 'that leaves out the answer "no", which has a probability and a ratio, too.',
        **dict.fromkeys([_LOG_2, _LOG_4 / 2, _LOG_4 / 3], "at order 3 the exponent of the ratio is α - 1 = 2."),
        math.log(1.5): "that is the largest loss, the divergence of order ∞.",
        0.2 * math.log(1.5): "that is the mean loss, which the orders approach at 1.",
        math.log(0.4 * 1.5**2 + 0.6 / 1.5**2) / 2: "weigh the squares by the probabilities of a truth of yes.",
        **dict.fromkeys([_ORDER_3 / math.log(2), _ORDER_3 / math.log(10)], "take the natural logarithm."),
    },
    otherwise="square the ratio of each answer, weigh the squares by 0.6 and 0.4, and take half the logarithm.",
)


def _menu(alpha: float) -> float:
    """Return the loose epsilon of rho = 0.1 by one order, at delta = 1e-6."""
    return 0.1 * alpha + math.log(1e6) / (alpha - 1)


best_order_on_the_menu = NumberLab(
    right=_menu(10),
    praise="Order 10 is the best on the menu. Order 20 would give 2.73, the best of all orders 2.45.",
    mistakes={
        **{_menu(order): f"that is order {order}. Try the others." for order in (2, 5, 20, 50)},
        0.1 + 2 * math.sqrt(0.1 * math.log(1e6)): "that is the best of all orders, and it isn't on the menu.",
        0.1 + math.log(1e6) / 9: "the cost at order α is ρ·α, here 0.1 · α.",
        1 + math.log(1e6) / 10: "divide ln(1/δ) by α - 1, not by α.",
        _menu(10) + math.log(0.9) - math.log(10) / 9: "that is the improved conversion; the menu has the loose one.",
        1: "that is the cost at order 10. The price of δ comes on top.",
        10: "that is the best order on the menu. Which ε does it give?",
    },
    otherwise="for each of the five orders add the cost, 0.1 · α, to ln(1/δ)/(α - 1), and take the smallest sum.",
)


def losses_of_laplace_noise(answer) -> str:
    """Check draws of the privacy loss of Laplace noise against its distribution."""
    losses, n, rng = function(answer), 40_000, np.random.default_rng(803)
    for scale in (2.0, 0.5):
        draws, new_draws = (array(losses(scale, n, rng), (n,), "one loss for each of the n draws") for _ in range(2))
        if np.array_equal(draws, new_draws) and np.ptp(draws) > 0:
            raise NotYet("two calls gave the same draws. Draw from the rng that is handed in, not from your own.")
        _judge_losses(draws, scale)
    fresh(lambda rng: losses(0.5, 20, rng))
    return "Half of all losses are the largest possible: with Laplace noise the worst case is common."


def noise_for_a_table(answer) -> str:
    """Check noise for k counts: safe, and at most 15% above the smallest."""
    noise_for, most = function(answer), 1.0
    for k, epsilon, delta in [(1, 1.0, 1e-5), (500, 1.0, 1e-5), (500, 0.1, 1e-6), (40, 4.0, 1e-5), (10_000, 0.5, 1e-9)]:
        given, log = finite(noise_for(k, epsilon, delta)), math.log(1 / delta)
        least = gaussian_sigma(sensitivity=math.sqrt(k), epsilon=epsilon, delta=delta)
        loose, classical = math.sqrt(log + epsilon) - math.sqrt(log), math.sqrt(2 * math.log(1.25 / delta)) / epsilon
        added = "you add up ε release by release (or use the L1 sensitivity): it is safe, but the noise grows with k."
        mistakes = [
            (least / math.sqrt(k), "that is noise for one count. The vector of all counts moves by √k."),
            (math.sqrt(k / 2) / loose, "the loose conversion asks for more than is needed, though it is safe."),
            (math.sqrt(k) * classical, "the classical calibration is too large, and not proved for ε of 1 or more."),
            (math.sqrt(k) * least, added),
            (gaussian_sigma(sensitivity=1, epsilon=epsilon / k, delta=delta / k), added),
        ]
        why = f"the smallest noise that is safe is {least:.4g}; yours, {given:.4g}, is {given / least:.1%} of it."
        case = f"for {k:,} counts at ε = {epsilon:g} and δ = {delta:g}"
        if not 0.999 <= given / least <= 1.15:
            expect(given, least, mistakes, why, partial(math.isclose, rel_tol=1e-3), case)
        most = max(most, given / least)
    return f"Safe in every case, and never more than {max(most - 1, 0):.0%} above the smallest noise there is."


def accountant_of_your_own(answer) -> str:
    """Check an accountant for Gaussian and Laplace releases, by the best of all orders."""
    total = function(answer)
    both = [([10.0] * 12, [30.0] * 60, 1e-5), ([200.0], [100.0, 250.0], 1e-6)]
    for cases in (both, [([], [20.0] * 6, 1e-6)], [([1.0, 3.0, 3.0], [], 1e-5)]):
        given = [finite(total(list(sigmas), list(scales), delta)) for sigmas, scales, delta in cases]
        _judge_totals(given, cases, named=cases is both)
    return "You add up order by order and convert once, so both kinds of release go into one total."


def _searched(given, right) -> bool:
    """Tell whether ``given`` is ``right``: a search over a list of orders ends a little above the best."""
    return 0.999 * right <= given <= 1.01 * right


_ORDERS = 1 + np.logspace(-2, 5, 6_000)
_RIGHT = "right"


def _best(cost, delta, orders=_ORDERS, tight=True):
    """Return the smallest epsilon by ``cost``, a bound at each order."""
    return rdp_to_dp(orders, cost + np.zeros_like(orders), delta=delta, tight=tight)[0]


def _judge_totals(given, cases, *, named) -> None:
    """Raise NotYet unless each total is what Renyi accounting gives at the best order, to 1%.

    A mistake is ``named`` only if it leads to all of the totals: a single number may be any mistake's by accident.
    """
    tables = [_totals(*case) for case in cases]
    fitting = [
        sentence
        for sentence in tables[0]
        if all(_searched(epsilon, table[sentence]) for epsilon, table in zip(given, tables, strict=True))
    ]
    for epsilon, table, (sigmas, scales, delta) in zip(given, tables, cases, strict=True):
        right = table[_RIGHT]
        why = "more than is needed. Do you add up at every order, search widely, and convert once?"
        if epsilon < right:
            why = "no order gives so little. Is the cost of every release in the sum, at the same order?"
        case = f"for {len(sigmas)} Gaussian and {len(scales)} Laplace releases at δ = {delta:g}"
        if not _searched(epsilon, right):
            reason = next(iter(fitting), why) if named else why
            raise NotYet(f"{case} the best order gives ε = {right:.3f}, not {epsilon:.3f}: {reason}")


def _totals(sigmas, scales, delta) -> dict:
    """Return the right total, and those that usual mistakes lead to, by their sentences."""
    gaussians = [rdp_gaussian(_ORDERS, sigma=sigma) for sigma in sigmas]
    laplaces = [rdp_laplace(_ORDERS, scale=scale) for scale in scales]
    costs, small_orders = gaussians + laplaces, _ORDERS <= 64
    pure, by_kind = sum(1 / scale for scale in scales), [sum(kind) for kind in (gaussians, laplaces) if kind]
    return {
        _RIGHT: _best(sum(costs), delta),
        "you convert each release and add up the ε: that costs k δ.": sum(_best(cost, delta) for cost in costs),
        "convert once, after adding up at each order.": sum(_best(cost, delta / len(costs)) for cost in costs),
        "that is the loose conversion.": _best(sum(costs), delta, tight=False),
        "the best order is above 64: search more widely.": _best(
            sum(costs)[small_orders], delta, orders=_ORDERS[small_orders]
        ),
        "the Laplace releases are missing.": _best(sum(gaussians), delta),
        "the Gaussian releases are missing.": _best(sum(laplaces), delta),
        "the Laplace releases enter with their pure ε, which costs more.": pure + _best(sum(gaussians), delta),
        "that adds up the pure ε of the Laplace releases.": pure,
        "you convert each kind of noise by itself; add them up first.": sum(_best(kind, delta) for kind in by_kind),
    }


def _judge_losses(draws, scale) -> None:
    """Raise NotYet unless ``draws`` follow the loss of Laplace noise, of which atoms at both ends are a part."""
    largest, off = 1 / scale, margin(len(draws))
    if np.abs(draws).max() > largest * (1 + 1e-9):
        raise NotYet(f"at scale {scale:g} no loss exceeds {largest:g} in size; one of yours is {abs(draws).max():.3g}.")
    noise = laplace_steps(20_000)
    places = np.outer(np.linspace(-largest, largest, 21), [1 - 1e-9, 1 + 1e-9]).ravel()

    def up_to(losses):
        return np.searchsorted(np.sort(losses), places, side="right") / len(losses)

    exact = np.abs(noise + largest) - np.abs(noise)  # in units of the scale
    found, right, mirrored = map(up_to, (draws, exact, -exact))
    mistakes = [(mirrored, "your losses are those of the world without the person, or have the wrong sign.")]
    at = np.abs(found - right).argmax()
    why = f"at scale {scale:g} a share of {right[at]:.3f} should be at most {places[at]:.2f}, not {found[at]:.3f}."
    expect(found, right, mistakes, why, lambda a, b: np.abs(a - b).max() <= off + 1e-3)
