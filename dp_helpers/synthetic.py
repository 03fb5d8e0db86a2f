"""Synthetic data: noisy marginals, rows sampled from them, and a tree of marginals for many columns.

A marginal of some columns counts the rows for each combination of their answers.  Which answers are possible is
public and given as ``categories``; a number counts as a category, so a column of many different numbers is binned
first, by bounds that do not come from the data.  One row is one person, and neighbours are add/remove-one.

Wrong types raise ``TypeError`` and wrong values ``ValueError``, before anything is drawn.  ``rng`` is a numpy
Generator, the source of all randomness; None draws fresh entropy.
"""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dp_helpers import validation as check
from dp_helpers.conversions import largest_rho
from dp_helpers.mechanisms import gaussian_mechanism_zcdp, laplace_mechanism
from dp_helpers.selection import exponential_mechanism
from dp_helpers.validation import Rng


def noisy_marginal(
    data: pd.DataFrame,
    columns: str | list[str],
    *,
    categories: Mapping[str, ArrayLike] | ArrayLike,
    epsilon: float,
    rng: Rng = None,
) -> pd.Series:
    """Return a noisy count for each combination of the answers in some columns: epsilon-differentially private.

    Adding or removing a row changes one count by 1, so the whole marginal has L1 sensitivity 1, however many columns
    and cells it has, and each cell gets Laplace noise of scale 1 / epsilon.  Under replace-one two counts can change:
    the release then costs 2 epsilon.

    Parameters
    ----------
    data : pandas.DataFrame
        One row a person, possibly none.
    columns : str or list of str
        Columns of ``data``.
    categories : dict, or list for one column
        For each column the list of possible answers, public, each once and none missing; for other columns it is
        ignored, so `CENSUS_DOMAINS` will do.  A missing answer needs a symbol of its own, put in with
        ``data.fillna``.
    epsilon : float
        Privacy parameter, above 0.

    Returns
    -------
    pandas.Series
        Noisy counts, named "count", not rounded, perhaps negative.  The index holds all combinations in the order of
        ``categories``, also those that nobody has: an Index for one column, a MultiIndex for several.

    Raises
    ------
    ValueError
        If there are more than 10,000,000 combinations of categories.

    References
    ----------
    Barak et al. (2007), Privacy, accuracy, and consistency too, PODS.

    Examples
    --------
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> data = pd.DataFrame({"sex": ["F", "M", "F"], "smokes": [True, False, False]})
    >>> marginal = dp.noisy_marginal(
    ...     data, ["sex", "smokes"], categories={"sex": ["F", "M"], "smokes": [False, True]}, epsilon=1.0
    ... )
    >>> list(marginal.index)
    [('F', False), ('F', True), ('M', False), ('M', True)]
    """
    names = check.column_names("columns", columns)
    if len(names) == 1 and not isinstance(categories, Mapping):
        categories = {names[0]: categories}
    domains = _domains(categories, names)
    _refuse_too_many_cells(domains.values())
    counts = _cross_count(_codes(data, domains).values(), domains.values())
    index = pd.MultiIndex.from_product(domains.values()) if len(names) > 1 else domains[names[0]]
    exact = pd.Series(counts.ravel(), index=index, name="count")
    return laplace_mechanism(exact, sensitivity=1, epsilon=epsilon, rng=rng)


