"""Anonymity of a table: properties of how its rows group by what an attacker may know.

The columns an attacker may know are the quasi-identifiers.  Rows that agree on all of them form an equivalence class.
In a quasi-identifier a missing value is a value of its own, so rows that miss the same column agree on it.  Nothing
here bounds what a release gives away: no epsilon covers any of it, and two releases that are each anonymous need not
be so together (Ganta, Kasiviswanathan & Smith 2008, Composition attacks and auxiliary information, KDD).

Wrong types raise ``TypeError``, wrong values ``ValueError``; the message names the parameter and what is allowed.
"""

import math
from collections.abc import Mapping
from decimal import Decimal
from numbers import Real

import numpy as np
import pandas as pd

from dp_helpers import validation as check


def equivalence_classes(data: pd.DataFrame, quasi_identifiers: str | list[str]) -> pd.Series:
    """Return the size of every equivalence class: how many rows agree on all the quasi-identifiers.

    A missing value is a value of its own, so rows that miss the same column agree on it.  Only classes with rows in
    them are listed.  No privacy is guaranteed: the sizes are exact.

    Parameters
    ----------
    data : pandas.DataFrame
        One row for each person.
    quasi_identifiers : str or list of str
        Columns of ``data``.

    Returns
    -------
    pandas.Series
        Whole numbers named "size", one for each class, indexed by the values of the quasi-identifiers in their order.

    References
    ----------
    Sweeney (2002), k-anonymity: a model for protecting privacy, International Journal of Uncertainty, Fuzziness and
    Knowledge-Based Systems 10.

    Examples
    --------
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> people = pd.DataFrame({"age": [30, 30, 40], "zip": ["0541", "0541", "0542"]})
    >>> dp.equivalence_classes(people, ["age", "zip"]).to_dict()
    {(30, '0541'): 2, (40, '0542'): 1}
    """
    columns = check.column_names("quasi_identifiers", quasi_identifiers)
    check.frame("data", data, columns)
    for name in columns:
        hashable("data", data, name)
    table = data[columns].reset_index(drop=True)  # an index may have a column's name
    return table.groupby(columns, dropna=False, observed=True).size().rename("size")


def k_anonymity(data: pd.DataFrame, quasi_identifiers: str | list[str]) -> int:
    """Return the largest k for which the table is k-anonymous: the size of its smallest equivalence class.

    Every row then equals at least k - 1 others on all the quasi-identifiers.  Time is linear in the number of rows.

    Parameters
    ----------
    data : pandas.DataFrame
        One row for each person; at least one.
    quasi_identifiers : str or list of str
        Columns of ``data``, of any type.

    Returns
    -------
    int
        At least 1.

    References
    ----------
    Samarati & Sweeney (1998), Protecting privacy when disclosing information, SRI International; Sweeney (2002),
    k-anonymity: a model for protecting privacy, International Journal of Uncertainty, Fuzziness and Knowledge-Based
    Systems 10.

    Examples
    --------
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> people = pd.DataFrame({"age": [30, 30, 40, 40, 40], "zip": ["0541"] * 2 + ["0542"] * 3})
    >>> dp.k_anonymity(people, ["age", "zip"])
    2
    """
    sizes, _ = _sizes(check.frame("data", data, empty=False), quasi_identifiers)
    return int(sizes.min())


def suppress(data: pd.DataFrame, quasi_identifiers: str | list[str], k: int) -> pd.DataFrame:
    """Return the table without the rows whose equivalence class has fewer than k rows.

    What is left is k-anonymous; it may be nothing.  Which rows are left out depends on the data, so the number of
    them, and the fact that a known person is among them, are part of what is given away.

    Parameters
    ----------
    data : pandas.DataFrame
        One row for each person.
    quasi_identifiers : str or list of str
        Columns of ``data``, of any type.
    k : int
        Number of rows, at least 1.

    Returns
    -------
    pandas.DataFrame
        The rows that stay, in their order, with their labels and all columns.

    Examples
    --------
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> people = pd.DataFrame({"age": [30, 30, 40], "illness": ["flu", "cold", "flu"]})
    >>> dp.suppress(people, "age", 2)
       age illness
    0   30     flu
    1   30    cold
    """
    k = check.integer("k", k, minimum=1)
    sizes, classes = _sizes(data, quasi_identifiers)
    return data[sizes[classes] >= k]


