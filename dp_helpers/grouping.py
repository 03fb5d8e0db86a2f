"""GROUP BY for people: tables in which one person has many rows, in several groups.

The unit of privacy is the person: neighbours are add/remove-one *person*, with all of his or her rows.  A person's
influence is therefore bounded first, in two numbers with names of the field: in how many groups a person may be (L0,
``most_groups``), and how much he or she may add to one of them (L-infinity, ``most_rows``, or ``lower`` and ``upper``).
Which rows stay is decided by that person's rows alone, so that nobody's presence moves what another one contributes.

Which groups there are is an answer, too.  Where the list of them is public, pass it as ``keys``; where it isn't, buy
it with `select_keys` (partition selection), which takes a delta.

Wrong types raise ``TypeError`` and wrong values ``ValueError``, before anything is drawn.  ``rng`` is a numpy
Generator, the source of all randomness; None draws fresh entropy.
"""

import math
from collections.abc import Hashable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.mechanisms import gaussian_mechanism, gaussian_sigma, laplace_mechanism, laplace_scale
from dp_helpers.validation import Rng


def bound_contributions(
    data: pd.DataFrame,
    *,
    person: Hashable,
    group: Hashable | list[Hashable],
    most_groups: int,
    most_rows: int | None = None,
    order: Hashable | None = None,
    rng: Rng = None,
) -> pd.DataFrame:
    """Return the rows of ``data`` that remain if each person keeps some groups, and some rows in each of them.

    No release: the result is as private as ``data`` is.  But adding or removing a person adds or removes at most
    ``most_groups * most_rows`` of its rows, in at most ``most_groups`` groups, and the law of everybody else's rows
    stays the same.  Counts of rows by group then have L1 sensitivity ``most_groups * most_rows`` and L2 sensitivity
    ``sqrt(most_groups) * most_rows``; counts of people by group have 1 in place of ``most_rows``.

    Parameters
    ----------
    data : pandas.DataFrame
        Any number of rows a person, possibly none at all.
    person : label
        Column of ``data``, nothing missing in it: who a row belongs to.
    group : label or list of labels
        Column of ``data``, or several, nothing missing in them: what a row is grouped by.
    most_groups : int
        In how many groups a person may remain (L0), at least 1; public.
    most_rows : int, optional
        How many rows a person may keep in a group (L-infinity), at least 1; public.  None: all of them, for a sum or
        count that is bounded later.
    order : label, optional
        A column, nothing missing in it, whose values can be sorted (categories have an order of their own).  A
        person's groups and rows are kept in its order, the first ones first, and by chance where it is level.  None:
        by chance alone.

    Returns
    -------
    pandas.DataFrame
        Rows of ``data``, in their order and with their index.

    References
    ----------
    Amin, Kulesza, Munoz & Vassilvitskii (2019), Bounding user contributions, ICML (bias against noise).
    Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo & Gipson (2020), Differentially private SQL with bounded user
    contribution, PoPETs.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> visits = pd.DataFrame({"person": ["Ada", "Ada", "Ada", "Bob"], "page": ["news", "jobs", "jobs", "news"]})
    >>> rng = np.random.default_rng(1)
    >>> kept = dp.bound_contributions(visits, person="person", group="page", most_groups=1, most_rows=1, rng=rng)
    >>> kept["person"].tolist()
    ['Ada', 'Bob']
    """
    people, groups, _ = _codes(data, person, group)
    most_groups = check.integer("most_groups", most_groups, minimum=1, maximum=2**53)
    if most_rows is not None:
        most_rows = check.integer("most_rows", most_rows, minimum=1, maximum=2**53)
    places = None if order is None else _places(data, order)
    rng = check.generator(rng)
    pair, owners, _ = _pairs(people, groups)
    first = None
    if places is not None:
        first = np.full(owners.size, len(data))
        np.minimum.at(first, pair, places)  # a group comes where its first row comes
    kept = _first_of_each(owners, most_groups, rng, first)[pair]
    if most_rows is not None:
        kept &= _first_of_each(pair, most_rows, rng, places)
    return data[kept]


