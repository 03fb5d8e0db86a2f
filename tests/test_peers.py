"""Values that other people's libraries and tests have for what this package computes, row by row.

``tests/peers/README.md`` says where the rows come from and what their columns mean.
"""

import csv
import json
import math
from pathlib import Path

import pytest
from thorough import sample

import dp_helpers as dp

PEERS = Path(__file__).parent / "peers"


def rows_of(name):
    with (PEERS / f"{name}.csv").open(encoding="utf-8") as file:
        return [*csv.DictReader(file)]


OURS = {
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
    "dp_sgd_epsilon": dp.dp_sgd_epsilon,
    "zcdp_epsilon": lambda sigma, delta: dp.zcdp_to_dp(dp.zcdp_gaussian(sigma=sigma), delta=delta),
    "laplace_accuracy": lambda scale, outside: dp.laplace_accuracy(scale=scale, confidence=1 - outside),
    "gaussian_accuracy": lambda scale, outside: dp.gaussian_accuracy(sigma=scale, confidence=1 - outside),
}


def agrees(row):
    """Tell whether ours lies on the side of theirs that the row says."""
    ours, theirs = float(OURS[row["what"]](**json.loads(row["parameters"]))), float(row["value"])
    relative, absolute = float(row["relative"]), float(row["absolute"])
    if row["relation"] == "equal":
        return math.isclose(ours, theirs, rel_tol=relative, abs_tol=absolute)
    return {"at most": 1, "at least": -1}[row["relation"]] * (ours - theirs) <= absolute + relative * abs(theirs)


def name_of(row):
    return f"{row['source']}: {row['what']} {row['parameters']} {row['relation']}"


@pytest.mark.parametrize("row", sample(rows_of("accounting"), every=60, name=name_of), ids=name_of)
def test_ours_is_where_theirs_says(row):
    assert agrees(row)


def test_a_wrong_value_is_noticed():
    row = {"what": "laplace_accuracy", "parameters": '{"outside": 0.05, "scale": 2}', "relative": 1e-9, "absolute": 0}
    assert agrees(row | {"value": 5.991464547107982, "relation": "equal"})
    assert not agrees(row | {"value": 5.99147, "relation": "equal"})
    assert agrees(row | {"value": 6, "relation": "at most"}) and not agrees(row | {"value": 6, "relation": "at least"})
