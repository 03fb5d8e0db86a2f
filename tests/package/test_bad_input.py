"""Every wrong value of every parameter of every public function is refused by name, before anything is drawn.

``CALLS`` holds a right call of each public function, and for each of its parameters the values that must be refused.
What a message advises beyond the name is tested beside the function.
"""

import inspect
import math
import pickle
import re
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

import dp_helpers as dp

# ---------------------------------------------------------------- kinds of wrong values

SPANS = [np.timedelta64(1), np.timedelta64(1, "s")]  # NumPy calls them whole numbers, whatever their unit
NO_NUMBER = [*SPANS, pd.NA, math.nan, math.inf, -math.inf, None, "1", True, np.True_, [1.0], 1j]
NOT_POSITIVE = [*NO_NUMBER, 0, -1]
NEGATIVE = [*NO_NUMBER, -1e-9]
NO_PROBABILITY = [*NO_NUMBER, -1e-9, 1.1]  # 0 and 1 are allowed
NOT_BETWEEN_0_AND_1 = [*NO_NUMBER, 0, 1, -1, 2]
NOT_IN_0_TO_1 = [*NO_NUMBER, -1e-9, 1, 1.5]  # 0 is allowed, 1 isn't
NO_COUNT = [*SPANS, pd.NA, math.nan, math.inf, None, "1", True, 1.0, 2.5, [1], -1]
NOT_WHOLE = [value for value in NO_COUNT if not (isinstance(value, float) and value.is_integer())]
NOT_1_OR_MORE = [*NO_COUNT, 0]
NO_CHOICE = ["", "other", None, 3, pd.NA, True, np.array(["", "other"])]
NO_SWITCH = ["no", None, 2, 1, pd.NA, np.array([True, False])]
NO_GENERATOR = [0, "seed", np.random, np.random.default_rng, np.random.PCG64(1)]

NO_ARRAY = [
    None,
    "12",
    {},
    [1j],
    pd.Series([SPANS[0], SPANS[0]], dtype=object),
    ["1", "2"],
    [1, math.nan],
    [1, None],
    [1, math.inf],
    [[1], [1, 2]],
]
NO_VALUES = [*NO_ARRAY, 3, pd.Series(["1", "2"]), pd.Series([1, None]), [[1, 2]], np.ones((2, 2))]
NO_LIST_OF_ANSWERS = ["a", 3, None, {"a"}, [["a"]], np.array([["a"]])]
NOT_AMONG_THE_ANSWERS = [*NO_LIST_OF_ANSWERS, ["a", "z"], ["a", None], [math.nan]]
NO_DOMAIN = [*NO_LIST_OF_ANSWERS, [], ["a", "a"], ["a", None]]
NO_FRAME = [None, [[1, 2]], {"sex": ["F"]}, pd.Series(["F"], name="sex"), np.zeros((2, 2))]
NO_COLUMN_NAMES = [[], ["sex", "sex"]]


class Blamed(NamedTuple):
    """A wrong value whose message names another parameter, because either of the two may be at fault."""

    parameter: str
    value: object


class Anything(NamedTuple):
    """A right value of a parameter that refuses nothing here, and why."""

    value: object
    reason: str


# ---------------------------------------------------------------- parameters that many functions share

EPSILON = {"epsilon": (1.0, NOT_POSITIVE)}
DELTA = {"delta": (1e-6, NOT_BETWEEN_0_AND_1)}
NO_DISTANCE = [*NOT_POSITIVE, 1e-201, 1.7e308]
CONFIDENCE = {"confidence": (0.95, [*NOT_BETWEEN_0_AND_1, 1e-10])}
SENSITIVITY = {"sensitivity": (1, NOT_POSITIVE)}
RATES = [*NO_ARRAY, [0.5, 1.1], [-0.1]]
LOSS = dp.PrivacyLoss.laplace(scale=2.0)
VALUE = {"value": (1, [*NO_ARRAY, [], math.nan, math.inf])}
BOUNDS = {"lower": (0, [*NO_NUMBER, 2, 3]), "upper": (2, [*NO_NUMBER, 0, -1, 5e-324])}
VALUES = {"values": ([1.0, 1.5], NO_VALUES)}
NO_CANDIDATES = ["ab", b"ab", {"a", "b"}, {"a": 1, "b": 2}, None, 3, iter("ab"), ["a"], list("abc"), np.zeros((2, 2))]
CANDIDATES = {"candidates": (["a", "b"], [*NO_CANDIDATES, np.array(1), pd.DataFrame({"a": [1, 2]})])}
SCORES = {"scores": ([1.0, 2.0], [*NO_VALUES, []]), "monotonic": (True, NO_SWITCH)}
ANSWERS = {
    "answers": (
        [0.0, 1.0],
        [*NO_ARRAY, 3, b"12", {1, 2}, np.zeros((2, 2)), np.array(3.0), pd.Series([1, None]), pd.DataFrame({"a": [1]})],
    ),
    "threshold": (-100, NO_NUMBER),  # all pass, so that every kind of noise is drawn
}
LIMIT = {"limit": (2, [*NOT_1_OR_MORE, 10**400])}
ORDERS = [*NO_NUMBER[:-2], 1j, 1, 0.5, -2, [2, 1], [[2.0]], ["a"]]
LOCAL_MEAN = {"values": ([0.5, 1.5], [*NO_VALUES, []]), **BOUNDS, "epsilon": (1.0, [*NOT_POSITIVE, 5e-324])}
EPSILONS = {
    "epsilons": ([1, 2], [[], 0.5, [math.nan], [1, math.inf], [1, -1], ["1"], [[1]], None]),
    "deltas": ([0, 1e-6], [[], [0], [0, 1], [0, -1e-9], [0, math.nan], ["0", "0"], 0.5]),
}
COST = {"epsilon": (0.1, NEGATIVE), "delta": (1e-6, NOT_IN_0_TO_1)}
STEPS = {"steps": (5, NOT_1_OR_MORE)}