def sample_marginal(marginal: pd.Series | pd.DataFrame, n: int, rng: Rng = None) -> pd.DataFrame:
    """Return ``n`` synthetic rows, independent draws in proportion to the counts of a marginal.

    Negative counts are taken as 0; if no count is positive, all cells are equally likely.  Sampling looks at nothing
    but the marginal, so it costs no privacy: the rows are as private as the marginal is.

    Parameters
    ----------
    marginal : pandas.Series or pandas.DataFrame
        A count for each combination of answers, such as `noisy_marginal` or `private_crosstab` returns; at least one.
    n : int
        Number of rows, at least 0, public: for example a noisy count.

    Returns
    -------
    pandas.DataFrame, shape (n, number of columns)
        Columns are named as the levels of the index (0, 1, ... where it has no names).

    References
    ----------
    Barak et al. (2007), Privacy, accuracy, and consistency too, PODS.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> marginal = pd.Series([2.5, -0.7], index=pd.Index(["yes", "no"], name="smokes"))
    >>> dp.sample_marginal(marginal, 2, rng=np.random.default_rng(1))
      smokes
    0    yes
    1    yes
    """
    marginal = _labelled("marginal", marginal)
    n = check.integer("n", n, minimum=0)
    cells = _draw(_shares(marginal.to_numpy()), n, check.generator(rng))
    index = marginal.index
    names = [level if name is None else name for level, name in enumerate(index.names)]
    return pd.DataFrame({name: index.get_level_values(level).take(cells) for level, name in enumerate(names)})


def range_query(marginal: pd.Series, lower: float, upper: float) -> float:
    """Return the count of the rows whose answer lies in a range, both ends included, from a marginal of one column.

    Post-processing: it costs nothing beyond the marginal.  Each of the w cells in the range adds its noise; of a
    `noisy_marginal` the answer has standard deviation sqrt(2 w) / epsilon.

    Parameters
    ----------
    marginal : pandas.Series
        Counts, with numbers as index.
    lower, upper : float
        Ends of the range, lower at most upper.

    Returns
    -------
    float
        The sum of the counts, 0 where the range holds no category.

    References
    ----------
    Hay, Rastogi, Miklau & Suciu (2010), Boosting the accuracy of differentially private histograms through
    consistency, PVLDB (and how to do better for wide ranges).

    Examples
    --------
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> dp.range_query(pd.Series([10.0, 20.0, 30.0], index=[17, 18, 19]), 17, 18)
    30.0
    """
    marginal = _labelled("marginal", marginal)
    if marginal.index.nlevels > 1:
        raise ValueError(f"marginal must be of one column, got {marginal.index.nlevels} columns")
    answers = check.numbers("marginal.index", marginal.index)
    lower, upper = check.finite("lower", lower), check.finite("upper", upper)
    if lower > upper:
        raise ValueError(f"lower must be at most upper, got lower={lower!r} and upper={upper!r}")
    return float(marginal[(answers >= lower) & (answers <= upper)].sum())


def total_variation(a: ArrayLike, b: ArrayLike) -> float:
    """Return the total variation distance of two marginals, each scaled to a sum of 1: half the sum of ``|a - b|``.

    It is the largest difference between the shares that the two give to any set of cells: 0 for the same shares, 1
    where no cell is in both.  As in `sample_marginal`, negative counts are taken as 0.

    Parameters
    ----------
    a, b : Series, DataFrame, array or list, of equal shape
        Counts or shares.  Where both have labels, cells are matched by them: their order may differ, and a cell that
        only one of the two has counts 0 in the other.

    Returns
    -------
    float
        Between 0 and 1.

    References
    ----------
    Levin & Peres (2017), Markov chains and mixing times, Section 4.1.

    Examples
    --------
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> dp.total_variation(pd.Series({"yes": 3, "no": 1}), pd.Series({"no": 2, "yes": 2, "maybe": 0}))
    0.25
    """
    first, second = _table("a", a), _table("b", b)
    if isinstance(first, pd.Series) and isinstance(second, pd.Series):
        if first.index.names != second.index.names:
            raise ValueError(f"b must have the columns of a, {list(first.index.names)}, got {list(second.index.names)}")
        cells = first.index.union(second.index, sort=False)
        first, second = first.reindex(cells, fill_value=0.0), second.reindex(cells, fill_value=0.0)
    first, second = np.asarray(first), np.asarray(second)
    if first.shape != second.shape:
        raise ValueError(f"b must have the shape of a, {first.shape}, got {second.shape}")
    for name, counts in (("a", first), ("b", second)):
        if not (counts > 0).any():
            raise ValueError(f"{name} must have a count above 0, got none")
    return float(np.abs(_shares(first) - _shares(second)).sum() / 2)


