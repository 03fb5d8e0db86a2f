"""Read the embedded visits to a web site: a table in which a person has many rows."""

from pathlib import Path

import pandas as pd

EMBEDDED = Path(__file__).with_name("visits.csv.gz")


def load_visits() -> pd.DataFrame:
    """Load the embedded visits: two weeks of a town's web site, by 5,000 people of whom nobody is real.

    Unlike in the census, a person has many rows: half of the people have up to four, some have hundreds.  Pages have
    a long tail, and some are visited by one person alone.  See ``README.md`` beside the file.

    Returns
    -------
    DataFrame
        One row a visit, in the order of the days, index 0, 1, 2, …, a fresh copy at each call.  Columns person (1 to
        5,000), day (1 to 14, from a Monday on), page (text: a topic and a number) and minutes (1 to 90); the numbers
        are int64, the text is ``str`` in pandas 3, ``object`` in pandas 2.  Nothing is missing.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> visits = dp.load_visits()
    >>> list(visits.columns), visits["person"].nunique()
    (['person', 'day', 'page', 'minutes'], 5000)
    """
    return pd.read_csv(EMBEDDED)
