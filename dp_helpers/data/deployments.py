"""Where differential privacy is used in the world: one table, each row with its source and the day it was looked up."""

from pathlib import Path

import pandas as pd

_TABLE = Path(__file__).with_name("deployments.csv")


def load_deployments() -> pd.DataFrame:
    """Load what organisations have promised about what they publish, one row a promise.

    Every figure of the world that the book prints comes from this table.  Look a row up again before you rely on it.

    Returns
    -------
    DataFrame, shape (rows, 13)
        A fresh copy at each call.  The index, ``name``, is a short name for each row.  "not found" says that the source
        that was read doesn't say it.

    Notes
    -----
    - **who**, **what**: who publishes, and what; **since**: the year of the first release.
    - **unit**: whose change the promise covers, as "one user" or "one report".
    - **period**: for how long it holds, as "once", "6 hours", "day", "month"; the promise is made again each time.
    - **neighbours**: "add/remove" or "replace-one".
    - **epsilon**, **delta**, **rho**: the promise as it was published; NaN where it was published in the other form.  A
      delta of 0 is pure differential privacy.
    - **model**: "central" or "local".
    - **source**: a paper, report or repository; **looked_up**: the day on which it was read.
    - **status**: "primary source" if the figures were read there, or "as registered" if they were read in the
      Differential Privacy Deployments Registry, where no card had been approved yet in July 2026.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> table = dp.load_deployments()
    >>> table.loc["linkedin-audience", "period"], float(table.loc["linkedin-audience", "epsilon"])
    ('month', 34.9)
    """
    return pd.read_csv(_TABLE, index_col="name", parse_dates=["looked_up"])
