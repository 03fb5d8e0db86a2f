"""Anonymity of the census, and rows sampled from a marginal."""

import mbi
import numpy as np
from measure import Comparison, Contender
from pycanon import anonymity

import dp_helpers as dp

QUASI_IDENTIFIERS = ["Age", "Sex", "Race", "Education"]
CENSUS = dp.load_census()[[*QUASI_IDENTIFIERS, "Occupation"]].dropna().reset_index(drop=True)
RNG = np.random.default_rng(3)


def comparisons():
    """Return k-anonymity and its refinements, then sampling."""
    yield Comparison(
        f"k-anonymity, 4 quasi-identifiers, {len(CENSUS):,} rows",
        lambda: dp.k_anonymity(CENSUS, QUASI_IDENTIFIERS),
        [
            Contender("pycanon", lambda: anonymity.k_anonymity(CENSUS, QUASI_IDENTIFIERS)),
            Contender("pandas groupby", lambda: CENSUS.groupby(QUASI_IDENTIFIERS).size().min()),
        ],
        faster={"pycanon": 5, "pandas groupby": 1},
    )
    for name, ours, theirs, target in [
        ("l-diversity", dp.l_diversity, anonymity.l_diversity, 50),
        ("t-closeness", dp.t_closeness, anonymity.t_closeness, 150),
    ]:
        yield Comparison(
            f"{name}, 4 quasi-identifiers, {len(CENSUS):,} rows",
            lambda ours=ours: ours(CENSUS, QUASI_IDENTIFIERS, "Occupation"),
            [Contender("pycanon", lambda theirs=theirs: theirs(CENSUS, QUASI_IDENTIFIERS, ["Occupation"]))],
            faster={"pycanon": target},
        )
    yield _sampling(32_561)
    yield _sampling(1_000_000)


def _sampling(n):
    counts = CENSUS.groupby(["Age", "Occupation"], observed=False).size()
    marginal = counts.unstack(fill_value=0).stack().rename("count")
    shape = marginal.index.levshape
    domain = mbi.Domain(["Age", "Occupation"], shape)
    table = mbi.Factor(domain, np.log(np.maximum(marginal.to_numpy().reshape(shape), 1e-9)))
    model = mbi.MarkovRandomField(
        potentials=mbi.CliqueVector(domain, [("Age", "Occupation")], {("Age", "Occupation"): table}),
        marginals=None,
        total=float(n),
    )
    shares = marginal.to_numpy() / marginal.sum()
    return Comparison(
        f"sampling {n:,} rows from a marginal of {len(marginal):,} cells",
        lambda: dp.sample_marginal(marginal, n, RNG),
        [
            Contender("private-pgm (mbi)", lambda: model.synthetic_data(n, method="sample")),
            Contender("rng.choice", lambda: marginal.index[RNG.choice(len(marginal), n, p=shares)].to_frame()),
        ],
        Contender("rng.random", lambda: RNG.random(n)),
        {"private-pgm (mbi)": 15},
    )