X = [[1.0, 0.5], [0.2, -1.0], [-0.5, 0.5]]
NO_ROWS = [*NO_ARRAY, 1.0, [1.0, 2.0], [[math.nan, 1.0]] * 3, [["a", "b"]] * 3]
ROWS = {"X": (X, NO_ROWS)}
SOME_ROWS = {"X": (X, [*NO_ROWS, np.zeros((0, 2))])}
NO_LABELS = [*NO_ARRAY, [1, -1], [1, 0, 1], [1, 2, 1], [True, False, True], [1, math.nan, 1], [[1], [1], [1]]]
LABELS = {"y": ([1, -1, 1], NO_LABELS)}
THETA = {"theta": ([1, 1], [*NO_ARRAY, [1.0], 1.0, [[1.0, 2.0]]])}

PEOPLE = pd.DataFrame({"sex": ["F", "M", "F"]})
PATIENTS = PEOPLE.assign(illness=["flu", "cold", "flu"])
AGES = pd.DataFrame({"age": [31, 47]})
QUASI_IDENTIFIERS = {"quasi_identifiers": ("sex", [*NO_COLUMN_NAMES, Blamed("data", "age")])}
SENSITIVE = {"sensitive": ("illness", [["illness"], "sex", Blamed("data", "height")])}
OTHERS = PEOPLE.rename(columns={"sex": "gender"})
NO_PEOPLE = [*NO_FRAME, OTHERS, Blamed("categories", PEOPLE.replace("M", "X")), PEOPLE.replace("M", None)]
NO_CATEGORIES = [None, {"sex": []}, {"sex": "FM"}, {"sex": {"F", "M"}}, {"sex": ["F", "M", None]}, {"sex": list("FMF")}]
MARGINAL = pd.Series([1.0, 2.0], index=[1, 2])
MARGINAL_OF_TWO = pd.Series([1.0], index=pd.MultiIndex.from_tuples([(1, 1)]))
NO_MARGINAL = [None, [1.0, 2.0], {"F": 1}, MARGINAL[:0], MARGINAL * math.nan, MARGINAL * math.inf]
NO_MARGINAL += [MARGINAL.astype(str), pd.Series([1.0, 2.0], index=["F", "F"])]
TREE = dp.MarginalTree.fit(PEOPLE, categories={"sex": ["F", "M"]}, epsilon=1, delta=1e-5, rng=np.random.default_rng(1))

VISITS = pd.DataFrame({"person": ["Ada", "Ada", "Bob"], "page": ["a", "b", "a"], "minutes": [3, 200, 5]})
NO_VISITS = [*NO_FRAME, Blamed("person", VISITS.replace("Bob", None)), Blamed("group", VISITS.replace("b", None))]
NO_COLUMN = [None, 3, ["person"], Blamed("data", "who")]
UNSORTED = VISITS.assign(page=pd.Series(["a", ("b",), 3], dtype=object))
VISITED = {
    "data": (VISITS, NO_VISITS),
    "person": ("person", NO_COLUMN),
    "group": ("page", [None, 3, [], ["page", "page"], Blamed("data", "who"), Blamed("data", ["page", "who"])]),
    "most_groups": (1, NOT_1_OR_MORE),
}
KEYS = {"keys": (["a", "b"], [*NO_DOMAIN, [1, 2]])}


def protocol(name, made, *, answers, wrong_answers, encoded, wrong_reports):
    """Return the calls of the methods that every local protocol has.

    ``answers`` are three people's, one of each answer of the domain where it has three, and ``encoded`` is what
    ``made.encode`` returns for them; ``wrong_reports`` are no reports, and no encoded answers either.
    """
    counts = pd.Series(answers).value_counts().reindex(made.domain, fill_value=0)
    no_tally = [None, "12", [], counts.to_numpy()[:, None], counts + math.nan, pd.Series({"?": 1})]
    no_counts = [*no_tally, counts - 4]
    wrong_tallies = no_counts if hasattr(made, "p") else no_tally
    reports = made.perturb(encoded, np.random.default_rng(1))
    tally = made.tally(reports)
    return {
        f"{name}.encode": (made.encode, {"values": (answers, wrong_answers)}),
        f"{name}.perturb": (made.perturb, {"encoded": (encoded, wrong_reports)}),
        f"{name}.tally": (made.tally, {"reports": (reports, wrong_reports)}),
        f"{name}.aggregate": (made.aggregate, {"reports": (reports, wrong_reports)}),
        f"{name}.estimate": (made.estimate, {"values": (answers, wrong_answers)}),
        f"{name}.estimate_from": (made.estimate_from, {"tally": (tally, wrong_tallies), "n": (3, NO_COUNT)}),
        f"{name}.simulate": (made.simulate, {"counts": (counts, [*no_counts, counts + 1]), "n": (3, [*NO_COUNT, 4])}),
        f"{name}.variance": (made.variance, {"n": (3, NOT_WHOLE), "count": (1, [*NO_ARRAY, -1, 4, math.nan])}),
    }


# ---------------------------------------------------------------- a right call, and what each parameter refuses

