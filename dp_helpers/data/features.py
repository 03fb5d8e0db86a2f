"""The census as numbers, for the classifiers of the book."""

import numpy as np
import pandas as pd

from dp_helpers import validation
from dp_helpers.data.codebook import CENSUS_DOMAINS, MAY_BE_MISSING


def census_features(data: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Turn the census into features and labels for a classifier of income.

    Nothing here is learned from the data: columns and scales come from ``CENSUS_DOMAINS``, which is public, so
    every row depends on one person only, and any two censuses get the same columns.

    Parameters
    ----------
    data : DataFrame
        A census as :func:`load_census` gives it, or some of its rows; the identifying columns aren't used.

    Returns
    -------
    X : ndarray of float64, shape (n, 104)
        The columns follow ``CENSUS_DOMAINS`` without Target: for a list of answers one column for each, 1 where it was
        given and 0 elsewhere; for a number one column, scaled to [0, 1] by its bounds.  An answer that is missing
        makes all columns of its question 0.  Rows aren't scaled to a norm.
    y : ndarray of float64, shape (n,)
        1 for an income above 50,000 dollars, -1 otherwise.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> X, y = dp.census_features(dp.load_census())
    >>> X.shape, y.shape
    ((32561, 104), (32561,))
    >>> bool(X.min() == 0 and X.max() == 1)
    True

    The names of the columns of ``X``:

    >>> from dp_helpers import CENSUS_DOMAINS
    >>> questions = {name: answers for name, answers in dp.CENSUS_DOMAINS.items() if name != "Target"}
    >>> names = [(name, answer) for name, answers in questions.items()
    ...          for answer in ([name] if isinstance(answers, range) else answers)]
    >>> len(names), names[0]
    (104, ('Workclass', 'Federal-gov'))
    """
    validation.frame("data", data, CENSUS_DOMAINS)
    blocks = [
        _scaled(data[column], domain) if isinstance(domain, range) else _one_hot(data[column], domain)
        for column, domain in CENSUS_DOMAINS.items()
        if column != "Target"
    ]
    return np.hstack(blocks), 2.0 * _codes(data["Target"], CENSUS_DOMAINS["Target"]) - 1


def _scaled(column: pd.Series, domain: range) -> np.ndarray:
    """Return a number as one column: 0 for the lowest possible answer, 1 for the highest."""
    lower, upper = domain[0], domain[-1]
    values = validation.numbers(column.name, column)
    outside = (values < lower) | (values > upper)
    if outside.any():
        raise ValueError(f"{column.name} must be {lower} to {upper}, got {values[outside][0]:g}")
    return ((values - lower) / (upper - lower))[:, None]


def _one_hot(column: pd.Series, domain: list[str]) -> np.ndarray:
    """Return one column for each possible answer."""
    given = column.notna().to_numpy() if column.name in MAY_BE_MISSING else np.ones(len(column), dtype=bool)
    block = np.zeros((len(column), len(domain)))
    block[np.flatnonzero(given), _codes(column[given], domain)] = 1
    return block


def _codes(column: pd.Series, domain: list[str]) -> np.ndarray:
    return validation.codes(column.name, column, pd.Index(domain), "CENSUS_DOMAINS")
