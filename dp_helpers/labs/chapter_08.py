"""The labs of chapter 8, Variants of differential privacy."""

import math

import numpy as np

from ..mechanisms import gaussian_sigma
from ..renyi import zcdp_to_dp
from .answers import NotYet, close, function, margin, number


def lab_1(answer) -> str:
    """Check the Renyi divergence of order 3 of randomised response with truth probability 0.8."""
    given, right = number(answer), math.log(0.8 * 16 + 0.2 / 16) / 2
    if close(given, right * 2):
        raise NotYet("the factor 1/(α - 1) is missing: at order 3 it is 1/2.")
    if close(given, right * 2 / 3):
        raise NotYet("the logarithm is divided by α - 1, not by α.")
    if close(given, math.exp(2 * right)):
        raise NotYet("that is the expectation; take its logarithm, and divide by α - 1.")
    if close(given, math.log(0.8 * 4 + 0.2 / 4)) or close(given, math.log(0.8 * 64 + 0.2 / 64) / 3):
        raise NotYet("that is a divergence of another order. At order 3 the exponent of the ratio is α - 1 = 2.")
    if close(given, math.log(4)):
        raise NotYet("that is the largest loss, the divergence of order ∞.")
    if close(given, 0.6 * math.log(4)):
        raise NotYet("that is the mean loss, which the orders approach at 1.")
    if close(given, right / math.log(2)) or close(given, right / math.log(10)):
        raise NotYet("take the natural logarithm.")
    if not close(given, right):
        raise NotYet("square the ratio of each answer, weigh the squares by 0.8 and 0.2, and take half the logarithm.")
    return "An average that lies near the largest loss, ln 4: high losses count for more."


def lab_2(answer) -> str:
    """Check where the loose line of order 20 touches the loose zCDP curve."""
    given, log = number(answer), math.log(1e5)
    right = 2 * 200**2 * log / 19**2
    if close(given, right / 2) or close(given, right * 2):
        raise NotYet("mind the factor 2: ρ is k/(2σ²).")
    if close(given, 2 * 200**2 * log / 20**2):
        raise NotYet("the best order is 1 + √(ln(1/δ)/ρ); you left out the 1.")
    if close(given, 2 * 200**2 * log / 59**2):
        raise NotYet("that is where the line of order 60 touches.")
    if close(given, 19**2 / (2 * 200**2 * log)) or close(given, log / 19**2):
        raise NotYet("solve for the number of releases; ρ of all of them is k/(2σ²).")
    if not close(given, right):
        line = given * 20 / (2 * 200**2) + log / 19
        rho = max(given, 0) / (2 * 200**2)
        above = line - rho - 2 * math.sqrt(rho * log)
        raise NotYet(f"at k = {given:,.0f} the line lies {above:.3f} above the curve; they touch where that is 0.")
    return "Far from 300: a fixed order is good for one number of releases, and this one waits for 2,551."


def lab_3(answer) -> str:
    """Check draws of the privacy loss of Laplace noise against its distribution."""
    losses, n = function(answer), 40_000
    for scale, seed in [(2.0, 1), (0.5, 2)]:
        draws = np.asarray(losses(scale, n, np.random.default_rng(seed)))
        if draws.shape != (n,):
            raise NotYet(f"return an array with one loss for each of the n draws: {n:,} gave shape {draws.shape}.")
        if draws.dtype.kind not in "iuf" or not np.isfinite(draws).all():
            raise NotYet("the losses must be finite numbers.")
        _judge_losses(draws.astype(float), scale)
    return "Half of all losses are the largest possible: Laplace noise lives at its limit."


def lab_4(answer) -> str:
    """Check the epsilon of twelve zCDP releases at one total delta."""
    yearly = function(answer)
    for rho, delta in [(0.01, 1e-5), (0.001, 1e-6), (0.1, 1e-9), (0.5, 1e-3)]:
        given, right = number(yearly(rho, delta)), zcdp_to_dp(12 * rho, delta=delta)
        case = f"at ρ = {rho:g} and δ = {delta:g}"
        if close(given, right):
            continue
        if close(given, 12 * zcdp_to_dp(rho, delta=delta)):
            raise NotYet("twelve conversions at δ cost 12 δ together, and their ε add up without any cancelling.")
        if close(given, 12 * zcdp_to_dp(rho, delta=delta / 12)):
            raise NotYet("that holds at δ in total, but you converted first and added afterwards: it is far too large.")
        if close(given, zcdp_to_dp(12 * rho, delta=delta, tight=False)):
            raise NotYet("you add up ρ and convert once. Now use the tight conversion.")
        if close(given, zcdp_to_dp(12 * rho, delta=min(12 * delta, 0.999))):
            raise NotYet("the total is to hold at delta, not at 12 times that.")
        if close(given, zcdp_to_dp(12 * rho, delta=delta / 12)):
            raise NotYet("once ρ is added up, there is one conversion, and it may use all of delta.")
        if close(given, zcdp_to_dp(math.sqrt(12) * rho, delta=delta)):
            raise NotYet("ρ itself adds up: twelve months cost 12 ρ.")
        raise NotYet(f"{case} the year costs ε = {right:.3f}; yours is {given:.3f}.")
    return "Add first, convert once: one δ, and the losses of twelve months may cancel."