def generalize(data: pd.DataFrame, depths: Mapping[str, int]) -> pd.DataFrame:
    """Return the table with the last digits of some columns replaced by zeros.

    At depth d every number becomes the largest multiple of 10^d that does not exceed it: 36 becomes 30 at depth 1,
    and so does 39.  This is truncation, not rounding to the nearest ten.  It goes downwards for negative numbers, too
    (-15 becomes -20), so that all intervals have the width 10^d; truncation towards zero would make one of double
    width out of -9 to 9.

    Parameters
    ----------
    data : pandas.DataFrame
        One row for each person.
    depths : mapping from str to int
        How many digits before the decimal point to zero, by column, from 0 to 18; at depth 0 a column stays as it is,
        at any other depth digits after the point go as well.  Columns of ``data`` that are not named stay as they are.

    Returns
    -------
    pandas.DataFrame
        A new table with the rows and columns of ``data``.  Missing numbers stay missing.  Integers come back as
        int64 (nullable ones as Int64), floats as they were (those of Arrow as Float64).

    Raises
    ------
    TypeError
        If a column with a depth above 0 does not hold numbers (text such as a Zip with leading zeros: cut it with
        ``.str[:3]``, or use `generalize_hierarchy`).

    Examples
    --------
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> dp.generalize(pd.DataFrame({"age": [36, 39, 41], "change": [-15, -5, 5]}), {"age": 1, "change": 1})
       age  change
    0   30     -20
    1   30     -10
    2   40       0
    """
    depths = _by_column("depths", depths, data)
    depths = {name: check.integer(f"depths[{name!r}]", depth, minimum=0, maximum=18) for name, depth in depths.items()}
    return _replaced(data, {column: _zeroed(_column(data, column), depth) for column, depth in depths.items() if depth})


def generalize_hierarchy(data: pd.DataFrame, levels: Mapping[str, Mapping | pd.Series]) -> pd.DataFrame:
    """Return the table with the values of some columns replaced by coarser ones.

    Parameters
    ----------
    data : pandas.DataFrame
        One row for each person.
    levels : mapping from str to mapping
        For each column the coarser value of every value that occurs in it: a dict or a Series.  Apply the function
        again, with the next level, to climb a hierarchy of several levels.

    Returns
    -------
    pandas.DataFrame
        A new table with the rows and columns of ``data``.  Missing values stay missing.

    Raises
    ------
    ValueError
        If a mapping says nothing about a value that occurs, or a Series two things about one value.

    Examples
    --------
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> people = pd.DataFrame({"schooling": ["Masters", "9th", "10th"]})
    >>> dp.generalize_hierarchy(people, {"schooling": {"9th": "school", "10th": "school", "Masters": "university"}})
        schooling
    0  university
    1      school
    2      school
    """
    levels = _by_column("levels", levels, data)
    return _replaced(data, {column: _coarser(_column(data, column), level) for column, level in levels.items()})


def l_diversity(
    data: pd.DataFrame, quasi_identifiers: str | list[str], sensitive: str, *, kind: str = "distinct"
) -> int | float:
    """Return the largest l for which the table is l-diverse: how varied the secret is in its least varied class.

    Distinct l-diversity counts the different values in a class.  Entropy l-diversity asks that the entropy of the
    values in every class be at least ln l; the l returned is e to the smallest entropy, which is at most the distinct
    l and equals it where all values in the class are equally frequent.  A missing value is a value of its own.

    Parameters
    ----------
    data : pandas.DataFrame
        One row for each person; at least one.
    quasi_identifiers : str or list of str
        Columns of ``data``, of any type.
    sensitive : str
        The secret column; not a quasi-identifier.
    kind : {"distinct", "entropy"}
        What is meant by varied.

    Returns
    -------
    int or float
        At least 1; 1 if all rows of some class share one value.  An int for ``"distinct"``, a float for ``"entropy"``.

    References
    ----------
    Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam (2007), l-diversity: privacy beyond k-anonymity, ACM
    Transactions on Knowledge Discovery from Data 1.

    Examples
    --------
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> people = pd.DataFrame({"age": [30, 30, 40, 40, 40, 40], "illness": ["flu", "cold"] + ["flu"] * 3 + ["cold"]})
    >>> dp.l_diversity(people, "age", "illness")
    2
    >>> round(dp.l_diversity(people, "age", "illness", kind="entropy"), 3)
    1.755
    """
    check.choice("kind", kind, ["distinct", "entropy"])
    sizes, of_class, _, counts, _ = _pairs(data, quasi_identifiers, sensitive)
    if kind == "distinct":
        return int(np.bincount(of_class).min())
    # H = ln n - (1/n) sum c ln c, over the counts c of the values in a class of n rows.
    entropy = np.log(sizes) - np.bincount(of_class, weights=counts * np.log(counts)) / sizes
    return max(1.0, math.exp(entropy.min()))