CALLS = {
    # mechanisms
    "laplace_scale": (dp.laplace_scale, {**SENSITIVITY, **EPSILON}),
    "laplace_mechanism": (dp.laplace_mechanism, {**VALUE, "sensitivity": (1, [*NOT_POSITIVE, 1e-310]), **EPSILON}),
    "geometric_mechanism": (dp.geometric_mechanism,
        {"value": (1, [*VALUE["value"][1], 1.0, [1.0, 2.0], True, [True], 2**62 + 1, 10**30, np.uint64(2**63)]),
         "sensitivity": (1, [*NOT_1_OR_MORE, 2**60, 10**400]), **EPSILON}),
    "gaussian_sigma": (dp.gaussian_sigma, {**SENSITIVITY, **EPSILON, **DELTA, "method": ("analytic", NO_CHOICE)}),
    "gaussian_sigma, classical": (lambda **given: dp.gaussian_sigma(method="classical", **given),
        {**SENSITIVITY, "epsilon": (0.5, [*NOT_POSITIVE, 1, 5.0]), **DELTA}),
    "gaussian_mechanism": (dp.gaussian_mechanism,
        {**VALUE, "sensitivity": (1, [*NOT_POSITIVE, 1e-310]), **EPSILON, **DELTA, "method": ("analytic", NO_CHOICE)}),
    "gaussian_mechanism_zcdp": (dp.gaussian_mechanism_zcdp, {**VALUE, **SENSITIVITY, "rho": (1, NOT_POSITIVE)}),
    "gaussian_mechanism_rdp": (dp.gaussian_mechanism_rdp,
        {**VALUE, **SENSITIVITY, "alpha": (2, [*NOT_POSITIVE, 1, 0.5]), "epsilon": (1.0, [*NOT_POSITIVE, 5e-324])}),
    # accuracy of noise
    "laplace_accuracy": (dp.laplace_accuracy, {"scale": (1, NO_DISTANCE), **CONFIDENCE}),
    "laplace_scale_for_accuracy": (dp.laplace_scale_for_accuracy, {"accuracy": (1, NO_DISTANCE), **CONFIDENCE}),
    "geometric_accuracy": (dp.geometric_accuracy, {"scale": (1, NO_DISTANCE), **CONFIDENCE}),
    "geometric_scale_for_accuracy": (dp.geometric_scale_for_accuracy,
        {"accuracy": (1, [*NO_COUNT, 2**53 + 1]), **CONFIDENCE}),
    "gaussian_accuracy": (dp.gaussian_accuracy, {"sigma": (1, NO_DISTANCE), **CONFIDENCE}),
    "gaussian_sigma_for_accuracy": (dp.gaussian_sigma_for_accuracy, {"accuracy": (1, NO_DISTANCE), **CONFIDENCE}),
    # queries
    "clip": (dp.clip, {"values": ([1.0], [*NO_ARRAY, math.nan, math.inf]), **BOUNDS}),
    "clip_norm": (dp.clip_norm,
        {"vectors": ([[1.0, 2.0]], [*NO_ARRAY, [1.0, 2.0], 1.0, [[1, math.nan]], [["1", "2"]], [[], []]]),
         "bound": (1, NOT_POSITIVE), "ord": (2, [0, 3, "fro", None, -np.inf, True, pd.NA, [2]])}),
    "private_count": (dp.private_count,
        {"data": ([1], [3, 3.0, "abc", None, {"a": 1}, iter([1]), np.array(3), [True, False], pd.Series([True])]),
         **EPSILON}),
    "private_sum": (dp.private_sum, {**VALUES, **BOUNDS, **EPSILON}),
    "private_mean": (dp.private_mean, {**VALUES, **BOUNDS, **EPSILON}),
    "private_quantile": (dp.private_quantile, {**VALUES, "quantile": (0.5, NO_PROBABILITY), **BOUNDS, **EPSILON}),
    "private_histogram": (dp.private_histogram,
        {"values": (["a"], NOT_AMONG_THE_ANSWERS), "categories": (["a", "b"], NO_DOMAIN), **EPSILON}),
    "private_crosstab": (dp.private_crosstab,
        {"rows": (["a"], NOT_AMONG_THE_ANSWERS), "columns": (["a"], [*NOT_AMONG_THE_ANSWERS, [], ["a", "a"]]),
         "row_categories": (["a", "b"], NO_DOMAIN), "column_categories": (["a"], NO_DOMAIN), **EPSILON}),
    # grouping
    "bound_contributions": (dp.bound_contributions,
        {**VISITED, "data": (VISITS, [*NO_VISITS, Blamed("group", UNSORTED)]),
         "most_rows": (1, [c for c in NOT_1_OR_MORE if c is not None]),
         "order": ("minutes", [3, ["minutes"], Blamed("data", "day")])}),
    "bound_contributions, without an order": (lambda **given: dp.bound_contributions(**given), VISITED),
    "private_group_counts": (dp.private_group_counts,
        {**VISITED, **KEYS, "most_rows": (2, NOT_1_OR_MORE), **EPSILON,
         "delta": (1e-6, [d for d in NOT_BETWEEN_0_AND_1 if d is not None])}),
    "private_group_counts, Laplace": (lambda **given: dp.private_group_counts(**given), {**VISITED, **KEYS, **EPSILON}),
    "private_group_sums": (dp.private_group_sums,
        {**VISITED, "value": ("minutes", ["page", None, Blamed("data", "hours")]), **KEYS, **BOUNDS, **EPSILON,
         "delta": (1e-6, [d for d in NOT_BETWEEN_0_AND_1 if d is not None])}),
    "select_keys": (dp.select_keys, {**VISITED, **EPSILON, **DELTA, "method": ("optimal", NO_CHOICE)}),
    "key_threshold": (dp.key_threshold, {"most_groups": (2, NOT_1_OR_MORE), **EPSILON, **DELTA}),
    "key_probabilities": (dp.key_probabilities,
        {"people": ([0, 3], [*NO_ARRAY, 1.5, [-1], [1.0]]), **EPSILON, **DELTA}),
    # local_sensitivity
    "propose_test_release_mean": (dp.propose_test_release_mean,
        {**VALUES, **BOUNDS, "bound": (0.5, NOT_POSITIVE), **EPSILON, **DELTA}),
    "smooth_sensitivity_median": (dp.smooth_sensitivity_median,
        {"values": ([1.0, 1.5], [*NO_VALUES, []]), **BOUNDS, "beta": (0.1, NOT_POSITIVE)}),
    "private_median": (dp.private_median, {"values": ([1.0, 1.5], [*NO_VALUES, []]), **BOUNDS, **EPSILON, **DELTA}),
    "sample_and_aggregate": (dp.sample_and_aggregate,
        {"values": ([1.0, 1.5], [*NO_ARRAY, 3, pd.Series([1, None])]), "statistic": (np.mean, [None, "mean", 3]),
         "chunks": (2, NOT_1_OR_MORE), **BOUNDS, **EPSILON}),
    # planning
    "plan_group_counts": (dp.plan_group_counts, {
        "people": (500, NOT_1_OR_MORE), "groups": (40, [*NOT_1_OR_MORE, 1, 10**6 + 1]),
        "groups_of_a_person": ((2, 5, 9), [*NO_ARRAY, 3, (1, 2), (0.5, 2, 3), (3, 2, 5), (1, 2, math.inf)]),
        "rows_in_a_group": ((1, 2, 3), [*NO_ARRAY, 3, (1, 2), (0, 2, 3), (3, 2, 5)]),
        "largest_share": (0.4, NOT_BETWEEN_0_AND_1), "most_groups": (2, NOT_1_OR_MORE),
        "most_rows": (2, [wrong for wrong in NOT_1_OR_MORE if wrong is not None]), **EPSILON,
        "delta": (1e-6, [wrong for wrong in NOT_BETWEEN_0_AND_1 if wrong is not None]),
        "noise_delta": (1e-6, [wrong for wrong in NOT_BETWEEN_0_AND_1 if wrong is not None])}),
    "plan_count": (dp.plan_count, {
        "people": (40, NOT_1_OR_MORE), "share": (0.2, NOT_BETWEEN_0_AND_1), **EPSILON}),
    "plan_mean": (dp.plan_mean, {
        "people": (40, NOT_1_OR_MORE), **BOUNDS, "upper": (2, [*NO_NUMBER, 0, -1]), "mean": (1, [*NO_NUMBER, 0, 2, -9]),
        "spread": (0.1, [*NOT_POSITIVE, 1.1]), **EPSILON}),
    # selection
    "exponential_probabilities": (dp.exponential_probabilities, {**SCORES, **SENSITIVITY, **EPSILON}),
    "exponential_mechanism": (dp.exponential_mechanism,
        {**CANDIDATES, **SCORES, **SENSITIVITY, **EPSILON, "size": (2, [0, -1, 2.0, "2", True, (2, 3)])}),
    "report_noisy_max": (dp.report_noisy_max,
        {**CANDIDATES, **SCORES, **SENSITIVITY, **EPSILON, "noise": ("laplace", [*NO_CHOICE, "Laplace"])}),
    # sparse_vector
    "above_threshold": (dp.above_threshold, {**ANSWERS, **EPSILON, **SENSITIVITY, "monotonic": (True, NO_SWITCH)}),
    "sparse": (dp.sparse, {**ANSWERS, **LIMIT, **EPSILON, **SENSITIVITY}),
    "numeric_sparse": (dp.numeric_sparse, {**ANSWERS, **LIMIT, **EPSILON, **SENSITIVITY}),
    # accounting
    "sequential_composition": (dp.sequential_composition, EPSILONS),
    "parallel_composition": (dp.parallel_composition, EPSILONS),
    "amplification_by_sampling": (dp.amplification_by_sampling, {**COST, "q": (0.1, NO_PROBABILITY)}),
    "group_privacy": (dp.group_privacy, {**COST, "size": (2, [*NOT_1_OR_MORE, 10**400])}),
    "advanced_composition": (dp.advanced_composition,
        {**COST, "k": (10, NOT_1_OR_MORE), "delta_prime": (1e-5, NOT_BETWEEN_0_AND_1)}),
    "optimal_composition": (dp.optimal_composition,
        {**COST, "k": (10, [*NOT_1_OR_MORE, 10**7 + 1]), "delta_total": (1e-4, [*NOT_IN_0_TO_1, 1e-6])}),
    "judge_claim": (dp.judge_claim, {
        **{name: (right, [wrong for wrong in kind if wrong is not None]) for name, right, kind in [
            ("epsilon", 1, NOT_POSITIVE), ("delta", 1e-6, NOT_IN_0_TO_1), ("rho", None, [*NOT_POSITIVE, 1.0]),
            ("unit", "person", NO_CHOICE), ("neighbours", "add/remove", NO_CHOICE), ("publications", "all", NO_CHOICE),
            ("period", "day", NO_CHOICE), ("model", "central", NO_CHOICE), ("exceptions", "none", NO_CHOICE),
        ]},
        "times": (1, NOT_1_OR_MORE), "events": (1, NOT_1_OR_MORE), "days": (30, NOT_POSITIVE),
        "fear": ("presence", NO_CHOICE), "at_delta": (1e-9, NOT_BETWEEN_0_AND_1)}),
    "PrivacyLedger": (dp.PrivacyLedger, {**COST, "epsilon": (1, NEGATIVE)}),
    "PrivacyLedger.spend": (dp.PrivacyLedger(1.0, delta=0.5).spend,
        {**COST, "label": ("count", [None, 3, "", ["count"]])}),
    # renyi
    "rdp_gaussian": (dp.rdp_gaussian, {"alpha": (2, ORDERS), "sigma": (1, NOT_POSITIVE), **SENSITIVITY}),
    "rdp_laplace": (dp.rdp_laplace, {"alpha": (2, ORDERS), "scale": (1, NOT_POSITIVE), **SENSITIVITY}),
    "rdp_randomized_response": (dp.rdp_randomized_response, {"alpha": (2, ORDERS), "p": (0.7, NOT_BETWEEN_0_AND_1)}),
    "rdp_subsampled_gaussian": (dp.rdp_subsampled_gaussian,
        {"alpha": (2, [*ORDERS, 100_001]), "q": (0.1, NO_PROBABILITY), "sigma": (1, NOT_POSITIVE)}),
    "rdp_to_dp": (dp.rdp_to_dp,
        {"alphas": ([2, 3], [*ORDERS, []]),
         "rdp": ([1, 1], [-1, [1, -1], [1, math.nan], [1, math.inf], [1], [1, 1, 1], "1", None]), **DELTA,
         "tight": (True, NO_SWITCH)}),
    "zcdp_gaussian": (dp.zcdp_gaussian, {"sigma": (1, [*NOT_POSITIVE, 1e-200]), **SENSITIVITY}),
    "rdp_to_delta": (dp.rdp_to_delta,
        {"alphas": ([2, 3], [*ORDERS, []]),
         "rdp": ([1, 1], [-1, [1, -1], [1, math.nan], [1, math.inf], [1], [1, 1, 1], "1", None]),
         "epsilon": (1, NEGATIVE)}),
    "zcdp_to_delta": (dp.zcdp_to_delta, {"rho": (1, NEGATIVE), "epsilon": (1, NEGATIVE)}),
    "largest_rho": (dp.largest_rho, {**EPSILON, **DELTA}),
    "pure_to_zcdp": (dp.pure_to_zcdp, {"epsilon": (1, [*NEGATIVE, 1.7e308]), "bounded_range": (True, NO_SWITCH)}),
    "zcdp_to_dp": (dp.zcdp_to_dp, {"rho": (1, NEGATIVE), **DELTA, "tight": (True, NO_SWITCH)}),
    "dp_sgd_epsilon": (dp.dp_sgd_epsilon, {"q": (0.1, NO_PROBABILITY), "sigma": (1, NOT_POSITIVE), **STEPS, **DELTA}),
    "noise_multiplier": (dp.noise_multiplier,
        {"q": (0.1, [*NO_PROBABILITY, 0]), **STEPS, "epsilon": (1, [*NOT_POSITIVE, 1.7e308]), **DELTA}),
    # privacy loss
    "trade_off_gaussian": (dp.trade_off_gaussian, {"false_alarms": ([0.1, 0.5], RATES), "mu": (1, NEGATIVE)}),
    "trade_off_laplace": (dp.trade_off_laplace, {"false_alarms": ([0.1, 0.5], RATES), "epsilon": (1, NEGATIVE)}),
    "PrivacyLoss.laplace": (dp.PrivacyLoss.laplace, {"scale": (1, [*NOT_POSITIVE, 1e-200]), **SENSITIVITY}),
    "PrivacyLoss.gaussian": (dp.PrivacyLoss.gaussian, {"sigma": (1, [*NOT_POSITIVE, 1e-200]), **SENSITIVITY}),
    "PrivacyLoss.randomized_response": (dp.PrivacyLoss.randomized_response, EPSILON),
    "PrivacyLoss.subsampled_gaussian": (dp.PrivacyLoss.subsampled_gaussian,
        {"q": (0.1, NO_PROBABILITY), "sigma": (1, NOT_POSITIVE)}),
    "PrivacyLoss.from_probabilities": (dp.PrivacyLoss.from_probabilities,
        {"p": ([0.5, 0.5], [*NO_VALUES, [], [0.5, 0.6], [1.5, -0.5]]),
         "q": ([0.2, 0.8], [*NO_VALUES, [], [0.5, 0.6], [1.5, -0.5], [1.0]]), "both_orders": (True, NO_SWITCH)}),
    "PrivacyLoss.compose": (LOSS.compose, {"other": (LOSS, [None, 1, "laplace"])}),
    "PrivacyLoss.compose_self": (LOSS.compose_self, {"k": (2, [*NOT_1_OR_MORE, 10**9 + 1])}),
    "PrivacyLoss.epsilon": (LOSS.epsilon, {"delta": (1e-5, NOT_IN_0_TO_1)}),
    "PrivacyLoss.epsilon_bounds": (LOSS.epsilon_bounds, {"delta": (1e-5, NOT_IN_0_TO_1)}),
    "PrivacyLoss.delta": (LOSS.delta, {"epsilon": (1.0, NEGATIVE)}),
    "PrivacyLoss.delta_bounds": (LOSS.delta_bounds, {"epsilon": (1.0, NEGATIVE)}),
    # continual
    "continual_counts": (dp.continual_counts,
        {"values": ([0, 1, 0.5], [*NO_VALUES, [], [0, 1.1], [-0.1]]), **EPSILON,
         "rho": (None, [*(wrong for wrong in NOT_POSITIVE if wrong is not None), 1.0]), "method": ("tree", NO_CHOICE)}),
    # local
    "RandomizedResponse": (dp.RandomizedResponse, {"truth": (0.5, NO_PROBABILITY), "yes": (0.5, NO_PROBABILITY)}),
    "RandomizedResponse.from_epsilon": (dp.RandomizedResponse.from_epsilon, EPSILON),
    "RandomizedResponse.biased_coin": (dp.RandomizedResponse.biased_coin, {"noise": (0.5, NO_PROBABILITY)}),
    **protocol("RandomizedResponse", dp.RandomizedResponse(truth=0.5), answers=[True, False, True],
        wrong_answers=[["yes"], [0, 2], [0.5], [True, None], [[True]], [math.nan], None, 3, "yes", {"a": True}],
        encoded=[True, False, True],
        wrong_reports=[["yes"], [0, 2], [0.5], [True, None], [[True]], [math.nan], None, 3, "yes", {"a": True}]),
    "UnaryEncoding": (dp.UnaryEncoding,
        {"domain": (["a", "b"], NO_DOMAIN), "p": (0.7, [*NO_PROBABILITY, 0.1]), "q": (0.2, [*NO_PROBABILITY, 0.8])}),
    "UnaryEncoding.symmetric": (dp.UnaryEncoding.symmetric, {"domain": (["a", "b"], NO_DOMAIN), **EPSILON}),
    "UnaryEncoding.optimized": (dp.UnaryEncoding.optimized, {"domain": (["a", "b"], NO_DOMAIN), **EPSILON}),
    **protocol("UnaryEncoding", dp.UnaryEncoding(["a", "b", "c"], p=0.7, q=0.2), answers=["a", "b", "c"],
        wrong_answers=NOT_AMONG_THE_ANSWERS, encoded=np.eye(3, dtype=bool),
        wrong_reports=[[1, 0, 0], 1, None, [[1, 0]], [[1, 0, 2]], [[0.5, 0, 1]], [["1", "0", "0"]],
        [[1, 0, math.nan]]]),
    "DirectEncoding": (dp.DirectEncoding, {"domain": (["a", "b"], NO_DOMAIN), **EPSILON}),
    **protocol("DirectEncoding", dp.DirectEncoding(["a", "b", "c"], epsilon=1), answers=["a", "b", "c"],
        wrong_answers=NOT_AMONG_THE_ANSWERS, encoded=np.array([0, 1, 2]),
        wrong_reports=[None, 1, "ab", [0, 3], [-1, 0], [0.5], ["a"], [0, None], [[0, 1]]]),
    "HistogramEncoding": (dp.HistogramEncoding, {"domain": (["a", "b"], NO_DOMAIN), **EPSILON}),
    **protocol("HistogramEncoding", dp.HistogramEncoding(["a", "b", "c"], epsilon=1), answers=["a", "b", "c"],
        wrong_answers=NOT_AMONG_THE_ANSWERS, encoded=np.eye(3),
        wrong_reports=[[1, 0, 0], 1, None, [[1, 0]], [["1", "0", "0"]], [[1, 0, math.nan]], [[1, 0, math.inf]]]),
    "ThresholdHistogramEncoding": (dp.ThresholdHistogramEncoding,
        {"domain": (["a", "b"], NO_DOMAIN), **EPSILON, "theta": (0.7, [math.nan, math.inf, "1", True])}),
    **protocol("ThresholdHistogramEncoding", dp.ThresholdHistogramEncoding(["a", "b", "c"], epsilon=1),
        answers=["a", "b", "c"], wrong_answers=NOT_AMONG_THE_ANSWERS, encoded=np.eye(3),
        wrong_reports=[[1, 0, 0], 1, None, [[1, 0]], [[1, 0, 2]], [[0.5, 0, 1]], [["1", "0", "0"]],
        [[1, 0, math.nan]]]),
    "LocalHashing": (dp.LocalHashing, {"domain": (["a", "b"], NO_DOMAIN), **EPSILON}),
    **protocol("LocalHashing", dp.LocalHashing(["a", "b", "c"], epsilon=1), answers=["a", "b", "c"],
        wrong_answers=NOT_AMONG_THE_ANSWERS, encoded=np.array([0, 1, 2]),
        wrong_reports=[None, 1, "ab", [[0, 1, 2]], [0.5], ["a"], [0, None]]),
    "laplace_mean": (dp.laplace_mean, LOCAL_MEAN),
    "duchi_mean": (dp.duchi_mean, LOCAL_MEAN),
    "piecewise_mean": (dp.piecewise_mean, LOCAL_MEAN),
    "shuffled_epsilon": (dp.shuffled_epsilon,
        {**EPSILON, "n": (100, NOT_1_OR_MORE), "delta": (1e-6, NOT_BETWEEN_0_AND_1),
         "method": ("numerical", NO_CHOICE)}),
    "unary_epsilon": (dp.unary_epsilon, {"p": (0.7, [*NO_PROBABILITY, 0.1]), "q": (0.2, [*NO_PROBABILITY, 0.8])}),
    # anonymity
    "equivalence_classes": (dp.equivalence_classes,
        {"data": (PEOPLE, [*NO_FRAME, OTHERS]),
         "quasi_identifiers": ("sex", [*NO_COLUMN_NAMES, Blamed("data", "age")])}),
    "k_anonymity": (dp.k_anonymity, {"data": (PEOPLE, [*NO_FRAME, OTHERS, PEOPLE[:0]]), **QUASI_IDENTIFIERS}),
    "suppress": (dp.suppress, {"data": (PEOPLE, [*NO_FRAME, OTHERS]), **QUASI_IDENTIFIERS, "k": (2, NOT_1_OR_MORE)}),
    "generalize": (dp.generalize,
        {"data": (AGES, [*NO_FRAME, AGES.astype(str)]),
         "depths": ({"age": 1}, [None, 1, [1], {"age": -1}, {"age": 0.5}, {"age": "1"}, Blamed("data", {"zip": 1})])}),
    "generalize_hierarchy": (dp.generalize_hierarchy,
        {"data": (PEOPLE, [*NO_FRAME, OTHERS]),
         "levels": ({"sex": {"F": "any", "M": "any"}}, [None, 1, {"sex": 1}, {"sex": {"F": "any"}}])}),
    "l_diversity": (dp.l_diversity,
        {"data": (PATIENTS, [*NO_FRAME, PATIENTS[:0]]), **QUASI_IDENTIFIERS, **SENSITIVE,
         "kind": ("distinct", NO_CHOICE)}),
    "t_closeness": (dp.t_closeness, {"data": (PATIENTS, [*NO_FRAME, PATIENTS[:0]]), **QUASI_IDENTIFIERS, **SENSITIVE}),
    # attacks
    "link": (dp.link, {"known": (PEOPLE, [*NO_FRAME, OTHERS]), "released": (PEOPLE, [*NO_FRAME, OTHERS]),
        "on": ("sex", [*NO_COLUMN_NAMES, Blamed("known", "age")])}),
    "uniqueness": (dp.uniqueness,
        {"data": (PEOPLE, [*NO_FRAME, OTHERS, PEOPLE[:0]]),
         "columns": ("sex", [*NO_COLUMN_NAMES, Blamed("data", "age")])}),
    "differencing": (dp.differencing,
        {"total": ([1, 2], [*NO_ARRAY, math.nan]), "total_without": ([1, 1], [*NO_ARRAY, math.nan, [1], 1])}),
    "reconstruct": (dp.reconstruct,
        {"queries": ([[0, 1], [1, 1]], [*NO_ARRAY, [0, 1], [[0, 1], [1, 2]], np.zeros((0, 3)), [[math.nan, 1]] * 2]),
         "answers": ([1, 2], [*NO_VALUES, [1]])}),
    "membership_advantage": (dp.membership_advantage,
        {"member_losses": ([1.0], [*NO_VALUES, []]), "other_losses": ([1.0], [*NO_VALUES, []])}),
    # learning
    "logistic_loss": (dp.logistic_loss, {**THETA, **ROWS, **LABELS}),
    "logistic_gradients": (dp.logistic_gradients, {**THETA, **ROWS, **LABELS}),
    "predict": (dp.predict, {**THETA, **ROWS}),
    "accuracy": (dp.accuracy, {**THETA, **SOME_ROWS, **LABELS}),
    "gradient_descent": (dp.gradient_descent,
        {**SOME_ROWS, **LABELS, "iterations": (2, NOT_1_OR_MORE), "rate": (1, NOT_POSITIVE)}),
    "noisy_gradient_descent": (dp.noisy_gradient_descent,
        {**ROWS, **LABELS, "iterations": (2, NOT_1_OR_MORE), "clip": (1, [*NOT_POSITIVE, 1.7e308]), **EPSILON, **DELTA,
         "rate": (1, [*NOT_POSITIVE, 1.7e308])}),
    "dp_sgd": (dp.dp_sgd, {**SOME_ROWS, **LABELS, **STEPS, "batch": (2, [*NOT_1_OR_MORE, 4]),
        "clip": (1, [*NOT_POSITIVE, 1.7e308]), "sigma": (1, [*NOT_POSITIVE, 1.7e308]),
        "rate": (1, [*NOT_POSITIVE, 1.7e308]), **DELTA}),
    # synthetic
    "noisy_marginal": (dp.noisy_marginal,
        {"data": (PEOPLE, NO_PEOPLE), "columns": ("sex", [*NO_COLUMN_NAMES, Blamed("categories", "age")]),
         "categories": ({"sex": ["F", "M"]}, [*NO_CATEGORIES, {"sex": ["F"]}, {"age": [30]}]), **EPSILON}),
    "sample_marginal": (dp.sample_marginal, {"marginal": (MARGINAL, NO_MARGINAL), "n": (5, NO_COUNT)}),
    "range_query": (dp.range_query,
        {"marginal": (MARGINAL, [*NO_MARGINAL, MARGINAL_OF_TWO, MARGINAL.rename(index=str)]),
         "lower": (1, [3, *NO_NUMBER]), "upper": (2, [0, *NO_NUMBER])}),
    "total_variation": (dp.total_variation,
        {"a": ([1.0, 2.0], [*NO_ARRAY, [0, -1], [], pd.Series([1, 2], index=["x", "x"])]),
         "b": ([1.0, 2.0], [*NO_ARRAY, [0, -1], [], [1.0], [[1.0, 2.0]]])}),
    "MarginalTree.fit": (dp.MarginalTree.fit,
        {"data": (PEOPLE, NO_PEOPLE),
         "categories": (
             {"sex": ["F", "M"]}, [*NO_CATEGORIES, {"sex": ["F"]}, Blamed("data", {"age": [30]}), {}, ["F"]]),
         "epsilon": (1.0, [*NOT_POSITIVE, 1e300]), **DELTA}),
    "MarginalTree.sample": (TREE.sample, {"n": (5, NO_COUNT)}),
    # audit
    "audit": (dp.audit, {"mechanism": (lambda data, rng: data + rng.laplace(), ["laplace", None, 3]),
        "data": Anything(0, "the mechanism knows what it takes"),
        "neighbour": Anything(1, "the mechanism knows what it takes"), "trials": (100, [*NO_COUNT, 0, 99]),
        "confidence": (0.9, NOT_BETWEEN_0_AND_1), "delta": (0, NOT_IN_0_TO_1)}),
    "one_run_epsilon": (dp.one_run_epsilon,
        {"right": (7, [*NO_COUNT, 11]), "guesses": (10, [*NOT_1_OR_MORE, 6]),
         "confidence": (0.9, NOT_BETWEEN_0_AND_1)}),
    "round_down": (dp.round_down, {"bound": (1.5, NO_NUMBER), "digits": (1, [*NO_COUNT, 16])}),
    # data
    "load_runs": (dp.load_runs, {"name": ("training_runs", NO_CHOICE)}),
    "census_features": (dp.census_features, {"data": (dp.load_census().head(3), [*NO_FRAME, PEOPLE])}),
}  # fmt: skip

