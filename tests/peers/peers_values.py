"""Values of other people's libraries, tests and papers, each beside what this package gives for the same question.

``tests/peers/README.md`` says where the rows come from and what their columns mean.
``python tests/peers/peers_values.py`` computes all of them (minutes) and writes ``tests/peers/summary.json``.
"""

import csv
import json
import math
from functools import reduce
from pathlib import Path

import numpy as np
import pandas as pd

import dp_helpers as dp

PEERS = Path(__file__).parent
SUMMARY = PEERS / "summary.json"
TABLES = sorted(path.stem for path in PEERS.glob("*.csv"))


def rows_of(table):
    with (PEERS / f"{table}.csv").open(encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def _changing_steps(qs, sigmas, steps):
    """Return the loss of so many steps of training at each pair of a sampling rate and a noise."""
    losses = [
        dp.PrivacyLoss.subsampled_gaussian(q=q, sigma=sigma).compose_self(steps)
        for q, sigma in zip(qs, sigmas, strict=True)
    ]
    return reduce(dp.PrivacyLoss.compose, losses)


ACCOUNTING = {
    "rdp_subsampled_gaussian": lambda q, sigma, alpha, steps: (
        steps * dp.rdp_subsampled_gaussian(alpha, q=q, sigma=sigma)
    ),
    "rdp_gaussian": lambda noise, alpha: dp.rdp_gaussian(alpha, sigma=noise),
    "rdp_laplace": lambda noise, alpha: dp.rdp_laplace(alpha, scale=noise),
    "rdp_randomized_response": lambda noise, alpha: dp.rdp_randomized_response(alpha, p=noise),
    "gaussian_epsilon": lambda sigma, k, delta: dp.PrivacyLoss.gaussian(sigma=sigma).compose_self(k).epsilon(delta),
    "laplace_epsilon": lambda scale, k, delta: dp.PrivacyLoss.laplace(scale=scale).compose_self(k).epsilon(delta),
    "coin_epsilon": lambda p, delta: dp.PrivacyLoss.from_probabilities([p, 1 - p], [1 - p, p]).epsilon(delta),
    "dp_sgd_exact": lambda q, sigma, steps, delta: (
        dp.PrivacyLoss.subsampled_gaussian(q=q, sigma=sigma).compose_self(steps).epsilon(delta)
    ),
    "dp_sgd_delta": lambda q, sigma, steps, epsilon: _changing_steps([q], [sigma], steps).delta(epsilon),
    "changing_steps_epsilon": lambda qs, sigmas, steps, delta: _changing_steps(qs, sigmas, steps).epsilon(delta),
    "changing_steps_delta": lambda qs, sigmas, steps, epsilon: _changing_steps(qs, sigmas, steps).delta(epsilon),
    "dp_sgd_epsilon": dp.dp_sgd_epsilon,
    "noise_multiplier": dp.noise_multiplier,
    "zcdp_epsilon": lambda sigma, delta: dp.zcdp_to_dp(dp.zcdp_gaussian(sigma=sigma), delta=delta),
    "zcdp_delta": lambda rho, epsilon: dp.zcdp_to_delta(rho, epsilon=epsilon),
    "laplace_accuracy": lambda scale, outside: dp.laplace_accuracy(scale=scale, confidence=1 - outside),
    "gaussian_accuracy": lambda scale, outside: dp.gaussian_accuracy(sigma=scale, confidence=1 - outside),
    "optimal_composition": lambda epsilon, delta, k, delta_total: dp.optimal_composition(
        epsilon, delta, k=k, delta_total=delta_total
    ),
    "sequential_composition": lambda epsilon, k: dp.sequential_composition([epsilon] * k)[0],
    "shuffled_epsilon": dp.shuffled_epsilon,
}


def _delta(p, q, epsilon):
    """Return delta between two laws on the same outputs."""
    return dp.PrivacyLoss.from_probabilities(p, q).delta(epsilon)


def _discrete(law, sensitivity, q, epsilon):
    """Return delta of whole noise, added to a sum that a person enters with probability q; ``law`` takes its mean."""
    return _delta(q * law(sensitivity) + (1 - q) * law(0), law(0), epsilon)


def _discrete_laplace(a, sensitivity, q, epsilon):
    end = int(60 / a) + sensitivity
    outputs = np.arange(-end, end + 1)

    def law(mean):  # all beyond an end counts as that end: the losses are the same there
        chances = np.exp(-a * abs(outputs - mean)) * math.tanh(a / 2)
        chances[[0, -1]] = np.exp([-a * (end + mean), -a * (end - mean)]) / (1 + math.exp(-a))
        return chances

    return _discrete(law, sensitivity, q, epsilon)


def _discrete_gaussian(sigma, sensitivity, end, q, epsilon):
    outputs = np.arange(-end, end + sensitivity + 1)

    def law(mean):  # cut off at ``end`` from the mean, as theirs
        chances = np.exp(-((outputs - mean) ** 2) / 2 / sigma**2) * (abs(outputs - mean) <= end)
        return chances / chances.sum()

    return _discrete(law, sensitivity, q, epsilon)


def _answers(noise, answers):
    """Return randomised response among so many answers, uniform with probability ``noise``."""
    other = noise / answers
    truth, rest = 1 - noise + other, [other] * (answers - 2)
    return dp.PrivacyLoss.from_probabilities([truth, other, *rest], [other, truth, *rest])


MECHANISMS = {
    "laplace_scale": dp.laplace_scale,
    "laplace_variance": lambda sensitivity, epsilon: (
        2 * dp.laplace_scale(sensitivity=sensitivity, epsilon=epsilon) ** 2
    ),
    "gaussian_sigma": dp.gaussian_sigma,
    "gaussian_variance": lambda sensitivity, epsilon, delta: (
        dp.gaussian_sigma(sensitivity=sensitivity, epsilon=epsilon, delta=delta) ** 2
    ),
    "key_threshold": dp.key_threshold,
    "key_probability": lambda people, epsilon, delta: dp.key_probabilities(people, epsilon=epsilon, delta=delta),
    "classical_sigma": lambda sensitivity, epsilon, delta: dp.gaussian_sigma(
        sensitivity=sensitivity, epsilon=epsilon, delta=delta, method="classical"
    ),
    "exponential_probability": lambda utilities, epsilon, monotonic, place: dp.exponential_probabilities(
        utilities, sensitivity=1, epsilon=epsilon, monotonic=monotonic
    )[place],
    "laplace_delta": lambda scale, sensitivity, epsilon: dp.PrivacyLoss.laplace(
        scale=scale, sensitivity=sensitivity
    ).delta(epsilon),
    "gaussian_delta": lambda sigma, sensitivity, epsilon: dp.PrivacyLoss.gaussian(
        sigma=sigma, sensitivity=sensitivity
    ).delta(epsilon),
    "sampled_delta": lambda q, sigma, epsilon: dp.PrivacyLoss.subsampled_gaussian(q=q, sigma=sigma).delta(epsilon),
    "gaussian_hits": lambda false_alarms, mu: 1 - dp.trade_off_gaussian(false_alarms, mu=mu),
    "pair_delta": _delta,
    "discrete_laplace_delta": _discrete_laplace,
    "discrete_gaussian_delta": _discrete_gaussian,
    "answers_epsilon": lambda noise, answers, delta: _answers(noise, answers).epsilon(delta),
    "answers_delta": lambda noise, answers, epsilon: _answers(noise, answers).delta(epsilon),
}

PROTOCOLS = {
    "GRR": lambda domain, epsilon: dp.DirectEncoding(domain, epsilon=epsilon),
    "SUE": dp.UnaryEncoding.symmetric,
    "OUE": dp.UnaryEncoding.optimized,
    "OLH": lambda domain, epsilon: dp.LocalHashing(domain, epsilon=epsilon),
    "THE": lambda domain, epsilon: dp.ThresholdHistogramEncoding(domain, epsilon=epsilon),
}


def _protocol(protocol, size, epsilon):
    return PROTOCOLS[protocol](list(range(size)), epsilon)


LOCAL = {
    "local_p": lambda **given: _protocol(**given).p,
    "local_q": lambda **given: _protocol(**given).q,
    "local_threshold": lambda **given: _protocol(**given).theta,
    "local_hashes": lambda **given: _protocol(**given).g,
    "local_variance": lambda n, share, **given: _protocol(**given).variance(n, share * n) / n**2,
}

ANONYMITY = {
    "k_anonymity": lambda table, quasi: dp.k_anonymity(pd.DataFrame(table), quasi),
    "l_diversity": lambda table, quasi, sensitive, kind: dp.l_diversity(
        pd.DataFrame(table), quasi, sensitive, kind=kind
    ),
    "t_closeness": lambda table, quasi, sensitive: dp.t_closeness(pd.DataFrame(table), quasi, sensitive),
}

CENSUS = dp.load_census()
BOOK = {
    "census_count": lambda column, answer: (CENSUS[column] == answer).sum(),
    "census_count_between": lambda column, low, high: CENSUS[column].between(low, high).sum(),
    "census_clipped_sum": lambda column, upper: dp.clip(CENSUS[column], 0, upper).sum(),
    "census_mean": lambda column: CENSUS[column].mean(),
    "unary_epsilon": dp.unary_epsilon,
    "k_of_generalized": lambda table, depth: dp.k_anonymity(
        dp.generalize(pd.DataFrame(table), dict.fromkeys(table, depth)), list(table)
    ),
    "logistic_loss": lambda theta, x, y: dp.logistic_loss(theta, [x], [y])[0],
    "differencing": lambda total, without: dp.differencing(total, without),
}

OURS = ACCOUNTING | MECHANISMS | LOCAL | ANONYMITY | BOOK


def agrees(row):
    """Tell whether ours lies on the side of theirs that the row says."""
    ours, theirs = float(OURS[row["what"]](**json.loads(row["parameters"]))), float(row["value"])
    relative, absolute = float(row["relative"]), float(row["absolute"])
    if row["relation"] == "equal":
        return math.isclose(ours, theirs, rel_tol=relative, abs_tol=absolute)
    return {"at most": 1, "at least": -1}[row["relation"]] * (ours - theirs) <= absolute + relative * abs(theirs)


def summary(agrees=agrees):
    """Return how many rows there are, how many of them say that ours equals theirs, and how many agree."""
    counted = {}
    for table in TABLES:
        rows = rows_of(table)
        equal = sum(row["relation"] == "equal" for row in rows)
        counted[table] = {"rows": len(rows), "equal": equal, "agree": sum(map(agrees, rows))}
    whole = {key: sum(table[key] for table in counted.values()) for key in ("rows", "equal", "agree")}
    sources = sorted({row["source"] for table in TABLES for row in rows_of(table)})
    return whole | {"tables": counted, "sources": sources}


if __name__ == "__main__":
    SUMMARY.write_text(json.dumps(summary(), indent=2) + "\n", encoding="utf-8")