def private_group_counts(
    data: pd.DataFrame,
    *,
    person: Hashable,
    group: Hashable | list[Hashable],
    keys: ArrayLike,
    most_groups: int,
    most_rows: int = 1,
    epsilon: float,
    delta: float | None = None,
    rng: Rng = None,
) -> pd.Series:
    """Return a noisy count of rows for each of ``keys``: epsilon-differentially private for a person, or with delta.

    Rows of other groups are left out first.  Then each person keeps ``most_groups`` of the groups, by chance, and
    counts in each for his or her rows, but at most ``most_rows``.  Adding or removing a person, with all rows, changes
    the counts by at most ``most_groups * most_rows`` together (L1), which Laplace noise covers; or by
    ``sqrt(most_groups) * most_rows`` in Euclidean length (L2), which normal noise covers.  With ``most_rows=1`` these
    are counts of people.

    What bounding drops is missing from the counts: it is a bias, and no noise scale tells of it.

    Parameters
    ----------
    data : pandas.DataFrame
        Any number of rows a person, possibly none at all.
    person : label
        Column of ``data``, nothing missing in it.
    group : label or list of labels
        Column of ``data``, or several, nothing missing in them.
    keys : list, array or Index, shape (d,)
        The groups to publish, each once and none missing: public, or from `select_keys`, whose cost is added.  They
        are of the column's kind, text for text or numbers for numbers (and tuples for several columns), fix the order
        of the result, and a group that nobody is in gets a noisy 0.
    most_groups : int
        In how many of the groups a person may count (L0), at least 1; public.
    most_rows : int
        How many rows of a person may count in a group (L-infinity), at least 1; public.
    epsilon : float
        Privacy parameter of the whole release, above 0.
    delta : float, optional
        None: Laplace noise.  Above 0 and below 1: normal noise, (epsilon, delta)-differentially private.

    Returns
    -------
    pandas.Series, shape (d,)
        Noisy counts, named "count", with ``keys`` as index; not rounded, perhaps negative.

    Warnings
    --------
    The guarantee is that of real numbers; float64 noise leaks as described at `laplace_mechanism`.

    References
    ----------
    Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo & Gipson (2020), Differentially private SQL with bounded user
    contribution, PoPETs.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> visits = pd.DataFrame({"person": ["Ada"] * 100 + ["Bob"], "page": ["news"] * 101})
    >>> counts = dp.private_group_counts(
    ...     visits, person="person", group="page", keys=["jobs", "news"], most_groups=1, most_rows=5, epsilon=1.0,
    ...     rng=np.random.default_rng(1),
    ... )
    >>> list(counts.index), bool(abs(counts["news"] - 6) < 100)
    (['jobs', 'news'], True)
    """
    most_rows = check.integer("most_rows", most_rows, minimum=1, maximum=2**53)
    people, groups, index = _codes(data, person, group, check.domain("keys", keys))
    ones = np.ones(len(data))
    given = {"most_groups": most_groups, "lower": 0.0, "upper": float(most_rows), "epsilon": epsilon, "delta": delta}
    return _noisy_totals(people, groups, ones, index, **given, rng=rng).rename("count")


