"""The calculator of claims counts and says what `dp.judge_claim` does, and asks where it can't read."""

import json

import numpy as np
import pytest
from one_figure import ask, said, write_page

import dp_helpers as dp

SCRIPTS = ["numbers.js", "judging.js", "asking.js", "claim-letter.js"]
SUPPLIER = {"name": "supplier", "label": "A supplier: “ε = 4”", "epsilon": 4}
CLAIM = ["epsilon", "delta", "rho", "unit", "neighbours", "publications", "period", "model", "exceptions"]


@pytest.fixture
def opened(offline_context, tmp_path):
    """Open a page with the calculator alone; ``figure.play`` is what its script returns."""

    def open_page(**options):
        page = write_page(tmp_path, "claim", {"cards": [SUPPLIER, *dp.claim_cards()], "start": "supplier"}, SCRIPTS)
        opened = offline_context.page(**options)
        opened.goto(page.as_uri())
        opened.wait_for_selector("[data-ready]")
        return opened

    return open_page


def grid(rng):
    """Yield 500 claims with their reader's own."""
    choices = {
        "unit": [None, "event", "person-day", "person", "household", "per-record"],
        "neighbours": [None, "add/remove", "replace-one"],
        "publications": [None, "all", "named"],
        "period": [None, "once", "hour", "day", "week", "month", "quarter", "year"],
        "model": [None, "central", "local", "shuffled", "masked", "enclave"],
        "exceptions": [None, "none", "named"],
    }
    for _ in range(500):
        claim = {name: rng.choice(np.array(options, dtype=object)) for name, options in choices.items()}
        if rng.random() < 0.8:  # most of them can be judged
            claim["unit"], claim["period"] = claim["unit"] or "person", claim["period"] or "day"
        kind = rng.integers(5)
        if kind == 0:
            claim["rho"] = float(f"{10 ** rng.uniform(-4, 1.5):.4g}")
        elif kind < 4:
            claim["epsilon"] = float(f"{10 ** rng.uniform(-3, 1.3):.4g}")
            if kind > 1:
                claim["delta"] = float(f"{10 ** rng.uniform(-12, -4):.3g}") * (kind == 2)
        claim["times"] = int(rng.choice([1, 1, 1, 2, 4, 12]))
        own = {"events": int(rng.integers(1, 12)), "days": float(rng.integers(1, 800))}
        yield claim, own | {"fear": str(rng.choice(["claim", "presence", "content"]))}


def test_the_page_counts_and_says_what_the_package_does(opened):
    """Numbers to nine digits, sentences to the letter, over 500 claims."""
    claims = [*grid(np.random.default_rng(57))]
    page = opened()
    on_page = ask(
        page,
        "argument.map(([claim, own]) => it.judge(claim, own))",
        [[{name: claim.get(name) for name in [*CLAIM, "times"]}, own] for claim, own in claims],
    )
    judged = 0
    for (claim, own), found in zip(claims, on_page, strict=True):
        right = dp.judge_claim(**claim, **own)
        assert [*right.missing] == found["missing"], claim
        for part in ("claimed", "release", "total"):
            bound = getattr(right, part)
            if bound is None:
                assert found[part] is None, (claim, part)
            else:
                assert (found[part]["epsilon"], found[part]["delta"]) == pytest.approx(bound, rel=1e-9, abs=1e-30)
        assert (right.sentence, right.verdict, right.releases) == (
            found["sentence"],
            found["verdict"],
            found["releases"],
        ), claim
        judged += right.total is not None
    assert judged > 200


# ---------------------------------------------------------------- what is typed

