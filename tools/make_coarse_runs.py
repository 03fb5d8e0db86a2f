"""Make coarse_runs.csv and coarse_towns.csv, how chapter 2's small tables are rebuilt: `make runs`, half an hour.

The census is dealt to 800 blocks of 40 people, such that neighbours are somewhat alike.  Of each block, all tables of
one, two and three of six yes-or-no columns are published: rounded, with small cells hidden, after some people were
swapped with people of other blocks, or with normal noise.  A second release adds the tables of four columns.  An
attacker knows the shares of the whole town, and looks for the 40 rows of a block.  A row of the first file is one way
to publish, with means over the blocks.  The second file has some of the ways for other drawings of the blocks, and for
another town.
"""

import itertools
import os

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import Bounds, LinearConstraint, lsq_linear, milp

import dp_helpers as dp
from tools.make_training_runs import write

BLOCKS, EVERY, PEOPLE, COLUMNS = 800, 20, 40, 6  # each 20th block is attacked
KINDS = np.array(list(itertools.product((0, 1), repeat=COLUMNS)))
PLACES = [1, 10, 100]  # blocks that are added up: 40, 400 and 4,000 people
SEEDS = [3, 4, 5, 6]  # of the second file
SOME = [("rounded", 5), ("rounded", 10), ("hidden", 5), ("swapped", 0.1), ("noise", 1), ("noise", 2), ("noise", 10)]
RHOS = [0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, 20, 30, 50, 100]


def answers(census) -> np.ndarray:
    """Return six yes-or-no answers of each person."""
    married = census["Marital Status"].str.startswith("Married")
    return np.column_stack(
        [census["Sex"] == "Male", married, census["Age"] >= 40, census["Education-Num"] > 9,
         census["Target"] != "<=50K", census["Country"] == "United-States"]
    ).astype(int)  # fmt: skip


def young_town(census) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a town in which people under 30 are four times as frequent, and six other answers of each person."""
    weights = np.where(census["Age"] < 30, 4, 1)
    people = census.sample(len(census), replace=True, weights=weights, random_state=1).reset_index(drop=True)
    gains = people["Capital Gain"] + people["Capital Loss"] > 0
    return people, np.column_stack(
        [people["Age"] < 30, people["Race"] == "White", people["Workclass"] == "Private",
         people["Hours per week"] > 40, people["Marital Status"] == "Never-married", gains]
    ).astype(int)  # fmt: skip


def kinds(people) -> np.ndarray:
    """Count the people of each of the 64 kinds."""
    return np.bincount(people @ 2 ** np.arange(COLUMNS)[::-1], minlength=len(KINDS)).astype(float)


def cells_of(ways) -> list[dict]:
    """Return the cells of all tables of so many columns: what each cell's people answer, by column."""
    return [
        dict(zip(columns, values, strict=True))
        for columns in itertools.combinations(range(COLUMNS), ways)
        for values in itertools.product((0, 1), repeat=ways)
    ]


FIRST = [cell for ways in (1, 2, 3) for cell in cells_of(ways)]
ALL = FIRST + cells_of(4)
QUERIES = np.array([np.all([KINDS[:, column] == cell[column] for column in cell], axis=0) for cell in ALL], float)
PLACE = {frozenset(cell.items()): number for number, cell in enumerate(ALL)}


def sums() -> list[list]:
    """Return cells that belong together: one, and the two of which it is the sum, with one column more."""
    lines = []
    for number, cell in enumerate(ALL):
        for column in [column for column in cell if cell[column] == 0]:
            other = PLACE[frozenset((cell | {column: 1}).items())]
            lines.append([PLACE.get(frozenset(cell.items()) - {(column, 0)}), number, other])
    return lines


SUMS = sums()


def hidden(counts, below, size) -> np.ndarray:
    """Tell which of the first cells an office hides: small ones, and others from which these could be worked out."""
    hide = np.zeros(len(counts), bool)
    for end in sorted({len(FIRST), size}):  # what an earlier release published stays published
        new = np.zeros(len(counts), bool)
        new[0 if end == len(FIRST) else len(FIRST) : end] = True
        hide |= new & (counts < below)
        changed = True
        while changed:
            changed = False
            for line in SUMS:
                known = [cell for cell in line if cell is not None and cell < end]
                gone = [cell for cell in known if hide[cell]]
                rest = [cell for cell in known if new[cell] and not hide[cell]]
                if len(gone) == 1 and rest and max(known) < end and len(known) > 1:
                    hide[min(rest, key=counts.__getitem__)] = changed = True
    return hide


def published(way, strength, block, town, size, rng):
    """Return what a reader takes from each of the first cells, the limits between which it is, and its deviation."""
    counts, whatever = QUERIES @ kinds(block), (np.full(len(ALL), -np.inf), np.full(len(ALL), np.inf))
    if way == "rounded":
        said = strength * np.round(counts / strength)
        return said, said - strength / 2, said + strength / 2, strength / np.sqrt(12)
    if way == "hidden":
        away = hidden(counts, strength, size)
        expected = QUERIES @ (PEOPLE * shares_of(town))  # what a reader puts in the gaps
        said, low, high = np.where(away, expected, counts), counts.copy(), counts.copy()
        low[away], high[away] = 0, PEOPLE
        return said, low, high, np.where(away, np.inf, 0.1)
    if way == "town":  # no table of the block at all
        return QUERIES @ (PEOPLE * shares_of(town)), *whatever, np.inf
    if way == "swapped":
        said = QUERIES @ kinds(swapped(block, town, strength, rng))
        return said, said, said, 0.1
    # One person is in one cell of each table: 41 tables in the first release, 15 more in the second, each at rho.
    sigma = np.sqrt(np.where(np.arange(len(ALL)) < len(FIRST), 41, 15) / (2 * strength))
    return counts + rng.normal(0, sigma), *whatever, sigma


