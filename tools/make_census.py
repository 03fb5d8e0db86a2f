"""Make the embedded census, 32,561 invented people, from ``census_tables.json``, a file of counts.

No record of the real census is read.  The columns are drawn one at a time: Age first, then Marital Status given Age,
then Sex given both, and so on down the steps of the file.  For each new column

1. *rake*: every person gets a probability of each answer.  The probabilities are rescaled table by table, over and
   over, until they add up to every published count (iterative proportional fitting; Deming and Stephan 1940).
2. *deal*: every person draws an answer with these probabilities, tilted a little towards the answers still owed to
   the groups he or she belongs to.  So the counts come out within a few people, not just right on average.
3. *settle*: counts that are still off are repaired by two people swapping their answers, which changes no one-way
   count.  Where that gets stuck a bad swap is made on purpose (tabu search; Glover 1989).

Hours per week, Capital Gain and Capital Loss are drawn as bands first, and as numbers inside their band at the end.
Names and other identifiers come from :mod:`dp_helpers.data.identifiers`.

The file is the same to the byte on every machine and with every version of NumPy and pandas.  Chance is a hash of the
row number; sums that decide anything are sums of whole numbers, exact in any order; logarithms, whose last bit differs
between machines, are rounded to 2**-25 before they are compared.

Run it with ``make census``.
"""

import gzip
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from dp_helpers.data.identifiers import EXAMPLE_AGE, attach_identifiers, hash64
from dp_helpers.data.loading import EMBEDDED

TABLES = Path(__file__).with_name("census_tables.json")

# One row is written by hand: one is taken off each count that it belongs to, and everybody else is made from what
# remains.  It has much in common with the first record of the real file, so it isn't the first here: it trades places
# with a woman of the same age and income, who was drawn like everybody and is the person whom the book follows.
EXAMPLE_ROW = 10_921
EXAMPLE = {
    "Age": EXAMPLE_AGE,
    "Sex": "Female",
    "Marital Status": "Never-married",
    "Relationship": "Not-in-family",
    "Race": "White",
    "Country": "United-States",
    "Education": "Bachelors",
    "Occupation": "Adm-clerical",
    "Workclass": "State-gov",
    "Hours per week": 40,
    "Capital Gain": 0,
    "Capital Loss": 0,
    "Target": "<=50K",
}

# Each use of chance has a salt of its own; the steps of drawing count on from the last.
SALT_SHUFFLE, SALT_FIRST_STEP = 1, 101

# How many times as much an error matters in a table that has to be exact: in a column drawn for everybody, and in a
# number drawn inside its band.
EXACT_WEIGHT, EXACT_WEIGHT_IN_BAND = 8, 100


def main() -> None:
    """Write the census into the package, unless it is there already."""
    csv = census_csv(make_census(load_tables()))
    # Another zlib compresses the same text to other bytes: leave a file alone that holds the right text.
    same = EMBEDDED.exists() and gzip.decompress(EMBEDDED.read_bytes()) == csv
    if not same:
        EMBEDDED.write_bytes(gzip.compress(csv, compresslevel=9, mtime=0))
    print(f"{EMBEDDED}: {'unchanged' if same else 'written'}, SHA-256 of the CSV {hashlib.sha256(csv).hexdigest()}")


def load_tables(path: Path = TABLES) -> dict:
    """Return the published counts.

    ``values`` lists the answers of each column and ``bands`` the lower edges of its bands; ``start`` counts the first
    column, and each of ``steps`` draws one more: column ``of``, inside its band (``within``) or not, from ``tables`` of
    counts, one line for each combination of the columns ``given`` and one count for each answer.
    """
    return json.loads(path.read_text(encoding="utf-8"))


