"""Claims: forty real ones with their right verdicts, and the bounds beside other accountants."""

import json
import math

import numpy as np
import pytest
from reference import reference

import dp_helpers as dp

TABLE = dp.load_deployments()
CARDS = {card["name"]: card for card in dp.claim_cards()}


def judged(name, **own):
    return dp.judge_claim(**{key: value for key, value in CARDS[name].items() if key not in ("name", "label")}, **own)


# ---------------------------------------------------------------- claims with their verdicts, worked out by hand

PERSON = {"unit": "person", "neighbours": "replace-one", "period": "once"}
DAILY = {"unit": "person", "neighbours": "add/remove", "period": "day"}
# What is claimed and by whom it is asked, epsilon in the end (None: no verdict) and a part of what must be said.
CLAIMS = [
    # Situations of products and papers
    ("AWS Clean Rooms, a budget of 20 a month",
        {"epsilon": 20, "unit": "person", "period": "month"},
        240, "12 publications"),
    ("Snowflake, a budget refreshed weekly",
        {"epsilon": 233, "unit": "person", "period": "week"},
        53 * 233, "53 publications"),
    ("NeMo Safe Synthesizer, a record, n = 10,000",
        {"epsilon": 8, "delta": 1e4**-1.2, "unit": "event", "period": "once"},
        8, "δ = 1.6·10⁻⁵"),
    ("the same, what it says",
        {"epsilon": 8, "delta": 1e4**-1.2, "unit": "event", "period": "once", "fear": "content"},
        16, "δ = 0.047"),
    ("the same, two records",
        {"epsilon": 8, "delta": 1e4**-1.2, "unit": "event", "period": "once", "events": 2, "fear": "content"},
        32, "promises nothing"),
    ("Synthetic Data Studio, δ = 1/n", {"epsilon": 8, "delta": 1e-4, **PERSON}, 8, "δ = 10⁻⁴"),
    ("Chrome Private Aggregation, ε = 64 a day",
        {"epsilon": 64, "delta": 0, "unit": "person", "period": "day", "days": 30},
        1920, "30 publications"),
    ("Exposure Notifications, shuffled, local 8",
        {"epsilon": 8, "unit": "person", "period": "day", "model": "shuffled", "days": 1},
        8, "If the shuffler talks"),
    ("County Business Patterns, per record",
        {"rho": 12.058, "unit": "per-record", "period": "once"},
        None, "No single ε"),
    ("Microsoft replies, ε = 4, no period", {"epsilon": 4, "delta": 1e-7, "unit": "person"}, None, "how often"),
    ("Google trips of 2016, ten trips a week",
        {"epsilon": 0.66, "delta": 2.1e-29, "unit": "event", "period": "week", "events": 10, "days": 7},
        6.6, "one publication"),
    ("the same, a year",
        {"epsilon": 0.66, "delta": 2.1e-29, "unit": "event", "period": "week", "events": 10, "days": 365},
        6.6 * 53, "53 publications"),
    ("Hazy for Nationwide, transactions outside",
        {"epsilon": 5, "delta": 0, **PERSON, "exceptions": "named"},
        5, "What is excepted has no limit"),
    ("Gboard in enclaves, a number alone", {"epsilon": 0.994, "model": "enclave"}, None, "whose data"),
    ("IOM's victims and perpetrators, what they say",
        {"epsilon": 12, "delta": 5.8e-6, "unit": "person", "period": "once", "fear": "content"},
        24, "δ = 0.94"),  # 5.8e-6 (1 + e^12)
    ("an action, ten of them, at the ε of Meta's URLs",
        {"epsilon": 1.453, "delta": 1e-5, "unit": "event", "period": "once", "events": 10},
        14.53, "promises nothing"),
    ("Recurve, what the meters say",
        {"epsilon": 4.72, "delta": 5.06e-9, "unit": "household", "period": "once", "fear": "content"},
        9.44, "δ = 5.7·10⁻⁷"),  # 5.06e-9 (1 + e^4.72)
    ("Google's vaccine searches, four weeks",
        {"epsilon": 2.19, "delta": 1e-5, "unit": "person", "period": "week", "days": 28},
        8.76, "δ = 4·10⁻⁵"),
    ("LinkedIn's audiences, a quarter",
        {"epsilon": 34.9, "delta": 7e-9, "unit": "person", "period": "month", "days": 91},
        104.7, "3 publications"),
    ("Wikimedia's editors by country, a year", {"epsilon": 2, "unit": "person", "period": "month"}, 24, "12 pub"),
    ("Wikimedia's Russian editors", {"epsilon": 0.1, "unit": "person", "period": "month"}, 1.2, "12 publications"),
    ("Spectus in a hurricane, three days", {"epsilon": 10, "unit": "person", "period": "day", "days": 3}, 30, "3 pub"),
    ("Apple's lookup hints, two reports",
        {"epsilon": 8, "unit": "event", "period": "day", "model": "local", "events": 2, "days": 1},
        16, "one publication"),
    ("W3C's largest budget, a week",
        {"epsilon": 4294, "unit": "person", "period": "week", "days": 7},
        4294, "more than 99.999"),
    ("Gboard's Spanish words, what they say", {"rho": 0.81, "unit": "person"}, None, "how often"),
    # One's own sums
    ("ε = 10, once", {"epsilon": 10, "delta": 0, **PERSON}, 10, "99.6 in 100"),
    ("ε = 12, once", {"epsilon": 12, "delta": 0, **PERSON}, 12, "99.94 in 100"),
    ("ε = 13, once", {"epsilon": 13, "delta": 0, **PERSON}, 13, "99.98 in 100"),
    ("ε = 15, once", {"epsilon": 15, "delta": 0, **PERSON}, 15, "99.997 in 100"),
    ("ε = 4, ten events, δ = 10⁻⁶",
        {"epsilon": 4, "delta": 1e-6, "unit": "event", "period": "once", "events": 10},
        40, "promises nothing"),
    ("0.1732 a day", {"epsilon": 0.1732, "delta": 0, **DAILY}, 26.982, "ρ = ε²/2"),
    ("ρ = 0.015 a day", {"rho": 0.015, **DAILY}, 26.983, "ε = 27.0 at most"),
    ("ρ = 0.015 a day, what it says", {"rho": 0.015, **DAILY, "fear": "content"}, 65.44, "ρ four times, because"),
    ("0.1 a day", {"epsilon": 0.1, "delta": 0, **DAILY}, 14.108, "at most, but for δ = 10⁻¹⁰"),
    ("1 a day, what it says", {"epsilon": 1, "delta": 0, **DAILY, "days": 2, "fear": "content"}, 4, "doubled, because"),
    ("8 a year, four times",
        {"epsilon": 8, "unit": "household", "period": "year", "times": 4, "days": 365},
        32, "4 publications"),
    ("a person's days in one file",
        {"epsilon": 0.5, "delta": 0, "unit": "person-day", "period": "once", "days": 30},
        15, "one publication"),
    ("a person's day, weekly",
        {"epsilon": 0.5, "delta": 0, "unit": "person-day", "period": "week", "days": 14},
        7, "2 publications"),
    ("replaced, and whether I took part", {"epsilon": 1, **PERSON, "fear": "presence"}, None, "equally many rows"),
    ("no price at all", {"unit": "person", "period": "once"}, None, "no ε, and no ρ"),
    ("the supplier", {"epsilon": 4}, None, "whose data"),
]  # fmt: skip
REGISTERED = [
    ("census-redistricting", {}, 17.143),
    ("apple-emoji", {}, 1460),
    ("apple-scenes", {}, None),
    ("google-symptoms", {}, 613.2),
    ("google-vaultgemma", {}, 2),
    ("linkedin-audience", {}, 418.8),
    ("linkedin-hiring", {"events": 2}, 115.2),
    ("microsoft-telemetry", {"days": 30}, 200.64),
    ("microsoft-broadband", {"fear": "content"}, 0.4),
    ("israel-births", {}, 9.98),
    ("wikimedia-current", {}, 26.983),
]


