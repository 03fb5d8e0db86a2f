"""The embedded visits: what their maker makes, small, and of the shape that it states."""

import gzip
import hashlib
import math
import re

import numpy as np
import pytest
from scipy import stats

from dp_helpers.data import load_visits
from dp_helpers.data.visits import EMBEDDED
from tools import make_visits as maker


@pytest.fixture(scope="module")
def visits():
    return load_visits()


def test_the_committed_file_is_what_the_maker_makes_and_its_datasheet_names_it():
    csv = maker.visits_csv(maker.make_visits())
    assert gzip.decompress(EMBEDDED.read_bytes()) == csv
    assert hashlib.sha256(csv).hexdigest() in EMBEDDED.with_name("README.md").read_text(encoding="utf-8")


def test_the_file_is_small():
    assert EMBEDDED.stat().st_size <= 300_000


def test_the_columns_hold_what_the_datasheet_says(visits):
    assert list(visits.columns) == ["person", "day", "page", "minutes"]
    assert not visits.isna().any(axis=None)
    assert set(visits["person"]) == set(range(1, 5_001))
    assert visits["day"].is_monotonic_increasing and set(visits["day"]) == set(range(1, 15))
    assert visits["minutes"].between(1, 90).all()
    assert visits["page"].map(lambda page: bool(re.fullmatch("[a-z]+/[0-9]+", page))).all()
    visits["minutes"] = 0
    assert not load_visits().equals(visits)


def test_most_people_have_few_rows_and_some_have_hundreds():
    rows = load_visits().groupby("person").size()
    assert rows.median() == 4
    assert (rows > 100).sum() >= 20
    assert (rows > 200).sum() >= 5
    # A tenth of the people have more than half of the rows.
    assert rows.nlargest(500).sum() > rows.sum() / 2


def test_the_number_of_visits_is_lognormal():
    # One-sample Kolmogorov-Smirnov over whole numbers, in which ties make the test conservative: a maker that keeps
    # its law would fail with probability below 1e-6.
    found = maker.lognormal(maker.chance("visits of a person", 5_000), middle=3.5, spread=1.4, largest=600)
    values = np.arange(1, 600)
    empirical = np.searchsorted(np.sort(found), values, side="right") / found.size
    law = stats.norm.cdf(np.log(values / 3.5) / 1.4)
    assert np.abs(empirical - law).max() < math.sqrt(math.log(2 / 1e-6) / (2 * found.size))


def test_pages_follow_zipf_with_a_flatter_head():
    size = 100_000
    ranks = maker.pick(maker.chance("pages", size), 1 / (np.arange(maker.PAGES) + 3))
    share = np.bincount(ranks, minlength=maker.PAGES) / size
    law = 1 / (np.arange(maker.PAGES) + 3)
    law /= law.sum()
    # Six deviations of a share: one of 800 fails with probability below 2e-6 / 800.
    assert (np.abs(share - law) < 6 * np.sqrt(law / size) + 6 / size).all()


def test_lone_pages_have_one_visitor_and_the_rest_have_several():
    people = load_visits().groupby("page")["person"].nunique()
    assert len(people) == maker.PAGES + maker.LONE_PAGES
    assert (people == 1).sum() == maker.LONE_PAGES
    assert people.nlargest(10).min() > 300


def test_the_numbers_of_people_and_pages_tell_nothing():
    # A rank correlation of independent numbers has deviation 1 / sqrt(n - 1): five of them, failure below 1e-6.
    visits = load_visits()
    rows = visits.groupby("person").size()
    pages = visits.groupby("page").size()
    number = pages.index.str.split("/").str[1].astype(int)
    for numbers, sizes in [(rows.index, rows), (number, pages)]:
        correlation = stats.spearmanr(numbers, sizes).statistic
        assert abs(correlation) < 5 / math.sqrt(len(sizes) - 1)


def test_people_return_to_their_pages():
    visits = load_visits()
    distinct = visits.drop_duplicates(["person", "page"])
    # With no returns, Zipf alone makes far fewer repeats.
    shuffled = visits.assign(page=np.random.default_rng(1).permutation(visits["page"]))
    assert len(distinct) < 0.9 * len(shuffled.drop_duplicates(["person", "page"]))


def test_weekends_are_quieter():
    rows = load_visits().groupby("day").size()
    assert rows[[6, 7, 13, 14]].max() < 0.8 * rows.drop([6, 7, 13, 14]).min()
