"""What is labelled is matched by label or refused: over all public functions, by the table ``CALLS``.

An argument is given labels, and permuted together with them: then the result is the same, but for its order, or the
call is refused.  Silently another result means that labels were dropped.
"""

import itertools

import numpy as np
import pandas as pd
import pytest
from test_bad_input import CALLS, Anything, arguments

import dp_helpers as dp

LISTS = (list, np.ndarray, pd.Series)


def outcome(function, given):
    """Return what the call returns, in an order that depends on labels alone, or None for a refusal."""
    if "epsilon" in given:
        given = {**given, "epsilon": 1e9}  # no noise to speak of, whichever draw goes where
    if "rng" in given:
        given = {**given, "rng": np.random.default_rng(1)}
    try:
        result = function(**given)
    except (TypeError, ValueError):
        return None
    return result.sort_index() if isinstance(result, (pd.Series, pd.DataFrame)) else result


def agree(one, other):
    if isinstance(one, (dp.PrivacyLoss, dp.PrivateClassifier)):
        one, other = (vars(value) if hasattr(value, "__dict__") else repr(value) for value in (one, other))
        return str(one) == str(other)
    one, other = (np.asarray(value) for value in (one, other))
    if one.dtype.kind not in "bif":
        return np.array_equal(one, other)
    return np.allclose(one.astype(float), other.astype(float), rtol=1e-6, atol=1e-6)


def pairs():
    """Return each pair of lists of one length that some call takes; the first may be a table, too."""
    for name, (_, given) in CALLS.items():
        values = {p: right[0] for p, right in given.items() if not isinstance(right, Anything)}
        lists = [p for p, value in values.items() if isinstance(value, LISTS) and len(value) > 1]
        for one, other in itertools.permutations(lists, 2):
            if len(values[one]) == len(values[other]) and np.ndim(values[other]) == 1:
                yield name, one, other


@pytest.mark.parametrize(("name", "one", "other"), list(pairs()))
def test_two_labelled_lists_are_matched_by_label_or_refused(name, one, other):
    function, given = CALLS[name][0], arguments(name)
    first, second = np.asarray(given[one]), np.asarray(given[other])
    labels = [f"label {i}" for i in range(len(second))]
    given[one] = (pd.DataFrame if first.ndim == 2 else pd.Series)(first, index=labels)
    expected = outcome(function, {**given, other: pd.Series(second, index=labels)})
    assert expected is not None, "labels that agree are refused"
    result = outcome(function, {**given, other: pd.Series(second[::-1], index=labels[::-1])})
    assert result is None or agree(result, expected)


NAMES = ("candidates", "alphas", "rows", "columns")  # whose members may label what stands beside them


@pytest.mark.parametrize(("name", "one", "other"), [pair for pair in pairs() if pair[1] in NAMES])
def test_labels_that_are_the_members_of_a_list_are_matched(name, one, other):
    function, given = CALLS[name][0], arguments(name)
    values = pd.Series(np.asarray(given[other]), index=pd.Index(given[one]))
    expected = outcome(function, {**given, other: values.to_numpy()})
    assert agree(outcome(function, {**given, other: values[::-1]}), expected)


@pytest.mark.parametrize("labels", [["a", "b", "d"], ["a", "a", "b"], ["c", "x", "y"]])
def test_labels_of_which_only_some_are_members_are_refused(labels):
    scores = pd.Series([0.0, 0.0, 1.0], index=labels)
    for pick in (dp.exponential_mechanism, dp.report_noisy_max):
        with pytest.raises(ValueError, match="scores must have the labels of candidates or none of them"):
            pick(["a", "b", "c"], scores, sensitivity=1, epsilon=1)
    for nobodys in (scores.reset_index(drop=True), scores.set_axis(["x", "y", "z"])):
        assert dp.exponential_mechanism(["a", "b", "c"], nobodys, sensitivity=1, epsilon=1e6) == "c"