# Public classes that functions return, and functions whose refusals are tested in a module of their own.
ELSEWHERE = {
    "AuditResult": "made by audit",
    "BudgetExceeded": "raised by PrivacyLedger",
    "MarginalTree": "made by MarginalTree.fit",
    "PrivacyLoss": "made by its constructors",
    "PrivateClassifier": "made by noisy_gradient_descent and dp_sgd",
    "download_uci_adult": "refuses files, not values: test_data.py",
    "explore": "draws figures in three venues: slider_figures/tests",
    "load_deployments": "takes nothing",
    "CountsPlan": "made by plan_group_counts",
    "FewPlan": "made by plan_count and plan_mean",
    "claim_cards": "takes nothing",
    "JudgedClaim": "made by judge_claim",
    "load_census": "refuses files, not values: test_data.py",
    "play": "draws figures in three venues: slider_figures/tests",
}


def public_callables():
    """Return name and object of each public function, class and method that takes an argument."""
    for name in dp.__all__:
        found = getattr(dp, name)
        if not callable(found):
            continue
        yield name, found
        if inspect.isclass(found) and not issubclass(found, Exception):
            for method in vars(found).keys() | {m for base in found.__mro__[1:-1] for m in vars(base)}:
                if not method.startswith("_") and callable(getattr(found, method)):
                    yield f"{name}.{method}", getattr(found, method)