def make_census(tables: dict) -> pd.DataFrame:
    """Return the census: its eighteen columns, the row written by hand in ``EXAMPLE_ROW``."""
    coding = Coding.of(tables)
    example = coding.person(EXAMPLE)
    ages = np.array(tables["start"]["counts"])
    ages[example["Age"]] -= 1
    people = coding.with_bands({"Age": np.repeat(np.arange(len(ages)), ages)})
    for number, step in enumerate(tables["steps"]):
        people[step["of"]] = draw_step(step, people, example, coding, salt=SALT_FIRST_STEP + number)
    return attach_identifiers(answers(people, example, coding))


def census_csv(data: pd.DataFrame) -> bytes:
    """Return the census as the text of a CSV file, where an empty field is a missing answer."""
    return data.to_csv(index=False, lineterminator="\n", date_format="%Y-%m-%d").encode()


def answers(people: dict[str, np.ndarray], example: dict[str, int], coding: "Coding") -> pd.DataFrame:
    """Turn codes into answers, in an order that tells nothing."""
    codes = {column: [example[column], *people[column]] for column in coding.values}
    data = pd.DataFrame({column: [coding.values[column][code] for code in found] for column, found in codes.items()})
    data["Education-Num"] = np.array(codes["Education"]) + 1
    order = np.r_[0, 1 + np.argsort(hash64(np.arange(len(data) - 1), SALT_SHUFFLE), kind="stable")]
    order[[0, EXAMPLE_ROW]] = order[[EXAMPLE_ROW, 0]]
    return data.iloc[order].reset_index(drop=True)


# ------------------------------------------------------------------------------------------- people as whole numbers


@dataclass(frozen=True)
class Coding:
    """How answers become codes: the position of an answer in its list, the number of its band."""

    values: dict[str, list]
    bands: dict[str, np.ndarray]  # the band of each value of a column that has bands
    sizes: dict[str, int]  # how many codes a column or a band has

    @classmethod
    def of(cls, tables: dict) -> "Coding":
        """Return the coding of the published tables."""
        values, edges = tables["values"], tables["bands"]
        gain, loss = edges["Capital band"]["gain"], edges["Capital band"]["loss"]
        loss_band = band(values["Capital Loss"], loss)
        bands = {
            "Age": band(values["Age"], edges["Age band"]["edges"]),
            "Hours per week": band(values["Hours per week"], edges["Hours band"]["edges"]),
            # Capital band: 0 is none, then come the gains, then the losses; nobody has both.
            "Capital Gain": band(values["Capital Gain"], gain),
            "Capital Loss": np.where(loss_band > 0, loss_band + len(gain) - 1, 0),
        }
        sizes = {column: len(answers) for column, answers in values.items()}
        sizes["Age band"] = len(edges["Age band"]["edges"])
        sizes["Hours band"] = len(edges["Hours band"]["edges"])
        sizes["Capital band"] = len(gain) + len(loss) - 1
        return cls(values, bands, sizes)

    def person(self, answers_given: dict) -> dict[str, int]:
        """Return the codes of one person without capital gain or loss."""
        codes = self.with_bands({column: self.values[column].index(x) for column, x in answers_given.items()})
        return {**codes, "Hours band": self.bands["Hours per week"][codes["Hours per week"]], "Capital band": 0}

    def with_bands(self, codes: dict) -> dict:
        """Add the band of Age, which is known before anything else is drawn."""
        return {**codes, "Age band": self.bands["Age"][codes["Age"]]}

    def line(self, codes: dict, given: list[str]):
        """Return the line of a table that people belong to: the codes of ``given`` read as one mixed-base number."""
        number = 0
        for column in given:
            number = number * self.sizes[column] + codes[column]
        return number


def band(values: list, edges: list[int]) -> np.ndarray:
    """Return the number of the band of each value, 0 for the first; a band runs from its edge to the next."""
    return np.searchsorted(edges, values, side="right") - 1


# ------------------------------------------------------------------------------------------- one new column