def test_a_column_of_data_is_no_list_of_names():
    """Its values are labels of the other column's rows by chance only."""
    ages, sexes = [30, 40, 30], pd.Series(["F", "M", "F"], index=[30, 31, 32])
    table = dp.private_crosstab(
        ages, sexes, row_categories=[30, 40], column_categories=["F", "M"], epsilon=1e6, rng=np.random.default_rng(1)
    )
    assert table.round().to_numpy().tolist() == [[2, 0], [0, 1]]


LOCAL = ["UnaryEncoding", "HistogramEncoding", "ThresholdHistogramEncoding"]


@pytest.mark.parametrize("method", ["perturb", "tally", "aggregate"])
@pytest.mark.parametrize("name", LOCAL)
def test_reports_in_named_columns_are_matched_to_the_domain(name, method):
    function, given = CALLS[f"{name}.{method}"][0], arguments(f"{name}.{method}")
    parameter = "encoded" if method == "perturb" else "reports"
    plain = np.asarray(given[parameter])
    named = pd.DataFrame(plain, columns=function.__self__.domain)
    expected = function(**{**given, parameter: plain})
    for table in (named, named[["c", "a", "b"]], pd.DataFrame(plain), pd.DataFrame(plain, columns=["0", "1", "2"])):
        if method == "perturb":
            given["rng"] = np.random.default_rng(1)
        assert np.array_equal(function(**{**given, parameter: table}), expected)
    with pytest.raises(ValueError, match=f"{parameter} must be labelled by the domain"):
        function(**{**given, parameter: named.rename(columns={"a": "x_a"})})


def test_dummies_are_reports_of_a_domain_in_any_order():
    answers = pd.Series(["a", "a", "b"])
    tally = dp.UnaryEncoding(["b", "a"], p=0.75, q=0.25).tally(pd.get_dummies(answers))
    assert tally.to_dict() == {"b": 1, "a": 2}


def test_seeds_and_values_are_told_apart_by_name():
    hashing = dp.LocalHashing(["a", "b", "c"], epsilon=1)
    reports = hashing.perturb(hashing.encode(["a", "b", "c"]), np.random.default_rng(1))
    table = pd.DataFrame({"value": reports[:, 1], "seed": reports[:, 0]})
    assert hashing.tally(table).equals(hashing.tally(reports))


def test_votes_are_matched_to_the_candidates():
    votes = dp.load_census()["Occupation"].value_counts()
    for pick in (dp.exponential_mechanism, dp.report_noisy_max):
        won = pick(dp.CENSUS_DOMAINS["Occupation"], votes, sensitivity=1, epsilon=1, rng=np.random.default_rng(1))
        assert won == votes.index[0]


def test_weights_are_matched_to_the_columns():
    X = pd.DataFrame({"age": [1.0, -2.0], "hours": [3.0, 0.5]})
    theta = pd.Series({"hours": -1.0, "age": 2.0})
    assert dp.predict(theta, X).tolist() == dp.predict([2.0, -1.0], X).tolist() == [-1.0, -1.0]
    y = pd.Series([1, -1])
    for function in (dp.logistic_loss, dp.logistic_gradients, dp.accuracy):
        assert np.array_equal(function(theta, X, y), function([2.0, -1.0], X, y))
    with pytest.raises(ValueError, match="theta must be labelled by the columns of X"):
        dp.predict(theta.rename({"age": "zip"}), X)


def test_a_level_that_says_two_things_is_refused():
    table = pd.DataFrame({"a": ["x", "y"]})
    same = pd.Series(["s", "t", "s"], index=["x", "y", "x"])
    assert dp.generalize_hierarchy(table, {"a": same})["a"].tolist() == ["s", "t"]
    with pytest.raises(ValueError, match=r"levels\['a'\] must have one coarser value for each, got two for 'x'"):
        dp.generalize_hierarchy(table, {"a": pd.Series([1, 2, 3], index=["x", "y", "x"])})
