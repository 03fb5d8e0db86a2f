"""Anonymity of a table: properties of how its rows group by what an attacker may know.

The columns an attacker may know are the quasi-identifiers.  Rows that agree on all of them form an equivalence class.
"""

import pandas as pd

from dp_helpers import validation as check


def equivalence_classes(data, quasi_identifiers) -> pd.Series:
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

    Raises
    ------
    ValueError
        If a column does not exist or is named twice, or if none is named.

    References
    ----------
    Sweeney (2002), k-anonymity: a model for protecting privacy, International Journal of Uncertainty, Fuzziness and
    Knowledge-Based Systems 10.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [30, 30, 40], "zip": ["0541", "0541", "0542"]})
    >>> equivalence_classes(people, ["age", "zip"]).to_dict()
    {(30, '0541'): 2, (40, '0542'): 1}
    """
    columns = check.column_names("quasi_identifiers", quasi_identifiers)
    check.frame("data", data, columns)
    return data.groupby(columns, dropna=False, observed=True).size().rename("size")