def private_group_sums(
    data: pd.DataFrame,
    value: Hashable,
    *,
    person: Hashable,
    group: Hashable | list[Hashable],
    keys: ArrayLike,
    most_groups: int,
    lower: float,
    upper: float,
    epsilon: float,
    delta: float | None = None,
    rng: Rng = None,
) -> pd.Series:
    """Return a noisy sum of a column for each of ``keys``: epsilon-differentially private for a person, or with delta.

    Rows of other groups are left out first.  Then each person keeps ``most_groups`` of the groups, by chance, and what
    he or she adds to each, the sum over that person's rows, is clipped to [lower, upper].  With
    ``b = max(|lower|, |upper|)``, adding or removing a person, with all rows, changes the sums by at most
    ``most_groups * b`` together (L1), which Laplace noise covers; or by ``sqrt(most_groups) * b`` in Euclidean length
    (L2), for normal noise.

    Parameters
    ----------
    data : pandas.DataFrame
        Any number of rows a person, possibly none at all.
    value : label
        The column to add up, finite numbers.
    person : label
        Column of ``data``, nothing missing in it.
    group : label or list of labels
        Column of ``data``, or several, nothing missing in them.
    keys : list, array or Index, shape (d,)
        The groups to publish, each once and none missing: public, or from `select_keys`, whose cost is added.  They
        are of the column's kind, text for text or numbers for numbers (and tuples for several columns), fix the order
        of the result, and a group that nobody is in gets a noisy 0.
    most_groups : int
        In how many of the groups a person may count (L0), at least 1; public.
    lower, upper : float
        Bounds of what one person adds to one group, in the unit of ``value``, public; lower below upper.
    epsilon : float
        Privacy parameter of the whole release, above 0.
    delta : float, optional
        None: Laplace noise.  Above 0 and below 1: normal noise, (epsilon, delta)-differentially private.

    Returns
    -------
    pandas.Series, shape (d,)
        Noisy sums, named as ``value``, with ``keys`` as index, in the unit of ``value``.

    Warnings
    --------
    The guarantee is that of real numbers; float64 noise leaks as described at `laplace_mechanism`.

    References
    ----------
    Amin, Kulesza, Munoz & Vassilvitskii (2019), Bounding user contributions, ICML (bias against noise).

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> visits = pd.DataFrame({"person": ["Ada", "Ada"], "page": ["news", "news"], "minutes": [50, 70]})
    >>> dp.private_group_sums(
    ...     visits, "minutes", person="person", group="page", keys=["news"], most_groups=1, lower=0, upper=60,
    ...     epsilon=1e6, rng=np.random.default_rng(1),
    ... ).round().tolist()
    [60.0]
    """
    people, groups, index = _codes(data, person, group, check.domain("keys", keys))
    values = check.numbers("value", _column("value", data, value))
    given = {"most_groups": most_groups, "lower": lower, "upper": upper, "epsilon": epsilon, "delta": delta}
    return _noisy_totals(people, groups, values, index, **given, rng=rng).rename(value)


