"""Attacks: what an outsider learns from data that were published without the protection of differential privacy.

Wrong types raise ``TypeError``, wrong values ``ValueError``; the message names the parameter and what is allowed.
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.anonymity import equivalence_classes, hashable


def link(known: pd.DataFrame | pd.Series, released: pd.DataFrame, on: str | list[str]) -> pd.DataFrame:
    """Return the rows of a released table that fit what is known of some people: a linkage attack.

    A person with a single matching row is re-identified, if the attacker is sure that the person is in the table.  A
    missing value matches nothing, since it is no evidence.

    Parameters
    ----------
    known : pandas.DataFrame or pandas.Series
        What the attacker knows: a row for each person, or one person's row.
    released : pandas.DataFrame
        The published table, without names.
    on : str or list of str
        The columns that both tables have and that must agree.

    Returns
    -------
    pandas.DataFrame
        One row for each matching pair, in the order of ``known`` and then of ``released``: the known columns first,
        then those that the release adds, with the row labels of ``released``.  Other columns that both tables have
        are told apart by the endings ``_known`` and ``_released``.

    Raises
    ------
    ValueError, TypeError
        If a column of ``on`` holds kinds or types in the two tables that cannot agree.

    References
    ----------
    Sweeney (2002), k-anonymity: a model for protecting privacy, International Journal of Uncertainty, Fuzziness and
    Knowledge-Based Systems 10.

    Examples
    --------
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> voters = pd.DataFrame({"name": ["Ada", "Bob"], "zip": ["0541", "0542"], "age": [30, 41]})
    >>> hospital = pd.DataFrame({"zip": ["0541", "0543"], "age": [30, 41], "illness": ["flu", "asthma"]})
    >>> dp.link(voters, hospital, ["zip", "age"])
      name   zip  age illness
    0  Ada  0541   30     flu
    """
    columns = check.column_names("on", on)
    if isinstance(known, pd.Series):
        known = known.to_frame().T.infer_objects()
    known = check.frame("known", known, columns).dropna(subset=columns)  # merge would match missing to missing
    check.frame("released", released, columns)
    for name, table in (("known", known), ("released", released)):
        for column in columns:
            hashable(name, table, column)
    for column in columns:
        _refuse_unlike(column, known[column], released[column])
    known = known.reset_index(drop=True).assign(**{_PERSON: np.arange(len(known))})
    numbered = released.reset_index(drop=True).assign(**{_ROW: np.arange(len(released))})
    pairs = known.merge(numbered, on=columns, suffixes=("_known", "_released"))
    pairs = pairs.sort_values([_PERSON, _ROW]).drop(columns=_PERSON)  # which pandas 2 doesn't do
    return pairs.set_axis(released.index[pairs.pop(_ROW)])


def _refuse_unlike(column, known, released) -> None:
    """Refuse two columns of which no value can agree, or of which two would that differ."""
    found = [pd.Index(values.dropna().unique(), tupleize_cols=False) for values in (known, released)]
    kinds = [check.kinds(values) for values in found]
    if all(kinds) and kinds[0].isdisjoint(kinds[1]):
        both = " and ".join(" or ".join(sorted(kind)) for kind in kinds)
        raise ValueError(f"{column!r} must be of one kind in known and released, got {both}")
    whole = [values for values in (known, released) if not pd.api.types.is_float_dtype(values)]
    if len(whole) == 1 and kinds == [{"number"}] * 2 and ((whole[0] > 2**53) | (whole[0] < -(2**53))).any():
        raise ValueError(
            f"{column!r} must be whole numbers in known and released, got floats in one: beyond 2^53 they would "
            "agree with numbers that differ"
        )
    check.of_types(f"{column!r} of known", found[0], "released", found[1])


_PERSON, _ROW = "position in what is known", "position in the release"


def uniqueness(data: pd.DataFrame, columns: str | list[str]) -> float:
    """Return the share of rows that no other row equals on these columns.

    Whoever knows these columns of a person picks that share of the rows out of the table.  A missing value is a value
    of its own.

    Parameters
    ----------
    data : pandas.DataFrame
        One row for each person; at least one.
    columns : str or list of str
        Columns of ``data``.

    Returns
    -------
    float
        Between 0 and 1.

    References
    ----------
    Sweeney (2000), Simple demographics often identify people uniquely; Golle (2006), Revisiting the uniqueness of
    simple demographics in the US population, WPES.

    Examples
    --------
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> dp.uniqueness(pd.DataFrame({"zip": ["0541", "0541", "0542", "0543"]}), "zip")
    0.5
    """
    names = check.column_names("columns", columns)
    check.frame("data", data, names, empty=False)
    return float((equivalence_classes(data, names) == 1).sum() / len(data))


def differencing(total: ArrayLike, total_without: ArrayLike):
    """Return one person's value: the total with the person minus the total without.

    Two exact answers over groups that differ in one person give that person's value away, however large the groups.

    Parameters
    ----------
    total, total_without : number, array, Series or DataFrame
        Answers to the same queries, in equal shape and with equal labels.

    Returns
    -------
    float, or an array, Series or DataFrame like ``total``

    References
    ----------
    Denning, Denning & Schwartz (1979), The tracker: a threat to statistical database security, ACM Transactions on
    Database Systems 4.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.differencing(1_256_257, 1_256_218)
    39.0
    """
    with_person = check.numbers("total", total, ndim=None)
    without = check.numbers("total_without", total_without, ndim=None)
    if with_person.shape != without.shape:
        raise ValueError(f"total_without must have the shape of total, {with_person.shape}, got {without.shape}")
    labels, labels_without = getattr(total, "axes", []), getattr(total_without, "axes", [])
    if labels_without and not all(map(pd.Index.equals, labels, labels_without)):
        raise ValueError("total_without must have the labels of total, in the same order")
    return check.like(total, with_person - without)


def reconstruct(queries: ArrayLike, answers: ArrayLike) -> np.ndarray:
    """Return a secret column of bits, guessed from noisy answers to counting queries by least squares.

    Each query counts the ones among some of the n rows.  The estimates are kept between 0 and 1, where the bits lie:
    without that, n answers would tell less than n / 2.  With a few times n random queries and errors well below
    sqrt(n), nearly every bit comes out right: answers that are many and accurate cannot be private.

    Parameters
    ----------
    queries : array of shape (m, n)
        One row for each query, 1 where it counts that person and 0 elsewhere.
    answers : array of shape (m,)
        The noisy counts.

    Returns
    -------
    numpy.ndarray of shape (n,), dtype int64
        The bits: for each the one of 0 and 1 that lies nearer to the least-squares solution.  Where the queries leave
        several solutions, the one nearest to 1/2 everywhere is taken, if it lies between 0 and 1.

    References
    ----------
    Dinur & Nissim (2003), Revealing information while preserving privacy, PODS.  Least squares: Dwork, McSherry &
    Talwar (2007), The price of privacy and the limits of LP decoding, STOC.

    Examples
    --------
    >>> import numpy as np
    >>> import dp_helpers as dp
    >>> secret = np.array([1, 0, 1])
    >>> queries = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    >>> dp.reconstruct(queries, queries @ secret + [0.2, -0.1, 0.1])
    array([1, 0, 1])
    """
    subsets = check.bits("queries", queries, ndim=2, empty=False).astype(np.float64)
    counts = check.numbers("answers", answers)
    counts = counts[check.pairing("answers", answers, "queries", queries)]
    # Measured from 1/2, so that the shortest of several solutions leans neither to 0 nor to 1.
    from scipy.optimize import lsq_linear  # loaded here, because it takes longer to load than this whole package

    above_half = lsq_linear(subsets, counts - subsets.sum(axis=1) / 2, bounds=(-0.5, 0.5)).x
    return (above_half > 0).astype(np.int64)


def membership_advantage(member_losses: ArrayLike, other_losses: ArrayLike) -> float:
    """Return how well a model's losses tell its training rows from other rows: a membership inference attack.

    The attack calls a row a member if its loss is at most some threshold.  Its advantage is the share of members that
    it finds, less the share of others that it accuses; 0 is no better than guessing.  The best threshold is taken with
    hindsight, which lifts the result by up to about 1 / sqrt(rows) even if the model gives nothing away.

    No attack on an (epsilon, delta)-private model, with a threshold fixed beforehand, has an advantage of more than
    (e^epsilon - 1 + 2 delta) / (e^epsilon + 1) on average.

    Parameters
    ----------
    member_losses : array, Series or list, shape (m,)
        The model's loss on rows it was trained on, at least one.
    other_losses : array, Series or list, shape (n,)
        Its loss on rows of the same kind that it has not seen, at least one.

    Returns
    -------
    float
        Between 0 and 1.

    References
    ----------
    Yeom, Giacomelli, Fredrikson & Jha (2018), Privacy risk in machine learning: analyzing the connection to
    overfitting, CSF.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.membership_advantage([0.1, 0.2, 0.9, 1.0], [0.15, 0.8, 1.1, 1.2])
    0.5
    """
    members = np.sort(check.numbers("member_losses", member_losses, empty=False))
    others = np.sort(check.numbers("other_losses", other_losses, empty=False))
    found = np.arange(1, members.size + 1) / members.size  # of equal losses, the last one counts
    accused = np.searchsorted(others, members, side="right") / others.size
    return max(float((found - accused).max()), 0.0)
