"""Results of what takes too long for a chapter.

``tools/make_*_runs.py`` and ``benchmarks/engines/run.py`` make the files again.
"""

from pathlib import Path

import pandas as pd

from dp_helpers import validation

_FILES = {file.stem: file for file in sorted(Path(__file__).with_name("runs").glob("*.csv"))}


def load_runs(name: str) -> pd.DataFrame:
    """Load the stored results of what takes too long for a chapter.

    Parameters
    ----------
    name : {"attack_curves", "coarse_runs", "coarse_towns", "engines", "group_runs", "public_encoders", "training_runs"}
        Which results: ``training_runs`` one model with many settings (chapter 12), ``public_encoders`` a private head
        on frozen features, ``attack_curves`` two attacks on many models (chapter 21), ``group_runs`` whom models find
        in two groups of people (chapter 23), ``engines`` how long engines take for one query (chapter 22),
        ``coarse_runs`` what tables of small places give away, ``coarse_towns`` the same for other drawings and for
        another town (chapter 2).

    Returns
    -------
    DataFrame
        One row a setting, a seed, a point of a curve or a query, a fresh copy at each call.

    Raises
    ------
    ValueError
        If there are no results of this name.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> runs = dp.load_runs("training_runs")
    >>> runs["method"].unique().tolist(), float(runs["accuracy"].max())
    (['full', 'dp-sgd', 'plain'], 0.85)
    """
    return pd.read_csv(_FILES[validation.choice("name", name, _FILES)])