def lab_5(answer) -> str:
    """Check noise for k counts: safe, and at most 15% above the smallest."""
    noise_for, most = function(answer), 1.0
    for k, epsilon, delta in [(1, 1.0, 1e-5), (500, 1.0, 1e-5), (500, 0.1, 1e-6), (40, 4.0, 1e-5), (10_000, 0.5, 1e-9)]:
        given = number(noise_for(k, epsilon, delta))
        least = gaussian_sigma(sensitivity=math.sqrt(k), epsilon=epsilon, delta=delta)
        case = f"for {k:,} counts at ε = {epsilon:g} and δ = {delta:g}"
        if not math.isfinite(given) or given <= 0:
            raise NotYet(f"{case} you return {given:g}; a standard deviation is above 0.")
        if given < least * (1 - 1e-4):
            _explain_too_little(given, least, k, case)
        if given > 1.15 * least:
            _explain_too_much(given, least, k, epsilon, delta, case)
        most = max(most, given / least)
    return f"Safe in every case, and never more than {max(most - 1, 0):.0%} above the smallest noise there is."


def _judge_losses(draws, scale) -> None:
    """Raise NotYet unless ``draws`` follow the loss of Laplace noise: atoms at both ends, exponential between."""
    largest, slack = 1 / scale, margin(len(draws))
    if np.abs(draws).max() > largest * (1 + 1e-9):
        raise NotYet(
            f"at scale {scale:g} no loss can exceed {largest:g} in size, but one of yours is {np.abs(draws).max():.3g}."
        )
    top = np.mean(draws > largest * (1 - 1e-9))
    if top < 0.01:
        raise NotYet(f"half of the losses should equal 1/scale = {largest:g}; of yours, {top:.1%} do.")
    lowest = np.mean(draws < -largest * (1 - 1e-9))
    if abs(lowest - 0.5) <= slack and abs(top - math.exp(-largest) / 2) <= slack:
        raise NotYet("your losses are those of the world without the person, or have the wrong sign.")
    # The answer is 1 + z, and its loss is at most v where 1 + z is at most (1 + v scale) / 2.
    for v in np.linspace(-largest, largest, 21)[:-1]:
        share = np.mean(draws <= v + largest * 1e-9)
        right = math.exp((v * scale - 1) / (2 * scale)) / 2
        if abs(share - right) > slack:
            raise NotYet(
                f"at scale {scale:g} a share of {right:.3f} should be at most {v:.2f}; of yours, {share:.3f} is."
            )


def _explain_too_little(given, least, k, case) -> None:
    if k > 1 and given < 1.2 * least / math.sqrt(k):
        raise NotYet(f"{case} that is noise for one count. The vector of all counts moves by √k.")
    raise NotYet(f"{case} your noise of {given:.1f} isn't safe; the smallest that is has a deviation of {least:.1f}.")


def _explain_too_much(given, least, k, epsilon, delta, case) -> None:
    log, more = math.log(1 / delta), f"{given / least - 1:.0%}"
    loose = math.sqrt(k / 2) / (math.sqrt(log + epsilon) - math.sqrt(log))
    if close(given, loose):
        raise NotYet(f"safe, but {case} the loose conversion asks for {more} more than is needed.")
    if close(given, math.sqrt(2 * k * math.log(1.25 / delta)) / epsilon):
        raise NotYet(f"{case} the classical calibration is {more} too large, and not proved for ε of 1 or more.")
    if k > 1 and given > 0.6 * math.sqrt(k) * least:
        raise NotYet("safe, but you add up ε release by release (or use the L1 sensitivity): the noise grows with k.")
    raise NotYet(f"safe, but {case} your noise of {given:.1f} is {more} above the smallest, {least:.1f}.")
