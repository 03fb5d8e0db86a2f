"""The labs of chapter 2, k-Anonymity."""

import math

import numpy as np
import pandas as pd

from ..data import load_census
from .answers import NotYet, close, function, number

KNOWN = ["Age", "Education", "Marital Status", "Sex"]


def lab_1(answer) -> str:
    """Check the entropy l-diversity of a class with counts 8, 1 and 1."""
    given, shares = number(answer), [0.8, 0.1, 0.1]
    entropy = -sum(share * math.log(share) for share in shares)
    bits, right = entropy / math.log(2), math.exp(entropy)
    if close(given, entropy) or close(given, bits):
        raise NotYet("that is the entropy; which l has it as its logarithm?")
    if close(given, math.exp(bits)) or close(given, 2**entropy):
        raise NotYet("take the same base for the logarithms and for turning them back.")
    if close(given, 3):
        raise NotYet("that counts the illnesses, however rare they are.")
    if not close(given, right):
        raise NotYet("sum -p ln p over the three shares, then raise e to it.")
    return "Three illnesses, less varied than two that are equally frequent."


def lab_2(answer) -> str:
    """Check a function that returns the size of the smallest class."""
    smallest, rng = function(answer), np.random.default_rng(2)
    town = rng.choice(["it's here", 'the "old" town', "A or B"], size=300)
    plain = pd.DataFrame({"home town": town, "age": rng.integers(20, 25, size=300)})
    gaps = plain.astype({"home town": object, "age": float})
    gaps.loc[:3, "home town"] = None
    gaps.loc[4:10, "age"] = np.nan
    for table, columns, kind in [
        (plain, ["age"], "one column of numbers"),
        (plain, ["home town", "age"], "text, and a column name with a space"),
        (gaps, ["home town"], "missing text"),
        (gaps, ["age"], "missing numbers"),
        (gaps, ["home town", "age"], "both missing"),
    ]:
        right = table.groupby(columns, dropna=False).size().min()
        given = number(smallest(table.copy(), list(columns)))
        if given != right and given == table.groupby(columns).size().min():
            raise NotYet(f"{kind}: you leave out the rows that miss a value; together they are a class, too.")
        if given != right:
            raise NotYet(f"{kind}: the smallest class has {right} rows, you returned {given:g}.")
    return "Text, spaces and gaps: none of them hides a small crowd."


def lab_3(answer) -> str:
    """Check a count of the people whose class has a single value of the secret."""
    given_away, rng = function(answer), np.random.default_rng(3)
    for rows, columns in [(8, ["age"]), (60, ["age", "sex"]), (400, ["age", "sex"])]:
        table = pd.DataFrame(
            {
                "age": rng.integers(20, 20 + rows // 4, size=rows),
                "sex": rng.choice(["f", "m"], size=rows),
                "illness": rng.choice(["flu", "cold"], size=rows, p=[0.8, 0.2]),
            }
        )
        classes = table.groupby(columns)["illness"].agg(["size", "nunique"])
        agree = classes.loc[classes["nunique"] == 1, "size"]
        given = number(given_away(table.copy(), list(columns), "illness"))
        if given == agree.sum():
            continue
        if given == len(agree):
            raise NotYet(f"you counted the {len(agree)} crowds that agree; count the people in them.")
        if given == agree[agree > 1].sum():
            raise NotYet("people who are alone in their crowd are given away, too.")
        raise NotYet(f"in a table of {rows} rows, {agree.sum()} people are given away; you returned {given:g}.")
    return "Whoever is in a crowd that agrees needn't be found."


def lab_4(answer) -> str:
    """Check the intersection of what two tables leave possible."""
    common, rng = function(answer), np.random.default_rng(4)
    for _ in range(20):
        tables, fits, clues = [], [], []
        secret = str(rng.choice(list("ABCDEFGH")))
        for columns in (["age", "sex"], ["town"]):
            table = pd.DataFrame({column: rng.integers(0, 4, size=60) for column in columns})
            table["illness"] = rng.choice(list("ABCDEFGH"), size=60)
            table.loc[0, "illness"] = secret
            clues.append({column: int(table.loc[0, column]) for column in columns})
            fit = np.logical_and.reduce([table[column] == value for column, value in clues[-1].items()])
            fits.append(set(table.loc[fit, "illness"]))
            tables.append(table.sample(frac=1, random_state=rng, ignore_index=True))
        given = common(tables[0].copy(), dict(clues[0]), tables[1].copy(), dict(clues[1]), "illness")
        if not isinstance(given, (set, frozenset)):
            raise NotYet(f"return a set of secrets, not {type(given).__name__}.")
        right = fits[0] & fits[1]
        if given == right:
            continue
        if given == fits[0] | fits[1]:
            raise NotYet("a secret must fit both tables, not one of them.")
        raise NotYet(
            f"the first table leaves {sorted(fits[0])}, the second {sorted(fits[1])}; you returned {sorted(given)}."
        )
    return "The victim is in both crowds, and so is the secret."


def lab_5(answer) -> str:
    """Check a recoding of the census: 10-anonymous, no row left out, loss at most 0.2."""
    census = load_census()
    coarse = function(answer)(census.copy())
    if not isinstance(coarse, pd.DataFrame) or not set(KNOWN) <= set(coarse.columns):
        raise NotYet(f"return a DataFrame with the columns {', '.join(KNOWN)}.")
    if len(coarse) != len(census):
        raise NotYet(f"keep all {len(census):,} rows; yours has {len(coarse):,}.")
    losses = []
    for column in KNOWN:
        original, published = census[column].to_numpy(), pd.Series(coarse[column].to_numpy())
        if published.isna().any():
            raise NotYet(f"some values of {column} are missing in your table; give them a coarser value.")
        if published.groupby(original).nunique().max() > 1:
            raise NotYet(f"equal values of {column} must stay equal; yours depend on something else, too.")
        stands_for = pd.Series(original).groupby(published).nunique()
        losses.append((published.map(stands_for).mean() - 1) / (len(set(original)) - 1))
    k, loss = coarse.groupby(KNOWN).size().min(), float(np.mean(losses))
    if k < 10:
        raise NotYet(f"it is {k}-anonymous, at a loss of {loss:.3f}; which classes are too small?")
    if loss > 0.2:
        raise NotYet(f"it is {k}-anonymous, but the loss is {loss:.3f}; where can you afford more detail?")
    return f"k = {k}, nobody left out, and a loss of {loss:.3f}."