@dataclass(frozen=True, eq=False)
class MarginalTree:
    """A tree of noisy two-way marginals, from which synthetic rows are sampled; made by `MarginalTree.fit`.

    Every column but the first hangs on one other column, its parent, and is independent of all others given the
    parent.  One- and two-way marginals have few cells, so that noise does not drown them as it would the table of all
    combinations; correlations are kept along the edges of the tree, and elsewhere as far as they follow from these.

    Attributes
    ----------
    one_way : dict
        The estimated shares of each column's categories, a Series that sums to 1.
    two_way : dict
        For each edge (parent, child), parents first, the estimated shares of their combinations, a DataFrame with the
        parent's categories as index.  Its sums are those of ``one_way``, nearly.
    total : float
        The noisy number of rows, at least 1.
    epsilon, delta : float
        What all of this costs, for add/remove-one.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import dp_helpers as dp
    >>> data = pd.DataFrame({"sex": ["F", "M"] * 500, "smokes": ["no", "no", "no", "yes"] * 250})
    >>> categories = {"sex": ["F", "M"], "smokes": ["no", "yes"]}
    >>> rng = np.random.default_rng(1)
    >>> tree = dp.MarginalTree.fit(data, categories=categories, epsilon=1.0, delta=1e-5, rng=rng)
    >>> list(tree.two_way)
    [('sex', 'smokes')]
    >>> tree.sample(3, rng=rng).columns.tolist()
    ['sex', 'smokes']
    """

    one_way: dict
    two_way: dict
    total: float
    epsilon: float
    delta: float

    @classmethod
    def fit(
        cls, data: pd.DataFrame, *, categories: Mapping[str, ArrayLike], epsilon: float, delta: float, rng: Rng = None
    ) -> "MarginalTree":
        """Return a tree of marginals of ``data``: (epsilon, delta)-differentially private.

        Three parts, each of which costs a third of the largest rho whose zCDP implies (epsilon, delta); with fewer
        than three columns there is nothing to choose, and the choice costs nothing:

        1. the marginal of each column, with Gaussian noise;
        2. the edges, one after the other, each by the exponential mechanism among the pairs that join two trees; the
           score is the L1 distance between the pair's exact marginal and the one expected if the two columns were
           independent, computed from the noisy results of part 1, so a row changes it by 1 at most; the size of the
           noise that part 3 will add is taken off;
        3. the marginal of each edge, with Gaussian noise.

        The exponential mechanism with parameter e is e^2 / 8-zCDP (Cesar & Rogers 2021).  The noisy tables are then
        moved to the nearest table without negative counts and of the same total, and scaled to agree with one
        another (iterative proportional fitting, after a thousandth part of independence is mixed in, so that no
        answer is left without a row), which is post-processing.

        Parameters
        ----------
        data : pandas.DataFrame
            One row a person, possibly none.
        categories : dict
            The columns to model, at least one, in the order of the synthetic table, and for each the list of possible
            answers, public, each once and none missing.  A missing answer needs a symbol of its own.
        epsilon, delta : float
            Cost of the tree and of all rows ever sampled from it: epsilon above 0, delta above 0 and below 1.

        Returns
        -------
        MarginalTree

        Raises
        ------
        ValueError
            If a pair of columns has more than 10,000,000 combinations.

        References
        ----------
        McKenna, Miklau & Sheldon (2021), Winning the NIST contest, Journal of Privacy and Confidentiality 11 (MST).
        McKenna, Mullins, Sheldon & Miklau (2022), AIM, PVLDB (scores less the noise).
        Cesar & Rogers (2021), Bounding, concentrating, and truncating, ALT (exponential mechanism).

        Examples
        --------
        >>> import numpy as np
        >>> import pandas as pd
        >>> import dp_helpers as dp
        >>> rng = np.random.default_rng(1)
        >>> smokes = rng.random(10_000) < 0.3
        >>> data = pd.DataFrame({"coffee": rng.random(10_000) < 0.5, "smokes": smokes, "coughs": smokes})
        >>> categories = dict.fromkeys(data.columns, [False, True])
        >>> tree = dp.MarginalTree.fit(data, categories=categories, epsilon=1.0, delta=1e-5, rng=rng)
        >>> ("smokes", "coughs") in tree.two_way or ("coughs", "smokes") in tree.two_way
        True
        """
        domains = _domains(categories)
        for pair in itertools.combinations(domains.values(), 2):
            _refuse_too_many_cells(pair)
        codes = _codes(data, domains)
        epsilon, delta = check.positive("epsilon", epsilon), check.probability("delta", delta, zero=False, one=False)
        if epsilon > 1e290:
            raise ValueError(f"epsilon must be at most 1e290, got {epsilon!r}")
        rng = check.generator(rng)
        part = largest_rho(epsilon=epsilon, delta=delta) / min(len(domains), 3)

        def count(*names):
            return _cross_count([codes[name] for name in names], [domains[name] for name in names])

        one_way, total = _noisy_shares({name: count(name) for name in domains}, part, rng)
        edges = _spanning_tree(count, one_way, total, part, rng)
        two_way = {
            (parent, child): _noisy_table(
                count(parent, child), one_way[parent], one_way[child], total, part / len(edges), rng
            )
            for parent, child in edges
        }
        return cls(
            {name: pd.Series(one_way[name], index=domains[name]) for name in domains},
            {(a, b): pd.DataFrame(table, domains[a], domains[b]) for (a, b), table in two_way.items()},
            total,
            epsilon,
            delta,
        )

    def sample(self, n: int, rng: Rng = None) -> pd.DataFrame:
        """Return ``n`` synthetic rows, independent draws from the tree.

        Sampling costs no privacy beyond that of the tree.  The first column is drawn from its shares, every other
        given its parent's answer.

        Parameters
        ----------
        n : int
            Number of rows, at least 0; ``round(tree.total)`` for about as many as there were.

        Returns
        -------
        pandas.DataFrame
            The columns in the order of ``categories``.

        Examples
        --------
        >>> import pandas as pd
        >>> import dp_helpers as dp
        >>> data = pd.DataFrame({"sex": ["F", "M"], "smokes": ["no", "yes"]})
        >>> categories = {"sex": ["F", "M"], "smokes": ["no", "yes"]}
        >>> dp.MarginalTree.fit(data, categories=categories, epsilon=1.0, delta=1e-5).sample(100).shape
        (100, 2)
        """
        n = check.integer("n", n, minimum=0)
        rng = check.generator(rng)
        root = next(iter(self.one_way))
        codes = {root: _draw(self.one_way[root].to_numpy(), n, rng)}
        for (parent, child), table in self.two_way.items():
            codes[child] = _draw_given(codes[parent], table.to_numpy(), rng)
        return pd.DataFrame({name: shares.index.take(codes[name]) for name, shares in self.one_way.items()})