def select_keys(
    data: pd.DataFrame,
    *,
    person: Hashable,
    group: Hashable | list[Hashable],
    most_groups: int,
    epsilon: float,
    delta: float,
    method: str = "threshold",
    rng: Rng = None,
) -> pd.Index:
    """Return groups that enough people are in (partition selection): (epsilon, delta)-differentially private.

    Each person keeps ``most_groups`` of his or her groups, by chance, and counts once in each.  A group that nobody is
    in is never returned; a person who is alone in ``most_groups`` groups is given away by them with probability delta
    at most, because each gets a share of it.

    - "threshold": a group is returned if its number of people, with Laplace noise of scale most_groups / epsilon,
      reaches `key_threshold`.
    - "optimal": it is returned with the largest probability that epsilon and delta allow, `key_probabilities` at
      epsilon / most_groups and delta / most_groups.

    Parameters
    ----------
    data : pandas.DataFrame
        Any number of rows a person, possibly none at all.
    person : label
        Column of ``data``, nothing missing in it.
    group : label or list of labels
        Column of ``data``, or several, nothing missing in them; the groups must be of a kind that can be sorted.
    most_groups : int
        In how many groups a person may count (L0), at least 1; public.
    epsilon, delta : float
        Privacy parameters: epsilon above 0, delta above 0 and below 1.
    method : {"threshold", "optimal"}
        How many people are enough.

    Returns
    -------
    pandas.Index
        Sorted, so that the order tells nothing; perhaps empty.

    References
    ----------
    Korolova, Kenthapadi, Mishra & Ntoulas (2009), Releasing search queries and clicks privately, WWW.
    Desfontaines, Voss, Gipson & Mandayam (2022), Differentially private partition selection, PoPETs.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> visits = pd.DataFrame({"person": range(101), "page": ["news"] * 100 + ["health/7"]})
    >>> rng = np.random.default_rng(1)
    >>> dp.select_keys(visits, person="person", group="page", most_groups=1, epsilon=1.0, delta=1e-6, rng=rng).tolist()
    ['news']
    """
    people, groups, index = _codes(data, person, group)
    threshold = key_threshold(most_groups=most_groups, epsilon=epsilon, delta=delta)
    check.choice("method", method, ("threshold", "optimal"))
    rng = check.generator(rng)
    if not index.size:
        return index
    _, owners, group_of_pair = _pairs(people, groups)
    kept = _first_of_each(owners, most_groups, rng)
    counts = np.bincount(group_of_pair[kept], minlength=index.size)
    if method == "threshold":
        noisy = laplace_mechanism(counts, sensitivity=most_groups, epsilon=epsilon, rng=rng)
        return index[(noisy >= threshold) & (counts > 0)]
    chances = key_probabilities(counts, epsilon=epsilon / most_groups, delta=delta / most_groups)
    with np.errstate(divide="ignore"):  # -log(0): a group that never appears
        # Not uniform < chance: uniform floats are multiples of 2^-53, so that 0 would come too often for a small delta.
        return index[rng.standard_exponential(index.size) >= -np.log(chances)]


def key_threshold(*, most_groups: int = 1, epsilon: float, delta: float) -> float:
    """Return the noisy number of people from which `select_keys` returns a group, 1 + b ln(most_groups / (2 delta)).

    b = most_groups / epsilon is the scale of the Laplace noise.  A group of one person reaches the threshold with
    probability delta / most_groups at most.

    Parameters
    ----------
    most_groups : int
        In how many groups a person may count (L0), at least 1.
    epsilon, delta : float
        Privacy parameters: epsilon above 0, delta above 0 and below 1.

    Returns
    -------
    float
        In people.

    References
    ----------
    Korolova, Kenthapadi, Mishra & Ntoulas (2009), Releasing search queries and clicks privately, WWW.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> round(dp.key_threshold(epsilon=1.0, delta=1e-6), 1)
    14.1
    >>> round(dp.key_threshold(most_groups=10, epsilon=1.0, delta=1e-6), 1)
    155.2
    """
    most_groups = check.integer("most_groups", most_groups, minimum=1, maximum=2**53)
    scale = laplace_scale(sensitivity=most_groups, epsilon=epsilon)
    delta = check.probability("delta", delta, zero=False, one=False)
    return 1 + scale * (math.log(most_groups / 2) - math.log(delta))


