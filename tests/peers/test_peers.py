"""What other people's libraries and papers say, row by row: ours lies where each row of ``tests/peers`` says."""

import json

import peers_values
import pytest
from thorough import sample


def name_of(row):
    return f"{row['source']}: {row['what']} {row['parameters']} {row['relation']}"


ROWS = [row for table in peers_values.TABLES for row in peers_values.rows_of(table)]


@pytest.mark.parametrize("row", sample(ROWS, every=60, name=name_of), ids=name_of)
def test_ours_is_where_theirs_says(row):
    assert peers_values.agrees(row)


def test_the_summary_counts_the_rows_that_are_here():
    """That all of them agree is what the test above says once it has tried all, weekly."""
    said = json.loads(peers_values.SUMMARY.read_text())
    assert said == peers_values.summary(agrees=lambda row: True)


def test_where_ours_is_not_equal_the_row_says_why():
    assert all(row["reason"] for row in ROWS if row["relation"] != "equal")


def test_a_wrong_value_is_noticed():
    agrees = peers_values.agrees
    row = {"what": "laplace_accuracy", "parameters": '{"outside": 0.05, "scale": 2}', "relative": 1e-9, "absolute": 0}
    assert agrees(row | {"value": 5.991464547107982, "relation": "equal"})
    assert not agrees(row | {"value": 5.99147, "relation": "equal"})
    assert agrees(row | {"value": 6, "relation": "at most"}) and not agrees(row | {"value": 6, "relation": "at least"})