READ = [
    *[("epsilon", text, value) for text, value in [("4", 4), ("ε = 4", 4), ("4 (pure)", 4), ("0,5", 0.5), ("≤ 8", 8)]],
    *[("epsilon", text, value) for text, value in [("ln 3", np.log(3)), ("up to 2", 2), ("<4", 4), ("eps: 1/4", 0.25)]],
    *[
        ("delta", text, 1e-5)
        for text in ("1e-5", "1 in 100,000", "1:100000", "<1e-5", "10⁻⁵", "1e-5 or less", "δ=1e-5")
    ],
    *[("epsilon", text, 4) for text in ("about 4", "≈ 4", "~4", "roughly 4")],
    *[("delta", text, 1e-6) for text in ("1 in a million", "one in a million", "1 per million", "1e-06.")],
    ("delta", "< 10^-7", 1e-7),
    ("delta", "≤ 1e-6", 1e-6),
    ("delta", "0", 0),
    ("rho", "1/8", 0.125),
]
NOT_READ = [
    *[
        ("epsilon", text)
        for text in ("4 per query", "1.1 per day", "1-10", "1 to 10", "no idea", "> 2", "0", "-1", "at least 1", "ε")
    ],
    *[
        ("delta", text)
        for text in ("auto", "abc", "1", "-1", "1/n", "n^-1.2", "negligible", "O(1/n)", "10 to the minus 5")
    ],
    ("rho", "small"),
]
# What is refused, and a part of what the refusal says.
REFUSED = [
    *[("epsilon", text, "type the number alone") for text in ("4/day", "4 / day", "0.5 each", "4 total", "8 (local)")],
    *[("epsilon", text, "into its own field") for text in ("(4, 1e-5)", "4, δ = 1e-6")],
    *[("epsilon", text, "larger end") for text in ("4–8", "1 to 2")],
    ("epsilon", "1000 microepsilons", "type the number alone"),
    ("delta", "10−5", "write 10^-5"),
    ("delta", "1e-5 per query", "type the number alone"),
    ("delta", "cryptographically small", "write it like"),
]


def test_what_is_plain_is_read_and_what_isnt_is_named(opened):
    page = opened()
    for name, text, value in READ:
        found = ask(page, "it.price(...argument)", [name, text])
        assert not found.get("problem") and found["value"] == pytest.approx(value), text
        bounded = any(sign in text for sign in ("<", "≤", "or less", "up to"))
        assert any("bound" in note for note in found["notes"]) == bounded, text
        about = any(sign in text for sign in ("about", "≈", "~", "roughly"))
        assert any("said to be about" in note for note in found["notes"]) == about, text
    for name, text, why in REFUSED:
        assert why in ask(page, "it.price(...argument)", [name, text])["problem"], text
    for name, text in NOT_READ:
        found = ask(page, "it.price(...argument)", [name, text])
        assert found["value"] is None and text in found["problem"], text


def whole(page, **changed):
    """Fill in a claim without gaps."""
    full = {"Whose data": "person", "Changed how": "replace-one", "What is published": "all", "How often": "once"}
    full |= {"Whom to trust": "central", "Exceptions": "none"}
    for label, value in (full | changed).items():
        page.get_by_label(label, exact=True).select_option(value)


def test_there_is_no_verdict_over_a_delta_that_isnt_read(opened):
    page = opened()
    whole(page)
    for delta in ("auto", "1/n", "n^-1.2", "abc", "2"):
        page.get_by_label("δ", exact=True).fill(delta)
        assert "No verdict" in said(page) and delta in said(page) and "may rise" not in said(page), delta
        assert "ε =" not in page.locator("svg[role=img]").first.get_attribute("aria-label"), delta
        page.get_by_label("δ", exact=True).fill("1e-6")
        assert "36 in 100" in said(page) and "All seven gaps are filled." in said(page), delta


def test_one_over_n_asks_for_n(opened):
    page = opened()
    whole(page)
    assert not page.get_by_label("n, rows or people").is_visible()
    page.get_by_label("δ", exact=True).fill("1/n^1.2")
    assert "how many rows or people" in said(page)
    page.get_by_label("n, rows or people").fill("10,000")
    assert "δ = 1.6·10⁻⁵" in said(page) and "because n = 10,000" in page.locator(".asking-note").inner_text()
    page.get_by_label("n, rows or people").fill("10k")
    assert "“10k”" in said(page) and "No verdict" in said(page)
    page.get_by_label("n, rows or people").fill("10,000")
    page.get_by_label("δ", exact=True).fill("1/n")
    assert "published whole" in page.locator(".asking-note").inner_text()


