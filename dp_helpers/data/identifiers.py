"""Invented names, social security numbers, dates of birth and Zip codes.

They are functions of the row number and the age alone.  So the census keeps its identifiers when its counts change,
and the real file of UCI, which has none, gets some of the same kind.  Chance is a hash of the row number: the same on
every machine and with every version of NumPy.
"""

import numpy as np
import pandas as pd

from dp_helpers import validation
from dp_helpers.data.codebook import CENSUS_COLUMNS, IDENTIFYING_COLUMNS
from dp_helpers.numerics import splitmix64

#: Ages are ages on 31 December of this year.
REFERENCE_YEAR = 2024

#: The identifiers of row 0, the person whom the book follows.  They are chosen by hand.
EXAMPLE_IDENTIFIERS = {"Name": "Nella Quillfeather", "DOB": "1968-05-13", "SSN": "987-00-6543", "Zip": 64823}
EXAMPLE_AGE = 56

#: Beyond this many rows somebody would be given the example's social security number.
MAX_ROWS = 300_000

_FIRST_STARTS = """
    Al Bel Cor Dar El Fen Gal Hal Is Jor Kel Lor Mir Nel Or Per Quen Ros Sel Tam Ul Ver Wen Yar Zel
""".split()
_FIRST_ENDS = "a ana anth aro ena essa ette ian ibeth ick ida ina indra is ola on oric yn".split()
_LAST_STARTS = """
    Amber Badger Barley Bramble Brindle Button Candle Clover Copper Cricket Dapple Ember Fennel Feather Fiddle
    Gander Ginger Heron Honey Ivory Juniper Kettle Lantern Linnet Marble Marigold Meadow Mossy Mulberry Nettle
    Oaken Otter Pebble Pepper Plover Poppy Pumpkin Quill Ribbon Saffron Sparrow Spindle Tansy Thimble Thistle
    Tinder Umber Velvet Walnut Whistle Willow Windle Yarrow
""".split()
_LAST_ENDS = """
    barrow beam buckle burrow cap chime crumb drift fallow feather fold glade gleam hatch hollow kin latch leaf
    loft mead mop nook patch pipe quay reed shade shaw sprig thorn tuft twig wander weft whisk wick wisp
""".split()

# Each use of chance has a salt of its own.
_SALT_BIRTHDAY, _SALT_AREA, _SALT_ZIP = 11, 22, 23


def attach_identifiers(data: pd.DataFrame) -> pd.DataFrame:
    """Add the four invented identifying columns.

    No two people have the same Name or SSN, and no SSN was ever issued.  Few people share date of birth and Zip.
    Row 0 is named after the book's example; it gets her date of birth only where it has her age.

    Parameters
    ----------
    data : DataFrame
        The fourteen other columns of the census, one row a person, at most 300,000 rows.

    Returns
    -------
    DataFrame
        The eighteen columns of the census, the rows in the same order with index 0, 1, 2, …

    Examples
    --------
    >>> from dp_helpers.data.loading import load_census
    >>> answers = load_census().drop(columns=["Name", "DOB", "SSN", "Zip"])
    >>> print(attach_identifiers(answers)[["Name", "DOB", "SSN", "Zip"]].head(2).to_string(index=False))
                  Name        DOB         SSN   Zip
    Nella Quillfeather 1968-05-13 987-00-6543 64823
      Darola Ambertwig 1998-06-01 938-00-4557 89022
    """
    validation.frame("data", data, [column for column in CENSUS_COLUMNS if column not in IDENTIFYING_COLUMNS])
    if len(data) > MAX_ROWS:
        raise ValueError(f"data must have at most {MAX_ROWS:,} rows, got {len(data):,}")
    rows, ages = np.arange(len(data)), data["Age"].to_numpy()
    identifiers: dict = {"Name": _names(rows), "DOB": _birthdays(rows, ages), "SSN": _numbers(rows), "Zip": _zips(rows)}
    if len(data):
        for column, value in EXAMPLE_IDENTIFIERS.items():
            if column != "DOB" or ages[0] == EXAMPLE_AGE:
                identifiers[column][0] = value
    # Through text, so that pandas chooses the same resolution as for dates read from a file.
    identifiers["DOB"] = pd.to_datetime(identifiers["DOB"], format="%Y-%m-%d")
    return data.reset_index(drop=True).assign(**identifiers)[list(CENSUS_COLUMNS)]


def hash64(numbers, salt: int) -> np.ndarray:
    """Return a well-mixed unsigned 64-bit number for each whole number.

    They are the numbers at these places of the stream of SplitMix64; each ``salt`` starts another part of it.

    Examples
    --------
    >>> [int(word) for word in hash64([0, 1], salt=0)]
    [16294208416658607535, 7960286522194355700]
    """
    positions = np.asarray(numbers, dtype=np.uint64) + np.uint64(salt) * np.uint64(1 << 32)
    return splitmix64(np.zeros(1, dtype=np.uint64), positions)


def _names(rows: np.ndarray) -> list[str]:
    """Give every pair of a first and a last name at most once."""
    firsts = [start + end for start in _FIRST_STARTS for end in _FIRST_ENDS]
    # No Featherfeather, and no letter three times in a row.
    lasts = [
        start + end for start in _LAST_STARTS for end in _LAST_ENDS if not start.lower().endswith((end, 2 * end[0]))
    ]
    pairs = _scrambled(rows, len(firsts) * len(lasts), step=617_034_211, first=7)
    firsts_of, lasts_of = pairs % len(firsts), pairs // len(firsts)
    return [f"{firsts[i]} {lasts[j]}" for i, j in zip(firsts_of, lasts_of, strict=True)]


def _numbers(rows: np.ndarray) -> list[str]:
    """Give each row a social security number 9AA-00-SSSS: neither area 9xx nor group 00 was ever issued."""
    serials = _scrambled(rows, 100 * 9999, step=380_197, first=4321)
    return [f"9{area:02d}-00-{serial + 1:04d}" for area, serial in zip(serials // 9999, serials % 9999, strict=True)]


def _birthdays(rows: np.ndarray, ages: np.ndarray) -> list[str]:
    """Give each row any day of the year in which a person of this age was born, as ISO text."""
    year = REFERENCE_YEAR - ages
    leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    first_day = (year - 1970).astype("datetime64[Y]").astype("datetime64[D]")
    return np.datetime_as_string(first_day + _below(rows, 365 + leap, _SALT_BIRTHDAY)).tolist()


def _zips(rows: np.ndarray) -> np.ndarray:
    """Give each row one of 100 Zip codes in one of 900 three-digit areas, some much fuller than others."""
    uniform = (_below(rows, 1 << 20, _SALT_AREA) + 0.5) / (1 << 20)
    # Square roots are exact to the last bit on every machine; other powers aren't.
    crowded = (900 * uniform * np.sqrt(np.sqrt(uniform))).astype(np.int64)
    area = 100 + _scrambled(crowded, 900, step=389, first=137)
    return area * 100 + _below(rows, 100, _SALT_ZIP)


def _scrambled(numbers: np.ndarray, n: int, *, step: int, first: int) -> np.ndarray:
    """Return 0..n-1 in an order that looks random and repeats nothing (``step`` and ``n`` share no factor)."""
    return (np.asarray(numbers, dtype=np.int64) * step + first) % n


def _below(numbers: np.ndarray, n, salt: int) -> np.ndarray:
    """Return a whole number in 0..n-1 for each of ``numbers``; ``n`` is one number or one for each."""
    high = hash64(numbers, salt) >> np.uint64(32)
    return (high * np.asarray(n, dtype=np.uint64) >> np.uint64(32)).astype(np.int64)