@pytest.mark.parametrize(("claim", "epsilon", "said"), [case[1:] for case in CLAIMS], ids=[case[0] for case in CLAIMS])
def test_real_claims_have_their_right_verdict(claim, epsilon, said):
    found = dp.judge_claim(**claim)
    assert said in found.verdict
    assert found.total is None if epsilon is None else found.total[0] == pytest.approx(epsilon, rel=1e-4)


@pytest.mark.parametrize(("name", "own", "epsilon"), REGISTERED)
def test_registered_claims_come_to_what_they_come_to(name, own, epsilon):
    total = judged(name, **own).total
    assert total is None if epsilon is None else total[0] == pytest.approx(epsilon, rel=1e-4)


def test_there_are_forty_real_claims():
    assert len(CLAIMS) + len(REGISTERED) >= 40


# ---------------------------------------------------------------- the bounds beside other accountants


def test_the_bound_lies_between_the_optimal_one_and_the_sums_of_the_chapters():
    rng, beaten = np.random.default_rng(5724), 0
    for _ in range(60):
        epsilon, delta = 10 ** rng.uniform(-2.5, 0.5), rng.choice([0.0, 10 ** rng.uniform(-12, -7)])
        releases = int(rng.integers(1, 500))
        found = dp.judge_claim(epsilon=epsilon, delta=delta, **DAILY, days=releases)
        assert found.releases == releases
        summed, total = releases * epsilon, found.total
        assert total[0] <= summed * (1 + 1e-12)
        best = dp.optimal_composition(epsilon, delta, k=releases, delta_total=total[1] + 1e-13)
        assert total[0] >= best * (1 - 1e-6)
        textbook, _ = dp.advanced_composition(epsilon, delta, k=releases, delta_prime=1e-10)
        assert total[0] <= textbook * (1 + 1e-9)
        beaten += total[0] < 0.9 * summed
    assert beaten > 10