def t_closeness(data: pd.DataFrame, quasi_identifiers: str | list[str], sensitive: str) -> float:
    """Return the smallest t for which the table is t-close: how far the secret's distribution in a class is off.

    For every class, the distribution of the sensitive column within it is compared with that in the whole table; the
    largest distance counts.  The distance is the earth mover's distance with one of two ground distances:

    - Numbers, dates, times, intervals and ordered categoricals: the *ordered* distance.  The m different values in the
      table stand in their order at equal steps of 1/(m - 1), whatever the gaps between them, and the distance of P from
      Q is the sum of abs(cumsum(P - Q)) over them, divided by m - 1.
    - Everything else, and booleans: the *equal* distance, by which all values are equally far from each other.  The
      distance of P from Q is then their total variation, half the sum of abs(P - Q); a missing value is a value of
      its own.

    A code that only looks like a number, such as a Zip, belongs to the second kind: make it text first.  Categories
    that are declared but do not occur are left out.

    Parameters
    ----------
    data : pandas.DataFrame
        One row for each person; at least one.
    quasi_identifiers : str or list of str
        Columns of ``data``, of any type.
    sensitive : str
        The secret column; not a quasi-identifier.

    Returns
    -------
    float
        Between 0 (in every class the secret is distributed as in the table) and 1.

    Raises
    ------
    ValueError
        If an ordered ``sensitive`` has missing values, which have no place in the order.

    References
    ----------
    Li, Li & Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and l-diversity, ICDE.

    Examples
    --------
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> salaries = pd.DataFrame({"class": list("aaabbbccc"), "salary": [3, 4, 5, 6, 8, 11, 7, 9, 10]})
    >>> round(dp.t_closeness(salaries, "class", "salary"), 3)
    0.375
    >>> round(dp.t_closeness(salaries.astype({"salary": str}), "class", "salary"), 3)
    0.667
    """
    sizes, of_class, value, counts, ordered = _pairs(data, quasi_identifiers, sensitive)
    overall = np.bincount(value, weights=counts) / len(data)
    share = counts / sizes[of_class]
    distances = _ordered_distances if ordered else _equal_distances
    return float(np.clip(distances(of_class, value, share, overall).max(), 0.0, 1.0))


def _equal_distances(of_class, value, share, overall):
    # Total variation is the sum of max(P - Q, 0), and P - Q is positive only for values that occur in the class.
    return np.bincount(of_class, weights=np.maximum(share - overall[value], 0.0))


def _ordered_distances(of_class, value, share, overall):
    """Return for each class the sum of abs(F - G) over the values, divided by their number minus 1.

    F and G are the distribution functions in the class and in the table.  F is constant from one value of the class
    up to the next, and G grows, so that each such run splits at one point into a part where F is above G and one where
    it is below: the cost is in the number of runs, not in classes times values.
    """
    values = len(overall)
    if values == 1:
        return np.zeros(1)
    above = np.cumsum(overall)  # G
    area = np.concatenate([[0.0], np.cumsum(above)])  # area[j] is the sum of G over the first j values
    first = np.flatnonzero(np.diff(of_class, prepend=-1))  # of_class is sorted, and value is within each class
    level = np.cumsum(share)
    level -= (level[first] - share[first])[of_class]  # F from here to the next value of the class
    end = np.append(value[1:], values)
    end[first[1:] - 1] = values
    cross = np.clip(np.searchsorted(above, level), value, end)
    cost = level * (2 * cross - value - end) + area[value] + area[end] - 2 * area[cross]
    cost[first] += area[value[first]]  # before its first value F is 0
    return np.bincount(of_class, weights=cost) / (values - 1)


def _pairs(data, quasi_identifiers, sensitive):
    """Return the sizes of the classes, and for each class and each secret in it: class, secret, count; if ordered."""
    check.frame("data", data, empty=False)
    if isinstance(sensitive, list):
        raise TypeError(f"sensitive must be the name of one column, got {sensitive!r}")
    if sensitive in check.column_names("quasi_identifiers", quasi_identifiers):
        raise ValueError(f"sensitive must not be a quasi-identifier, got {sensitive!r}")
    check.frame("data", data, [sensitive])
    sizes, classes = _sizes(data, quasi_identifiers)
    secret = _column(data, sensitive)
    ordered = _is_ordered(secret)
    if ordered and secret.isna().any():
        raise ValueError(
            f"sensitive must not be missing where its values are ordered ({int(secret.isna().sum())} such in "
            f"{sensitive!r}): a missing value has no place in the order; drop these rows, or make the column text"
        )
    secrets = _codes(secret, sort=ordered)
    both, counts = np.unique(classes * (secrets.max() + 1) + secrets, return_counts=True)
    return sizes, *np.divmod(both, secrets.max() + 1), counts, ordered