def arguments(name, **changed):
    """Return the arguments of a right call, with some of them ``changed``."""
    function, parameters = CALLS[name]
    good = {parameter: given[0] for parameter, given in parameters.items()}
    if "rng" in inspect.signature(function).parameters:
        good["rng"] = np.random.default_rng(1)
    return {**good, **changed}


def wrong_values():
    for name, (_, parameters) in CALLS.items():
        wrong = {p: given[1] for p, given in parameters.items() if not isinstance(given, Anything)}
        if "rng" in arguments(name):
            wrong["rng"] = NO_GENERATOR
        yield from (pytest.param(name, parameter, wrong[parameter], id=f"{name}-{parameter}") for parameter in wrong)


@pytest.mark.parametrize("name", CALLS)
def test_the_right_call_is_right(name):
    CALLS[name][0](**arguments(name))


@pytest.mark.parametrize("name", [n for n in CALLS if "rng" in inspect.signature(CALLS[n][0]).parameters])
def test_all_randomness_comes_from_the_given_generator(name):
    once, again = (CALLS[name][0](**arguments(name)) for _ in range(2))
    assert pickle.dumps(once) == pickle.dumps(again)


@pytest.mark.parametrize(("name", "parameter", "values"), list(wrong_values()))
def test_a_wrong_value_is_refused_by_name_before_anything_is_drawn(name, parameter, values):
    given, rng = arguments(name), np.random.default_rng(2)
    if "rng" in given:
        given["rng"] = rng
    before = rng.bit_generator.state
    for value in values:
        blamed, wrong = value if isinstance(value, Blamed) else (parameter, value)
        with pytest.raises((TypeError, ValueError)) as refused:
            CALLS[name][0](**{**given, parameter: wrong})
            pytest.fail(f"{parameter}={wrong!r} is taken")
        said = str(refused.value).split(", got ")[0]
        assert re.search(rf"\b{blamed}\b", said), (wrong, said)
        assert rng.bit_generator.state == before, wrong