# Arguments.

_MOST_CELLS = 10_000_000


def _domains(categories, names=None) -> dict:
    """Return the possible answers of each of ``names``, or of all columns that ``categories`` has, as an Index."""
    if not isinstance(categories, Mapping):
        raise TypeError(f"categories must be a dict of lists, got {type(categories).__name__}")
    names = list(categories) if names is None else names
    if not names:
        raise ValueError("categories must have at least one column, got none")
    for name in names:
        if name not in categories:
            raise ValueError(f"categories must have the possible answers of {name!r}; it has {list(categories)!r}")
    return {name: check.domain(f"categories[{name!r}]", categories[name]).rename(name) for name in names}


def _codes(data, domains) -> dict:
    check.frame("data", data, domains)
    return {name: check.codes(f"data[{name!r}]", data[name], index, "categories") for name, index in domains.items()}


def _refuse_too_many_cells(domains):
    cells = math.prod(domain.size for domain in domains)
    if cells > _MOST_CELLS:
        raise ValueError(
            f"categories must have at most {_MOST_CELLS} combinations, got {cells} of "
            f"{' and '.join(repr(domain.name) for domain in domains)}: bin numbers first, by public bounds"
        )


def _table(name, marginal):
    """Return a marginal as a Series of floats with one entry for each cell, or as an array if it has no labels."""
    if isinstance(marginal, pd.DataFrame):
        cells = pd.MultiIndex.from_product([marginal.index, marginal.columns])
        marginal = pd.Series(marginal.to_numpy().ravel(), index=cells)
    counts = check.numbers(name, marginal, ndim=None, empty=False)
    if not isinstance(marginal, pd.Series):
        return counts
    if not marginal.index.is_unique:
        raise ValueError(f"{name} must not hold a cell twice, got {marginal.index[marginal.index.duplicated()][0]!r}")
    return pd.Series(counts, index=marginal.index)