def key_probabilities(people: ArrayLike, *, epsilon: float, delta: float):
    """Return the largest probability with which a group of so many people may be published, one group a person.

    No (epsilon, delta)-differentially private rule publishes groups of any size more often.  From 0 people on, each
    more may raise the probability p to e^epsilon p + delta at most, and lower its complement 1 - p to
    e^(-epsilon) (1 - p - delta) at least:

        p(0) = 0,    p(n + 1) = min(e^epsilon p(n) + delta, 1 - e^(-epsilon) (1 - p(n) - delta), 1).

    Computed by the solution of this recursion, not step by step.  For several groups a person, pass each group's share
    of epsilon and delta.

    Parameters
    ----------
    people : int, list, array or Series
        Numbers of people in groups, whole and at least 0.
    epsilon, delta : float
        Privacy parameters: epsilon above 0, delta above 0 and below 1.

    Returns
    -------
    float, array or Series
        Of the same shape and index as ``people``; an array for a list, a Python float for a number.

    References
    ----------
    Desfontaines, Voss, Gipson & Mandayam (2022), Differentially private partition selection, PoPETs, Theorem 1.

    Examples
    --------
    >>> import math
    >>> import dp_helpers as dp
    >>> dp.key_probabilities([0, 1, 2, 3], epsilon=math.log(3), delta=0.001).round(3)
    array([0.   , 0.001, 0.004, 0.013])
    """
    numbers = check.integers("people", people, ndim=None)
    check.within("people", numbers, 0)
    epsilon = check.positive("epsilon", epsilon)
    delta = check.probability("delta", delta, zero=False, one=False)
    # Up to this number of people the first bound holds, beyond it the second.
    turn = 1 + np.floor(max(math.log(math.tanh(epsilon / 2) * (1 - delta) + delta) - math.log(delta), 0) / epsilon)

    def geometric(n):
        """Return 1 + e^-epsilon + ... + e^(-(n - 1) epsilon)."""
        return np.expm1(-n * epsilon) / math.expm1(-epsilon)

    with np.errstate(over="ignore"):  # e^-inf is 0, as it should be
        rising = np.minimum(numbers, turn)
        beyond = numbers - rising
        so_far = np.exp((rising - 1) * epsilon + math.log(delta)) * geometric(rising)
        missing = (1 - so_far) * np.exp(-beyond * epsilon) - delta * math.exp(-epsilon) * geometric(beyond)
    return check.like(people, np.where(beyond == 0, so_far, 1 - np.maximum(missing, 0)))


def _codes(data, person, group, keys=None) -> tuple[np.ndarray, np.ndarray, pd.Index]:
    """Return for each row the number of its person and of its group in the index of ``keys``, -1 if it isn't there.

    The third is that index; without keys it is that of all groups in the data, sorted.
    """
    people, _ = _numbered("person", data, person)
    groups, labels = _numbered("group", data, group)
    if keys is None:
        try:
            index = labels.sort_values()
        except TypeError:
            raise TypeError(f"group must name a column whose values can be sorted, got {group!r}") from None
    else:
        index = _keys(keys, labels, group)
    return people, index.get_indexer(labels)[groups] if len(data) else groups, index


def _keys(index, labels: pd.Index, group) -> pd.Index:
    """Return the groups to publish as an index of the form of ``labels``; none of a kind that no group is of."""
    if not isinstance(labels, pd.MultiIndex):
        check.of_kinds("keys", index, f"column {labels.name!r}", labels)
        return index.rename(labels.name)
    if not all(isinstance(key, tuple) and len(key) == labels.nlevels for key in index):
        raise ValueError(f"keys must hold a tuple of {labels.nlevels} for each group of {group!r}, got {index[0]!r}")
    index = pd.MultiIndex.from_tuples(list(index), names=labels.names)
    for level, column in enumerate(labels.names):
        values = index.get_level_values(level)
        check.of_kinds("keys", values, f"column {column!r}", labels.get_level_values(level))
    return index


def _column(name, data, column) -> pd.Series:
    if not pd.api.types.is_hashable(column):
        raise TypeError(f"{name} must be the name of a column, got {column!r}")
    if column not in check.frame("data", data).columns:
        raise ValueError(f"{name} must name a column of data, {', '.join(map(repr, data.columns))}, got {column!r}")
    found = data[column]
    if found.ndim > 1:
        raise ValueError(f"data must have one column of each name, got {found.shape[1]} named {column!r}")
    return found