def test_a_claim_has_one_price_and_the_last_that_is_typed_counts(opened):
    page = opened()
    page.get_by_label("Claim", exact=True).select_option("census-redistricting")
    assert "ε = 17.2 at most" in said(page) and not page.get_by_label("δ", exact=True).is_visible()
    page.get_by_label("ε", exact=True).fill("1")
    assert page.get_by_label("or ρ").input_value() == "" and "ε = 1 at most" in said(page)
    assert "The ρ was taken out" in page.locator(".asking-note").inner_text()
    page.get_by_label("or ρ").fill("0.5")
    assert page.get_by_label("ε", exact=True).input_value() == "" and "ρ turned into ε" in said(page)
    assert "The ε was taken out" in page.locator(".asking-note").inner_text()
    page.get_by_label("ε", exact=True).press_sequentially("0.25")  # by keys it is said until the end
    assert "The ρ was taken out" in page.locator(".asking-note").inner_text() and "ε = 0.25" in said(page)


def test_wikimedia_opens_as_the_text_has_it(opened):
    page = opened()
    page.get_by_label("Claim", exact=True).select_option("wikimedia-current")
    assert "After 365 publications: ε = 27.0 at most" in said(page) and "that you took part" in said(page)
    page.get_by_label("Your fear").select_option("content")
    assert "65.5" in said(page) and "ρ four times, because" in said(page)


def test_a_field_without_an_effect_isnt_there(opened):
    page = opened()
    shown = {
        name: page.get_by_label(name, exact=True)
        for name in ("your events in each", "your time, in days", "How many times", "Your fear")
    }
    assert [name for name, field in shown.items() if field.is_visible()] == []
    whole(page)
    assert [name for name, field in shown.items() if field.is_visible()] == ["How many times", "Your fear"]
    whole(page, **{"Whose data": "event", "How often": "day"})
    assert all(field.is_visible() for field in shown.values())