def draw_step(step: dict, people: dict, example: dict, coding: Coding, salt: int) -> np.ndarray:
    """Return the codes of the column that this step draws."""
    groups = [coding.line(people, table["given"]) for table in step["tables"]]
    targets = [np.array(table["counts"], dtype=np.int64) for table in step["tables"]]
    for table, target in zip(step["tables"], targets, strict=True):
        target[coding.line(example, table["given"]), example[step["of"]]] -= 1
    heavy = EXACT_WEIGHT_IN_BAND if "within" in step else EXACT_WEIGHT
    weights = np.array([heavy if table.get("exact") else 1 for table in step["tables"]])
    if "within" not in step:
        return draw(groups, targets, weights, salt)
    return draw_within_bands(step, groups, targets, weights, people, coding, salt)


def draw_within_bands(step, groups, targets, weights, people, coding, salt) -> np.ndarray:
    """Return exact numbers for people whose band is known: those of each band are drawn by themselves."""
    column, band_of_person, band_of_value = step["of"], people[step["within"]], coding.bands[step["of"]]
    values = coding.values[column]
    # Whoever has no gain or loss at all, or is in a band of the other kind, has 0.  Nobody works 0 hours.
    codes = np.full(len(band_of_person), values.index(0) if 0 in values else -1)
    has_a_band_for_none = step["within"] == "Capital band"
    for number in range(has_a_band_for_none, coding.sizes[step["within"]]):
        inside, choices = np.flatnonzero(band_of_person == number), np.flatnonzero(band_of_value == number)
        if len(inside) and len(choices):
            drawn = draw([group[inside] for group in groups], [t[:, choices] for t in targets], weights, salt)
            codes[inside] = choices[drawn]
    return codes


def draw(groups: list[np.ndarray], targets: list[np.ndarray], weights: np.ndarray, salt: int) -> np.ndarray:
    """Draw one answer for each person: rake, deal, settle.

    Parameters
    ----------
    groups : list of ndarray, each of shape (n,)
        For each table, the line of it that each person belongs to.
    targets : list of ndarray, each of shape (lines, answers)
        The counts of each table.
    weights : ndarray of int, shape (tables,)
        How much an error in each table matters.
    salt : int
        The salt of chance.

    Returns
    -------
    ndarray of int, shape (n,)
        The code of each person's answer.
    """
    starts = np.cumsum([0] + [len(target) for target in targets])
    lines = np.stack([group + start for group, start in zip(groups, starts, strict=False)], axis=1)
    order = np.lexsort(groups[::-1])  # similar people side by side
    is_new_kind = np.r_[True, (lines[order][1:] != lines[order][:-1]).any(axis=1)]
    kind = np.empty(len(order), dtype=np.int64)  # people who are just alike are of one kind
    kind[order] = np.cumsum(is_new_kind) - 1
    probabilities = rake([group[order[is_new_kind]] for group in groups], targets, np.bincount(kind))
    codes = deal(lines, int(starts[-1]), probabilities[:, kind], order, salt)
    return Settling(lines, np.concatenate(targets), codes, weights).run()


# ------------------------------------------------------------------------------------------- 1. rake