def _is_ordered(column: pd.Series) -> bool:
    """Tell whether the values have an order: numbers, dates, times and spans in a column of any type, or categories."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.dtype.ordered
    present = column.dropna()
    if column.dtype.kind in "iufmM" or pd.api.types.infer_dtype(present, skipna=False) in _KINDS_WITH_AN_ORDER:
        return True
    return not present.empty and all(
        isinstance(value, (Real, Decimal)) and not isinstance(value, (bool, np.bool_)) for value in present
    )


_KINDS_WITH_AN_ORDER = ("date", "datetime", "datetime64", "timedelta", "timedelta64", "time", "period", "interval")


def _sizes(data, quasi_identifiers) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes of the equivalence classes, in no order that means anything, and each row's class."""
    names = check.column_names("quasi_identifiers", quasi_identifiers)
    check.frame("data", data, names)
    classes, number = np.zeros(len(data), dtype=np.int64), 1
    for name in names:
        codes = _codes(_column(data, name))
        width = int(codes.max(initial=0)) + 1
        classes, number = classes * width + codes, number * width
        if number > 4 * len(data) + 1000:  # more possible classes than the rows can fill: number those that occur
            classes, found = pd.factorize(classes)
            number = len(found)
    sizes = np.bincount(classes, minlength=number)
    occurs = sizes > 0
    return sizes[occurs], (np.cumsum(occurs) - 1)[classes]


def _codes(column: pd.Series, *, sort: bool = False) -> np.ndarray:
    """Return whole numbers from 0 on that are equal where the values are; a missing value is a value of its own."""
    try:
        # A column of Python objects takes pandas half the time if what is missing gets no number of its own.
        codes, _ = pd.factorize(column, sort=sort, use_na_sentinel=column.dtype == object)
    except TypeError:
        raise TypeError(f"data must hold hashable values, got others in the column {column.name!r}") from None
    codes[codes == -1] = codes.max(initial=-1) + 1
    return codes


def _column(data: pd.DataFrame, name, argument: str = "data") -> pd.Series:
    column = data[name]
    if column.ndim != 1:
        raise ValueError(f"{argument} must have one column of each name, got {column.shape[1]} named {name!r}")
    return column


def hashable(name: str, data: pd.DataFrame, column) -> pd.Series:
    """Return the one column of this name, whose values must be hashable."""
    values = _column(data, column, name)
    if values.dtype == object and not all(map(pd.api.types.is_hashable, values)):
        raise TypeError(f"{name} must hold hashable values, got others in the column {column!r}")
    return values


def _by_column(name: str, value, data) -> dict:
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a mapping from columns, got {value!r}")
    check.frame("data", data, value)
    return dict(value)


def _replaced(data: pd.DataFrame, columns: dict) -> pd.DataFrame:
    table = data.copy(deep=False)
    for name, column in columns.items():
        table[name] = column
    return table


def _zeroed(column: pd.Series, depth: int) -> pd.Series:
    # The remainder is the exact distance from the multiple below, which a quotient, being rounded, need not give.
    kind = pd.api.types
    if kind.is_integer_dtype(column.dtype):
        if ((column > 2**62) | (column < -(2**62))).any():
            raise ValueError(f"data must hold whole numbers of at most 2^62 in size, got others in {column.name!r}")
        column = column.astype("int64" if isinstance(column.dtype, np.dtype) else "Int64")
        return column - column % 10**depth
    if kind.is_float_dtype(column.dtype):
        if isinstance(column.dtype, pd.ArrowDtype):  # which has no remainder
            column = column.astype("Float64")
        infinite = column.isin([math.inf, -math.inf])
        if infinite.any():
            raise ValueError(f"data must hold finite numbers, got {int(infinite.sum())} infinite in {column.name!r}")
        return column - column % 10.0**depth
    raise TypeError(f"data must hold numbers in the columns of depths, got {column.dtype} in {column.name!r}")


def _coarser(column: pd.Series, level) -> pd.Series:
    if not isinstance(level, (Mapping, pd.Series)):
        raise TypeError(f"levels[{column.name!r}] must be a mapping from each value to a coarser one, got {level!r}")
    if isinstance(level, pd.Series):
        _refuse_two_coarser(column.name, level)
    level = dict(level.items())
    codes, found = pd.factorize(column)
    without = [value for value in found if value not in level]
    if without:
        raise ValueError(f"levels[{column.name!r}] has no coarser value for {without[0]!r} ({len(without)} such)")
    coarser = pd.Series(pd.Index([level[value] for value in found], tupleize_cols=False).array)
    return coarser.reindex(codes).set_axis(column.index).rename(column.name)  # a missing value has the code -1


def _refuse_two_coarser(name, level: pd.Series) -> None:
    pairs = pd.DataFrame({"value": level.index.to_flat_index(), "coarser": level.array}).drop_duplicates()
    repeated = pairs["value"].duplicated()
    if repeated.any():
        twice = pairs["value"][repeated].iloc[0]
        raise ValueError(f"levels[{name!r}] must have one coarser value for each, got two for {twice!r}")