def _labelled(name, marginal) -> pd.Series:
    if not isinstance(marginal, (pd.Series, pd.DataFrame)):
        raise TypeError(f"{name} must be a Series of counts with the answers as index, got {type(marginal).__name__}")
    table = _table(name, marginal)
    # One without a name becomes a column that is named by its place.
    named = [place if level is None else level for place, level in enumerate(table.index.names)]
    if len(set(named)) < len(named):  # one column would take the place of the other
        raise ValueError(f"{name} must have levels of different names, got {named!r}")
    return table


# Counts.


def _cross_count(codes, domains) -> np.ndarray:
    """Return how many rows have each combination of codes, one dimension for each column."""
    shape = tuple(domain.size for domain in domains)
    return np.bincount(np.ravel_multi_index(tuple(codes), shape), minlength=math.prod(shape)).reshape(shape)


def _shares(counts) -> np.ndarray:
    """Return counts as shares: negative ones as 0; equal shares if none is positive."""
    positive = np.maximum(counts, 0)
    peak = positive.max()
    if peak == 0:
        return np.full(counts.shape, 1 / counts.size)
    return positive / peak / (positive / peak).sum()


# Sampling, by inverting distribution functions.


def _draw(shares, n, rng) -> np.ndarray:
    """Return ``n`` independent draws of a category's number."""
    ends = np.cumsum(shares)
    return _locate(ends / ends[-1], rng.random(n))


def _draw_given(given, table, rng) -> np.ndarray:
    """Return for each of ``given`` a draw from that row of ``table``, all independent."""
    ends = np.cumsum(table, axis=1)
    ends = np.divide(ends, ends[:, -1:], out=np.ones_like(ends), where=ends[:, -1:] > 0)
    # All rows on one line, where row r owns the stretch from r to r + 1.
    line = (ends + np.arange(len(table))[:, None]).ravel()
    # r + 0.999... may be rounded up to r + 1.
    points = np.minimum(given + rng.random(given.size), np.nextafter(given + 1.0, 0))
    return _locate(line, points) - given * table.shape[1]


def _locate(ends, points) -> np.ndarray:
    """Return ``np.searchsorted(ends, points, side="right")``, for points all over the range from 0 to the last end.

    A guide table tells for each cell of a fine grid how many ends lie before it; only points in a cell that an end
    falls into are searched for (Chen & Asau 1974).  Cells have a power of two as width, so nothing is rounded.
    """
    wanted = min(16 * min(ends.size, points.size + 1), 2**20)
    per_unit = 2 ** max(0, math.ceil(math.log2(wanted / ends[-1])))
    guide = np.searchsorted(ends, np.arange(int(ends[-1]) * per_unit + 1) / per_unit, side="right")
    cells = (points * per_unit).astype(np.intp)
    found = guide[cells]
    unclear = np.flatnonzero((guide[:-1] < guide[1:])[cells])
    found[unclear] = np.searchsorted(ends, points[unclear], side="right")
    return found