def rake(groups: list[np.ndarray], targets: list[np.ndarray], sizes: np.ndarray, close: float = 0.25) -> np.ndarray:
    """Return the maximum-entropy probabilities that add up to ``targets``, shape (answers, kinds).

    There are ``sizes[i]`` people of kind i, all on line ``groups[t][i]`` of table t.  Raking ends once no count is off
    by more than ``close`` people, or after a number of rounds that keeps it to about a second.
    """
    p = np.ones((targets[0].shape[1], len(sizes)))
    for group, target in zip(groups, targets, strict=True):
        p *= (target.T > 0)[:, group]  # where the count is zero, nobody gives that answer
    p *= sizes / np.maximum(p.sum(axis=0), 1e-300)
    for _ in range(min(300, max(25, 40_000_000 // (p.size * len(groups))))):
        worst = 0.0
        for group, target in zip(groups, targets, strict=True):
            now = np.array([np.bincount(group, weights=row, minlength=len(target)) for row in p])
            worst = max(worst, np.abs(now - target.T).max())
            p *= np.divide(target.T, now, out=np.zeros_like(now), where=now > 0)[:, group]
        p *= sizes / np.maximum(p.sum(axis=0), 1e-300)
        if worst < close:
            break
    p[:, p.sum(axis=0) == 0] = 1.0  # where the tables forbid every answer, any will do; settling mends it
    return p / p.sum(axis=0)


# ------------------------------------------------------------------------------------------- 2. deal

ONE = float(1 << 24)  # probabilities are whole multiples of 1/ONE, so that their sums are exact
PULL = 0.5  # with more, the draw becomes too predictable, and classifiers too good


def deal(lines: np.ndarray, n_lines: int, probabilities: np.ndarray, order: np.ndarray, salt: int) -> np.ndarray:
    """Let every person draw an answer, one after another, with chances tilted towards what is owed.

    ``owed[line, answer]`` is what the probabilities have promised to a group so far, less what its members have got.
    The chance of an answer is proportional to its probability times exp(PULL * what the person's groups are owed of
    it, together); the draw takes the largest log-chance plus Gumbel noise.
    """
    people, answers = np.arange(len(lines)), len(probabilities)
    p = np.rint(probabilities.T * ONE)
    p[people, p.argmax(axis=1)] += ONE - p.sum(axis=1)
    uniform = ((hash64(np.arange(p.size), salt) >> np.uint64(12)).reshape(p.shape) + 0.5) / (1 << 52)
    chance = np.rint((np.log(np.maximum(p, 1.0)) - np.log(-np.log(uniform))) * (ONE / PULL))
    chance[p <= 16] = -1e15  # what is as good as impossible stays so, whatever is owed
    owed, codes = np.zeros((n_lines, answers)), np.empty(len(lines), dtype=np.int64)
    for person in order:
        person_owed = owed.take(lines[person], axis=0)
        code = int((np.add.reduce(person_owed, axis=0) + chance[person]).argmax())
        codes[person] = code
        p[person, code] -= ONE
        person_owed += p[person]
        owed[lines[person]] = person_owed
    return codes


# ------------------------------------------------------------------------------------------- 3. settle


class Settling:
    """A search for swaps of answers that make counts equal to their targets.

    Two people swap whenever that lowers the weighted sum of squared errors, or, three times in four, leaves it level.
    If that gets stuck while a table that must be exact is not, a bad swap is made on purpose, its two people are left
    alone for a while, and the search goes on.  All quantities are whole numbers, exact in float32 as well.
    """

    VISITS = 4000  # how often the search may look at a count that is too high
    PATIENCE = 100  # visits without a gain after which it is stuck
    MAX_KICKS = 20  # bad swaps on purpose

    def __init__(self, lines: np.ndarray, target: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> None:
        n_tables = lines.shape[1]
        self.lines, self.codes, self.weights = lines, codes.copy(), weights
        self.lines_by_table = np.ascontiguousarray(lines.T, dtype=np.int16)  # small, for it is read all the time
        self.error = -target
        for table in range(n_tables):
            np.add.at(self.error, (lines[:, table], codes), 1)
        self.table_of = np.zeros(len(target), dtype=np.int64)
        for table in range(n_tables):
            self.table_of[lines[:, table].min() :] = table
        self.line_weights = weights[self.table_of]
        self.frozen_until = np.zeros(len(lines), dtype=np.int64)
        self.visit = self.last_gain = self.kicks = 0

    def run(self) -> np.ndarray:
        """Return the best codes found."""
        self._settle_one_way_counts()
        wrong = lowest = int((self.error**2).sum(axis=1) @ self.line_weights)
        best = self.codes.copy()
        while lowest and self.visit < self.VISITS:
            for line, surplus in self._counts_too_high():
                self.visit += 1
                swap = self._best_swap(line, surplus)
                if swap is None:
                    continue
                gain, *pair = swap
                stuck = self.visit - self.last_gain > self.PATIENCE
                if stuck and (self.kicks == self.MAX_KICKS or not self.error[self.line_weights > 1].any()):
                    return best
                if gain > 0 or (gain == 0 and self.visit % 4) or stuck:
                    self._swap(*pair)
                    wrong -= 2 * gain
                    if wrong < lowest:
                        lowest, best, self.last_gain = wrong, self.codes.copy(), self.visit
                    elif stuck:
                        self.kicks, self.last_gain = self.kicks + 1, self.visit
                        self.frozen_until[pair] = self.visit + 2 * self.PATIENCE
        return best

    def _settle_one_way_counts(self) -> None:
        """Let single people change their answer until each answer is given as often as it should be."""
        while (off := self.error[self.table_of == 0].sum(axis=0)).any():
            surplus, shortage = int(off.argmax()), int(off.argmin())
            people = np.flatnonzero(self.codes == surplus)
            lines = self.lines[people]
            slope = (self.error[lines, surplus] - self.error[lines, shortage]) * self.weights
            self._change(people[slope.sum(axis=1).argmax()], surplus, shortage)

    def _counts_too_high(self) -> np.ndarray:
        """Return (line, answer) of each count that is too high now, in an order that changes."""
        cells = np.argwhere(self.error > 0)
        return cells[np.argsort(hash64(np.arange(len(cells)), self.visit), kind="stable")]

    def _best_swap(self, line: int, surplus: int) -> tuple[int, int, int] | None:
        """Return the best swap that takes a ``surplus`` answer off a line: half its gain, and the two people.

        The other person, of another line of that table, gives an answer of which the line has too few.
        """
        shortages = np.flatnonzero(self.error[line] < 0)
        if self.error[line, surplus] <= 0 or not len(shortages):
            return None
        shortage = int(shortages[self.visit % len(shortages)])
        on_line = self.lines_by_table[self.table_of[line]] == line
        free = self.frozen_until <= self.visit
        givers = np.flatnonzero(on_line & free & (self.codes == surplus))
        takers = np.flatnonzero(~on_line & free & (self.codes == shortage))
        if not len(givers) or not len(takers):
            return None

        slope = ((self.error[:, surplus] - self.error[:, shortage]) * self.line_weights).astype(np.float32)
        giver_gains = slope[self.lines[givers]].sum(axis=1)
        if len(givers) > 4:  # try four: the two best, and two in turn
            ranked = np.argsort(-giver_gains, kind="stable")
            tried = np.r_[ranked[:2], ranked[2 + (self.visit + np.array([0, 7])) % (len(givers) - 2)]]
            givers, giver_gains = givers[tried], giver_gains[tried]
        step = 1 + len(takers) // 4000  # try a few thousand
        takers = takers[self.visit % step :: step]
        taker_lines = self.lines_by_table[:, takers]
        taker_losses = slope[taker_lines].sum(axis=0)
        swaps, penalty = [], (-2 * self.weights).astype(np.float32)
        for giver, giver_gain in zip(givers, giver_gains, strict=True):
            # In a table where both are on one line, nothing changes.
            apart = (taker_lines != self.lines_by_table[:, giver, None]).astype(np.float32)
            gains = penalty @ apart - taker_losses
            best = int(gains.argmax())
            swaps.append((int(giver_gain + gains[best]), int(giver), int(takers[best])))
        return max(swaps)

    def _swap(self, giver: int, taker: int) -> None:
        surplus, shortage = self.codes[giver], self.codes[taker]
        self._change(giver, surplus, shortage)
        self._change(taker, shortage, surplus)

    def _change(self, person: int, old: int, new: int) -> None:
        self.error[self.lines[person], old] -= 1
        self.error[self.lines[person], new] += 1
        self.codes[person] = new


if __name__ == "__main__":
    main()