def test_every_public_function_is_in_the_table():
    known = {name.split(",")[0] for name in CALLS} | ELSEWHERE.keys()
    missing = sorted(
        name
        for name, function in public_callables()
        if name not in known and (set(inspect.signature(function).parameters) - {"self"} or inspect.isclass(function))
    )
    assert not missing, f"add to CALLS in tests/package/test_bad_input.py a right call and what is refused: {missing}"
    assert known <= {name for name, _ in public_callables()}, "there is no such public function any more"


@pytest.mark.parametrize("name", [name for name in CALLS if "," not in name])
def test_every_parameter_is_in_the_table(name):
    function, parameters = CALLS[name]
    missing = inspect.signature(function).parameters.keys() - parameters.keys() - {"rng"}
    assert not missing, f"add to {name!r} in tests/package/test_bad_input.py what is refused for: {sorted(missing)}"


LISTS = [(name, p) for name in CALLS for p, value in arguments(name).items() if isinstance(value, (list, np.ndarray))]


@pytest.mark.parametrize(("name", "parameter"), LISTS)
def test_a_masked_array_is_refused(name, parameter):
    if isinstance(CALLS[name][1][parameter], Anything):
        return
    masked = np.ma.masked_array(CALLS[name][1][parameter][0], mask=False)
    for wrong in (masked, list(masked)) if masked.ndim == 2 else (masked,):
        with pytest.raises((TypeError, ValueError), match=f"{parameter}.* must not be a masked array"):
            CALLS[name][0](**arguments(name, **{parameter: wrong}))


@pytest.mark.parametrize("missing", [[1, pd.NA], pd.array([1, None], dtype="Int64"), pd.Series([1.5, pd.NA])])
@pytest.mark.parametrize("name", ["private_sum", "geometric_mechanism", "above_threshold", "laplace_mechanism"])
def test_a_missing_number_is_called_missing(name, missing):
    parameter = next(iter({"values", "value", "answers"} & CALLS[name][1].keys()))
    with pytest.raises(ValueError, match=r"got nan|got a missing value"):
        CALLS[name][0](**arguments(name, **{parameter: missing}))