@pytest.mark.parametrize("options", [{"width": 1280}, {"width": 360, "has_touch": True, "is_mobile": True}])
def test_a_claim_is_filled_in_until_it_can_be_judged(opened, options):
    page = opened(**options)
    assert said(page).startswith("This can't be judged: ask for what is missing. Missing: whose data")
    page.get_by_label("Whose data").select_option("person")
    page.get_by_label("How often").select_option("day")
    assert page.get_by_label("Claim", exact=True).input_value() == "own"
    assert "365 publications: ε = 1,460 at most" in said(page) and "more than 99.999 in 100" in said(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= options["width"]
    whole(page, **{"How often": "day"})
    page.get_by_label("δ", exact=True).fill("0")
    assert "Missing" not in said(page)
    page.get_by_label("Your fear").select_option("presence")
    assert "equally many rows" in said(page)


def test_days_and_events_are_typed_and_slid(opened):
    page = opened()
    page.get_by_label("Claim", exact=True).select_option("apple-emoji")
    page.get_by_label("your time, in days", exact=True).fill("30")
    assert "30 publications: ε = 120 at most" in said(page)
    for span, days in {"1 month": 31, "3 months": 92, "2 quarters": 183, "a week": 7, "2 years": 730}.items():
        page.get_by_label("your time, in days", exact=True).fill(span)
        assert f"{days} publications" in said(page)  # one that is begun is one more
    page.get_by_label("your events in each", exact=True).fill("5")
    assert "ε = 14,600 at most" in said(page)
    page.get_by_label("your events in each", exact=True).fill("half")
    assert "No verdict" in said(page)
    page.get_by_label("your events in each, slide").press("Home")
    page.get_by_label("your time, in days, slide").press("Home")
    page.wait_for_function(
        "document.querySelector('[role=status]').textContent.startsWith('After one publication: ε = 4 ')"
    )


def test_a_bound_is_rounded_up_and_a_large_delta_is_named(opened):
    """The third digit isn't lost downwards: 17.143 is at most 17.2, 0.1 is at most 0.100."""
    page = opened()
    rounded = {17.143: "17.2", 0.1: "0.100", 2.882: "2.89", 4.0: "4", 99.95: "100.0", 182.5: "183"}
    for value, words in rounded.items():
        assert ask(page, "it.atMost(argument)", value) == words
    page.get_by_label("Whose data", exact=True).select_option("person")
    page.get_by_label("How often", exact=True).select_option("once")
    page.get_by_label("ε", exact=True).fill("1")
    page.get_by_label("δ", exact=True).fill("0.01")
    assert "A δ of 0.01 lets one row in 100 be published as it is." in said(page)
    page.get_by_label("δ", exact=True).fill("1e-6")
    assert "as it is" not in said(page)


def test_another_period_forgets_how_many_times_and_clear_forgets_all(opened):
    page = opened()
    page.get_by_label("How often", exact=True).select_option("week")
    page.get_by_label("How many times", exact=True).fill("10")
    page.get_by_label("How often", exact=True).select_option("once")
    assert page.get_by_label("How many times", exact=True).input_value() == "1"
    page.get_by_role("button", name="Clear").click()
    assert "This can't be judged: no ε, and no ρ." in said(page)
    assert page.get_by_label("Whose data", exact=True).input_value() == ""


def test_the_letter_says_nothing_that_is_meant_for_whoever_types(opened):
    page = opened()
    page.get_by_label("ε", exact=True).fill("4 per query, refreshed monthly")
    page.get_by_role("button", name="A letter with the open questions").click()
    letter = page.get_by_role("textbox", name="A letter with the open questions").input_value()
    assert "isn't taken" not in letter and "No verdict" not in letter and "Until then we can't say" in letter


def test_letters_on_a_phone_are_at_least_twelve_pixels(opened):
    page = opened(width=360, has_touch=True, is_mobile=True)
    sizes = page.evaluate(
        """() => [...document.querySelectorAll(".sf-play-stage svg text")].map((text) => {
            const svg = text.ownerSVGElement;
            const shrunk = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
            return parseFloat(getComputedStyle(text).fontSize) * shrunk;
        })"""
    )
    assert min(sizes) >= 12


def test_a_claim_is_typed_by_keyboard_alone(opened):
    page = opened()
    page.get_by_label("Claim", exact=True).focus()
    for typed in ("2", "1e-6", "", "a", "r"):  # ε, δ, ρ; then a letter chooses: an event, replaced
        page.keyboard.press("Tab")
        page.keyboard.press("Control+a")
        page.keyboard.type(typed)
    chosen = {
        name: page.get_by_label(name, exact=True).input_value() for name in ("ε", "δ", "Whose data", "Changed how")
    }
    assert chosen == {"ε": "2", "δ": "1e-6", "Whose data": "event", "Changed how": "replace-one"}


def test_a_link_brings_a_claim_back(opened):
    page = opened()
    page.get_by_label("Whose data").select_option("event")
    page.get_by_label("How often").select_option("week")
    page.get_by_label("How many times").fill("3")
    page.get_by_label("δ", exact=True).fill("1/n")
    page.get_by_label("n, rows or people").fill("1000000")
    page.get_by_label("your events in each", exact=True).fill("7")
    page.get_by_label("your time, in days", exact=True).fill("45")
    state = page.evaluate(
        "[...document.querySelector('.sf-play').settings].map(([name, one]) => [name, String(one.read())])"
    )
    again = opened()
    again.evaluate(
        "state => state.forEach(([name, text]) => document.querySelector('.sf-play').settings.get(name).put(text))",
        state,
    )
    assert said(again) == said(page) and "publications" in said(page)


# ---------------------------------------------------------------- what is taken away


def test_four_texts_can_be_taken_away(opened):
    page = opened()
    whole(page, **{"How often": ""})
    for button, part in [
        ("The claim as a sentence", "If the data of one person (with all rows) are replaced"),
        ("A letter with the open questions", "1. How often is the price paid"),
        ("claim.json", '"how often"'),
        ("A card for the register", "privacy_unit: User-level"),
    ]:
        page.get_by_role("button", name=button, exact=True).press("Enter")
        assert part in page.locator("dialog textarea").input_value()
        page.keyboard.press("Escape")
        page.locator("dialog").wait_for(state="detached")


def test_the_files_are_read_by_programs(opened):
    yaml = pytest.importorskip("yaml")
    page = opened()
    page.get_by_label("Claim", exact=True).select_option("wikimedia-current")
    texts = ask(page, "['json', 'card'].map((name) => it.letter[name](it.state().claim, it.judged(), 'It’s 1: “a”'))")
    claim, card = json.loads(texts[0]), yaml.safe_load(texts[1])["deployment"]
    assert claim["claim"]["rho"] == 0.015 and claim["total"]["epsilon"] == pytest.approx(26.98, abs=0.01)
    assert card["privacy_loss"]["privacy_parameters"] == {"rho": 0.015} and card["model"]["model_name"] == "Central"
    assert card["dp_flavor"]["name"] == "Zero-concentrated DP" and card["product"]["name"] == "It’s 1: “a”"