def test_a_stronger_promise_is_never_told_as_a_weaker_one():
    """A pure ε a day implies ρ = ε²/2 a day, whatever the time."""
    for epsilon in (0.01, 0.1, 0.5, 2):
        for days in (1, 7, 30, 365, 3650):
            pure = dp.judge_claim(epsilon=epsilon, delta=0, **DAILY, days=days).total[0]
            weaker = dp.judge_claim(rho=epsilon**2 / 2, **DAILY, days=days).total[0]
            assert pure <= weaker * (1 + 1e-12)


@pytest.mark.parametrize(
    ("inputs", "value", "tolerance"),
    [*reference("zcdp.redistricting_persons.best_order"), *reference("zcdp.all_four.best_order")],
)
def test_a_rho_is_turned_into_the_epsilon_of_the_reference(inputs, value, tolerance):
    found = dp.judge_claim(rho=inputs["rho"], **PERSON, at_delta=inputs["delta"])
    assert found.total[0] == pytest.approx(value, abs=tolerance)


# ---------------------------------------------------------------- what is said


def test_nothing_is_missing_only_when_all_seven_gaps_are_filled():
    full = {"epsilon": 1, "delta": 0, **PERSON, "publications": "all", "model": "central", "exceptions": "none"}
    assert dp.judge_claim(**full).missing == ()
    for gap in full.keys() - {"delta"}:
        part = {name: value for name, value in full.items() if name not in {gap, "delta" if gap == "epsilon" else gap}}
        found = dp.judge_claim(**part)
        assert len(found.missing) == 1 and "[" in found.sentence and "All seven" not in found.verdict, gap
    assert dp.judge_claim(**{**full, "delta": None}).missing == ("δ (read as 0)",)


def test_no_epsilon_is_told_as_certainty_and_more_epsilon_never_as_less():
    said = []
    for epsilon in np.arange(0.1, 40, 0.05):
        words = dp.judge_claim(epsilon=float(epsilon), delta=0, **PERSON).verdict
        said.append(float(words.split(" may rise to ")[1].split(" in 100")[0].removeprefix("more than ")))
        truth = 100 / (1 + 99 * math.exp(-epsilon))
        assert said[-1] < 100 and (said[-1] >= truth - 1e-9 or "more than" in words)
    assert said == sorted(said)


def test_an_epsilon_is_never_said_smaller_than_it_is_nor_much_larger():
    for epsilon in np.geomspace(0.0011, 3_000, 200).tolist():
        words = dp.judge_claim(epsilon=epsilon, delta=0, **PERSON).verdict
        said = float(words.split("ε = ")[1].split(" at most")[0].replace(",", ""))
        assert epsilon * (1 - 1e-8) <= said <= 1.01 * epsilon


@pytest.mark.parametrize("name", CARDS)
def test_a_card_says_what_the_table_says(name):
    card, row = CARDS[name], TABLE.loc[name]
    json.dumps(card)
    assert ("unit" in card) == (row["unit"] != "not found")
    if "rho" in card:
        assert card["rho"] == row["rho"] and "epsilon" not in card
    else:
        assert [card[price] for price in ("epsilon", "delta")] == [row["epsilon"], row["delta"]]
    for field in ("neighbours", "model"):
        assert card.get(field, "not found") == row[field]
    assert card.get("period", "not found") == (row["period"] if row["period"] != "6 hours" else "day")
    assert card.get("times", 1) == (4 if row["period"] == "6 hours" else 1)
    assert card["label"].startswith(row["who"]) and ("as registered" in card["label"]) == (
        row["status"] == "as registered"
    )