def _numbered(name, data, column) -> tuple[np.ndarray, pd.Index]:
    """Return for each row the number of its value in this column, and the values; of a list of columns their tuples."""
    if isinstance(column, list) and name == "group":
        return _numbered_tuples(data, check.column_names(name, column))
    values = _column(name, data, column)
    try:
        codes, labels = pd.factorize(values)
    except (TypeError, NotImplementedError):  # a list or a dict among the values; NotImplementedError is Arrow's
        raise TypeError(f"{name} must be a column of hashable values, got {column!r}") from None
    if (codes < 0).any():
        raise ValueError(f"{name} must not be missing in any row, got {int((codes < 0).sum())} such in {column!r}")
    labels = pd.Index(np.asarray(labels), name=column, tupleize_cols=False)
    twice = check.told_apart_by_type(labels)
    if twice is not None:  # one person would count as two
        raise ValueError(
            f"{name} must not hold the same value as a {check.kind(twice)} and as text, "
            f"got {twice!r} as both in {column!r}"
        )
    return codes, labels


def _numbered_tuples(data, columns) -> tuple[np.ndarray, pd.Index]:
    codes, labels = _numbered("group", data, columns[0])
    levels = [labels]
    for column in columns[1:]:
        inner, labels = _numbered("group", data, column)
        codes, pairs = pd.factorize(codes * max(len(labels), 1) + inner)
        outer, last = np.divmod(pairs, max(len(labels), 1))
        levels = [level[outer] for level in levels] + [labels[last]]
    return codes, levels[0] if len(columns) == 1 else pd.MultiIndex.from_arrays(levels, names=columns)


def _places(data, order) -> np.ndarray:
    """Return for each row the place of its value in the sorted values of a column; categories have their own order."""
    codes, labels = _numbered("order", data, order)
    if isinstance(data[order].dtype, pd.CategoricalDtype):
        return data[order].cat.codes.to_numpy().astype(np.int64)
    try:
        return labels.argsort().argsort()[codes]
    except TypeError:
        raise TypeError(f"order must name a column whose values can be sorted, got {order!r}") from None


def _pairs(people, groups) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for each row the number of its pair of person and group; and person and group of each pair."""
    pair, numbers = pd.factorize(people * (groups.max(initial=0) + 1) + groups)
    first = np.empty(numbers.size, dtype=np.int64)
    first[pair] = np.arange(pair.size)
    return pair, people[first], groups[first]


def _first_of_each(owners, most, rng, places=None) -> np.ndarray:
    """Return which items are among the first ``most`` of their owner's: by their places, then by chance."""
    shuffled = rng.permutation(owners.size)
    order = shuffled[np.lexsort([key[shuffled] for key in (places, owners) if key is not None])]  # a stable sort
    begins = np.flatnonzero(np.diff(owners[order], prepend=-1))
    rank = np.arange(owners.size) - np.repeat(begins, np.diff(begins, append=owners.size))
    kept = np.empty(owners.size, dtype=bool)
    kept[order] = rank < most
    return kept


def _noisy_totals(people, groups, values, index, *, most_groups, lower, upper, epsilon, delta, rng) -> pd.Series:
    """Return for each group the noisy sum of what its people add to it, each of them within the bounds."""
    most_groups = check.integer("most_groups", most_groups, minimum=1, maximum=2**53)
    lower, upper = check.bounds(lower, upper)
    most = max(abs(lower), abs(upper))
    if delta is None:
        price = {"sensitivity": most_groups * most, "epsilon": epsilon}
        laplace_scale(**price)
    else:
        price = {"sensitivity": math.sqrt(most_groups) * most, "epsilon": epsilon, "delta": delta}
        gaussian_sigma(**price)
    rng = check.generator(rng)
    inside = groups >= 0
    pair, owners, group_of_pair = _pairs(people[inside], groups[inside])
    kept = _first_of_each(owners, most_groups, rng)
    mine = np.clip(np.bincount(pair, weights=values[inside], minlength=owners.size), lower, upper)
    totals = np.bincount(group_of_pair[kept], weights=mine[kept], minlength=index.size)
    exact = pd.Series(totals, index=index)
    return (laplace_mechanism if delta is None else gaussian_mechanism)(exact, **price, rng=rng)