def swapped(block, town, share, rng) -> np.ndarray:
    """Return the block after a share of its people changed places with others of the same sex and side of 40."""
    block = block.copy()
    for place in rng.choice(len(block), round(share * len(block)), replace=False):
        alike = np.flatnonzero((town[:, [0, 2]] == block[place, [0, 2]]).all(axis=1))
        block[place] = town[rng.choice(alike)]
    return block


def rebuilt(said, low, high, deviation, shares, size) -> np.ndarray:
    """Return how many people of each kind the attacker finds.

    First the best real numbers: least squares on the cells, each by its deviation, with the town's shares as one more
    guess.  Then the whole numbers nearest to these that fit all limits.
    """
    queries, weight = QUERIES[:size], 1 / np.broadcast_to(deviation, len(ALL))[:size]
    expected = PEOPLE * shares
    doubt = 1 / np.sqrt(expected + 0.1)
    rows = np.vstack([queries * weight[:, None], np.diag(doubt)])
    near = lsq_linear(rows, np.concatenate([said[:size] * weight, expected * doubt]), bounds=(0, PEOPLE)).x
    if not np.isfinite(low[:size]).any():
        return np.rint(near)
    # Whole numbers h and distances d from near: the sum of the d is made as small as the limits allow.
    n = len(near)
    eye = np.eye(n)
    lines = np.block([[queries, np.zeros((size, n))], [eye, -eye], [eye, eye]])
    least = np.concatenate([low[:size], np.full(n, -np.inf), near])
    most = np.concatenate([high[:size], near, np.full(n, np.inf)])
    found = milp(
        np.repeat([0, 1], n), integrality=np.repeat([1, 0], n), bounds=Bounds(0, PEOPLE),
        constraints=LinearConstraint(lines, least, most), options={"time_limit": 5, "mip_rel_gap": 0.01},
    )  # fmt: skip
    return np.rint(near if found.x is None else found.x[:n])


def scored(way, strength, release, blocks, town, seed) -> dict:
    """Publish all blocks and attack some, and return the means."""
    size = [len(FIRST), len(ALL)][release - 1]
    three = [number for number, cell in enumerate(ALL) if len(cell) == 3]
    right, alone, named, taken, errors = [], [], [], [], []
    for number, block in enumerate(blocks):
        attacked = number % EVERY == 0
        if release == 2 and not attacked:
            continue
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
        truth = kinds(block)
        said, *rest = published(way, strength, block, town, size, rng)
        errors.append((said - QUERIES @ truth)[three])
        if not attacked:
            continue
        found = rebuilt(said, *rest, shares_of(town), size)
        right.append(np.minimum(found, truth).sum() / PEOPLE)
        alone.append(np.sum(truth == 1))
        named.append(np.sum(found == 1))
        taken.append(np.sum((truth == 1) & (found == 1)))
    row = {"way": way, "strength": strength, "release": release, "rebuilt": np.mean(right)}
    row |= {"found": np.sum(taken) / np.sum(alone), "named_right": np.sum(taken) / max(np.sum(named), 1)}
    for many in PLACES if release == 1 else []:  # a second release is of other tables
        added = np.reshape(errors, (BLOCKS // many, many, -1)).sum(axis=1)
        row[f"error_{PEOPLE * many}"] = np.sqrt(np.mean(added**2))
    return row


def shares_of(people) -> np.ndarray:
    """Return the share of each kind."""
    return kinds(people) / len(people)


def blocks_of(census, town, rng) -> np.ndarray:
    """Deal the people to blocks, such that neighbours are somewhat alike."""
    likes = sum(stats.zscore(census[column]) for column in ("Age", "Education-Num", "Hours per week"))
    order = np.argsort(likes + 2 * rng.normal(size=len(town)))[: BLOCKS * PEOPLE]
    return town[order].reshape(BLOCKS, PEOPLE, COLUMNS)


def table(census, seed) -> pd.DataFrame:
    """Return a row for each way to publish."""
    town = answers(census)
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    blocks = blocks_of(census, town, rng)
    ways = [("rounded", base) for base in (3, 5, 10)] + [("hidden", below) for below in (5, 10)]
    ways += [("swapped", share) for share in (0.1, 0.3)] + [("noise", rho) for rho in RHOS]
    rows = [scored("town", 0, 1, blocks, town, seed)]
    for way, strength in ways:
        first, both = (scored(way, strength, release, blocks, town, seed) for release in (1, 2))
        rows += [first, first | both]  # the first tables, and so their errors, stay what they were
    return pd.DataFrame(rows)


def towns(census) -> list[dict]:
    """Return some ways to publish for other drawings of the blocks, of the same town and of another."""
    rows = []
    for name, people, town in [("the same", census, answers(census)), ("another", *young_town(census))]:
        for seed in SEEDS:
            blocks = blocks_of(people, town, np.random.default_rng(np.random.SeedSequence(seed)))
            ways = [("town", 0, 1), *((*way, 1) for way in SOME), ("rounded", 5, 2), ("noise", 1, 2)]
            rows += [{"town": name, "seed": seed} | scored(*way, blocks, town, seed) for way in ways]
    return [{key: value for key, value in row.items() if not key.startswith("error")} for row in rows]


def main():
    """Write the files."""
    census, seed = dp.load_census(), int(os.environ.get("SEED", "2"))
    write("coarse_runs", table(census, seed).to_dict("records"), digits=4)
    write("coarse_towns", towns(census), digits=4)


if __name__ == "__main__":
    main()