# Fitting the tree.


def _noisy_shares(counts, rho, rng) -> tuple[dict, float]:
    """Return the shares of each column's categories and the number of rows, estimated at a cost of ``rho``."""
    noisy = {
        name: gaussian_mechanism_zcdp(exact.astype(float), sensitivity=1, rho=rho / len(counts), rng=rng)
        for name, exact in counts.items()
    }
    # Each marginal adds up to the number of rows, with a variance in proportion to its length.
    weights = {name: 1 / values.size for name, values in noisy.items()}
    total = sum(weights[name] * values.sum() for name, values in noisy.items()) / sum(weights.values())
    total = max(float(total), 1.0)
    return {name: _nearest_shares(values / total) for name, values in noisy.items()}, total


def _spanning_tree(count, one_way, total, rho, rng) -> list:
    """Return edges (parent, child) that join all columns, chosen at a cost of ``rho``, parents first."""
    rounds = len(one_way) - 1
    if rounds == 0:
        return []
    # Measuring a pair adds noise of this mean size to each cell.  To take it off favours pairs with few cells, and
    # doesn't change the sensitivity (McKenna et al. 2022).
    noise = math.sqrt(2 / math.pi) * math.sqrt(rounds / (2 * rho))
    scores = {}
    for a, b in itertools.combinations(one_way, 2):
        table = count(a, b)
        scores[a, b] = float(np.abs(table - total * np.outer(one_way[a], one_way[b])).sum()) - noise * table.size

    chosen = []
    tree_of = {name: number for number, name in enumerate(one_way)}
    epsilon = math.sqrt(8 * rho / rounds)
    for _ in range(rounds):
        left = {(a, b): score for (a, b), score in scores.items() if tree_of[a] != tree_of[b]}
        a, b = exponential_mechanism(list(left), list(left.values()), sensitivity=1, epsilon=epsilon, rng=rng)
        chosen.append((a, b))
        tree_of = {name: tree_of[a] if number == tree_of[b] else number for name, number in tree_of.items()}
    return _from_the_root(next(iter(one_way)), chosen)


def _from_the_root(root, pairs) -> list:
    """Return the pairs as (parent, child), in an order in which a parent comes before its children."""
    reached, edges = [root], []
    for parent in reached:  # grows while it is gone through
        children = [b if a == parent else a for a, b in pairs if parent in (a, b)]
        for child in children:
            if child not in reached:
                reached.append(child)
                edges.append((parent, child))
    return edges


def _noisy_table(exact, parent, child, total, rho, rng) -> np.ndarray:
    """Return the shares of two columns' combinations, estimated at a cost of ``rho``, with the given sums."""
    noisy = gaussian_mechanism_zcdp(exact.astype(float), sensitivity=1, rho=rho, rng=rng)
    table = _nearest_shares(noisy.ravel() / total).reshape(noisy.shape)
    # A trace of independence, so that no answer with a share has only zeros.
    table = 0.999 * table + 0.001 * np.outer(parent, child)
    for _ in range(1000):  # iterative proportional fitting (Deming & Stephan 1940)
        table *= child / np.maximum(table.sum(axis=0), 1e-300)
        table *= (parent / np.maximum(table.sum(axis=1), 1e-300))[:, None]
        if np.abs(table.sum(axis=0) - child).max() < 1e-6:
            break
    return table


def _nearest_shares(values) -> np.ndarray:
    """Return the shares, none negative and with sum 1, that are nearest to ``values``.

    The same number is subtracted everywhere, and what falls below 0 becomes 0: of Gaussian noise this is the most
    likely truth, and unlike plain clipping it does not lift the many small cells at the cost of the others.
    """
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, values.size + 1)
    return np.maximum(values - excess[np.flatnonzero(falling > excess)[-1]], 0)
