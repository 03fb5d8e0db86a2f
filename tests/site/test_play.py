"""Figures that the page computes: their formulas and the laws of their samples are those of the package."""

import itertools
import re

import numpy as np
import pytest
from one_figure import FRAME, ask, put_in_by_sliding, write_page
from scipy import stats
from thorough import sample

import dp_helpers as dp

ASKING = ["numbers.js", "judging.js", "asking.js", "claim-letter.js"]
FAILURE = 1e-6
DATA = {
    "front": {"youngest": 17, "counts": [3000] * 72 + [1, 0], "start": 0.015},
    "two-worlds": {},
    "coins": {},
    "stream": {"answers": [2, 4, 3, 9, 2, 8], "threshold": 7, "range": [-10, 20]},
    "claim": {
        "start": "visits",
        "cards": [
            {
                "name": "visits",
                "label": "visits, each",
                "epsilon": 0.5,
                "delta": 0,
                "unit": "event",
                "period": "day",
                "neighbours": "add/remove",
                "model": "central",
            },
            {"name": "bare", "label": "a number alone", "epsilon": 4},
        ],
    },
}
RANDOM = [name for name in DATA if name != "claim"]


@pytest.fixture
def opened(offline_context, tmp_path):
    """Open a page that holds one figure; ``figure.play`` is what its script returns."""

    def open_page(name, seed=7, **options):
        page = write_page(tmp_path, name, DATA[name], ASKING)
        opened = offline_context.page(**options)
        opened.goto(f"{page.as_uri()}?seed={seed}")
        if options.get("java_script_enabled", True):
            opened.wait_for_selector("[data-ready]")
        return opened

    return open_page


def put(page, slider, value):
    """Move a slider as a reader does, and wait for the frame that follows."""
    ask(page, f"(it.{slider}.put(argument), 0)", value)
    page.evaluate(
        """() => new Promise((done) => {
            document.querySelectorAll("input").forEach((input) => input.dispatchEvent(new Event("input")));
            requestAnimationFrame(() => requestAnimationFrame(done));
        })"""
    )


@pytest.mark.parametrize("name", DATA)
def test_without_scripts_the_still_picture_stands(opened, name):
    assert opened(name, java_script_enabled=False).locator(".sf-play-still").is_visible()
    page = opened(name, width=360)
    assert not page.locator(".sf-play-still").is_visible()
    assert page.locator("svg[role=img]").first.get_attribute("aria-label")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_colours_that_games_take_for_true_private_and_neither_are_the_books(opened):
    assert opened("coins").evaluate("[play.BLUE, play.ORANGE, play.GREY]") == [dp.TRUE, dp.PRIVATE, dp.NEUTRAL]


@pytest.mark.parametrize("name", sample(RANDOM, every=2))
def test_a_seed_makes_it_repeatable_and_every_button_works_by_keyboard(opened, name):
    seen = []
    for seed in (7, 7, 8):
        page = opened(name, seed)
        for _ in range(2):
            for button in page.locator("button").all()[:3]:
                if button.is_visible() and button.is_enabled():
                    button.press("Enter")
        seen.append(page.locator(".sf-play-stage").inner_html())
    first, again, other = ("".join(c for c in html if c.isdigit()) for html in seen)
    assert first == again != other


@pytest.mark.parametrize(("name", "width"), sample([(name, width) for name in DATA for width in (700, 360)], every=2))
def test_nothing_jumps_and_a_slider_changes_the_picture(opened, name, width):
    page = opened(name, width=width)
    heights, pictures = [], []

    def look(moved):
        heights.append(page.evaluate("document.querySelector('.sf-play-stage').offsetHeight"))
        if moved:
            pictures.append(page.evaluate("document.querySelector('.sf-play-stage svg').innerHTML"))

    def move_all():
        for slider in page.get_by_role("slider").all():
            for key in ("End", "Home", "PageUp"):
                slider.press(key)
                page.evaluate(FRAME)
                look(moved=True)

    move_all()
    for button in page.locator("button:visible").all():
        if button.is_enabled() and button.inner_text() not in ("Start again", "Clear"):
            button.click()
            if page.locator("dialog").count():  # a text to take away, over the page
                page.keyboard.press("Escape")
                page.locator("dialog").wait_for(state="detached")
            look(moved=False)
    move_all()
    assert len(set(heights)) == 1
    assert all(before != after for before, after in itertools.pairwise(pictures))


@pytest.mark.parametrize("name", DATA)
def test_a_slider_that_moves_changes_what_is_there(opened, name):
    page = opened(name, width=360)
    if name in RANDOM:
        for button in page.locator("button:visible").all()[:2]:  # after a draw there is more that might be made anew
            button.click()
    assert put_in_by_sliding(page) == []


def test_laplace_noise_has_its_law(opened):
    page = opened("two-worlds")
    draws = page.evaluate(
        "() => { const r = play.generator(3); return Array.from({length: 20000}, () => play.laplace(r, 2)); }"
    )
    assert stats.kstest(draws, stats.laplace(scale=2).cdf).pvalue > FAILURE
    assert abs(stats.spearmanr(draws[:-1], draws[1:]).statistic) < 5 / np.sqrt(20_000)


def test_the_front_pages_table_has_laplace_noise_on_each_count(opened):
    page, truth = opened("front"), np.array([*[3000] * 19, 3001, *[3000] * 52, 1, 0])  # you are 36
    put(page, "privacy", 0.01)
    tables = np.array(ask(page, "[...Array(300)].map(() => (it.publish(true), it.table()))"))
    assert tables.min() == 0 and (tables == np.round(tables)).all()
    noise = tables[:, :72] - truth[:72]  # of counts that never come down to 0
    # A rounded number is half a person off, which moves the law by less than 1/400.
    assert stats.kstest(noise.ravel(), stats.laplace(scale=100).cdf).statistic < 1 / 400 + np.sqrt(
        np.log(2 / FAILURE) / (2 * noise.size)
    )
    assert abs(stats.spearmanr(noise[:, 0], noise[:, 1]).statistic) < 5 / np.sqrt(300)


def test_the_front_page_says_what_its_table_says(opened):
    page, truth = opened("front"), np.array([*[3000] * 19, 3001, *[3000] * 52, 1, 0])
    for epsilon in (0.001, 0.015, 0.1, 1, 5):
        put(page, "privacy", epsilon)
        table = np.array(ask(page, "it.table()"))
        counts, verdict = page.locator("[role=status]").all_inner_texts()
        told, off = (
            float(number.replace(",", "")) for number in re.findall(r"(?:says|are) ([\d,]+(?:\.\d)?)[; ]", counts)[-2:]
        )
        assert counts.startswith("You and 3,000 others are 36.") and told == table[19]
        assert off == pytest.approx(np.abs(table - truth).mean(), abs=0.51)
        surest = np.exp(epsilon) / (1 + np.exp(epsilon))  # what nobody passes who began at one half
        (said,) = re.findall(r"becomes ([\d.]+)% at most", verdict)
        assert 100 * surest <= float(said) < 100 * surest + 0.1 and ask(
            page, "it.surest(argument)", epsilon
        ) == pytest.approx(surest)
        useful, private = 1 / epsilon <= 3000 * 72 / 74 / 5, surest <= 0.55
        assert useful or private
        assert verdict.startswith(
            "Useful and private:" if useful and private else "Private, but not" if private else "Useful, but not"
        )


def test_a_hand_on_the_slider_draws_noise_that_then_scales_with_it(opened):
    page = opened("front")
    put(page, "privacy", 0.05)
    before = np.array(ask(page, "it.table()"))
    put(page, "privacy", 0.01)
    after = np.array(ask(page, "it.table()"))
    assert after[:19] - 3000 == pytest.approx(5 * (before[:19] - 3000), abs=3)
    page.get_by_label("ε").press("ArrowRight")
    page.evaluate(FRAME)
    assert np.abs(stats.pearsonr(ask(page, "it.table()")[:19], after[:19]).statistic) < 0.9


def test_a_tap_on_the_front_pages_picture_says_how_old_you_are(opened):
    page = opened("front", width=700)
    box = page.locator("svg[role=img]").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 33.5 / 74, box["y"] + box["height"] / 2)
    assert page.get_by_label("your age").get_attribute("aria-valuetext") == "50"
    assert "You and 3,000 others are 50." in page.locator("[role=status]").first.inner_text()


@pytest.mark.parametrize("name", DATA)
def test_no_letter_is_cut_on_a_phone(opened, name):
    page = opened(name, width=360, has_touch=True, is_mobile=True)
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".sf-play-stage svg text")].filter((text) => {
            const [own, box] = [text, text.ownerSVGElement].map((one) => one.getBoundingClientRect());
            const hidden = !text.textContent || getComputedStyle(text).visibility === "hidden";
            const aside = Math.max(box.left - own.left, own.right - box.right);
            return !hidden && Math.max(aside, box.top - own.top, own.bottom - box.bottom) > 2;
        }).map((text) => text.textContent)"""
    )
    assert not cut


def test_two_worlds_density_and_attacker(opened):
    page = opened("two-worlds")
    for t, centre, scale in [(0, 0, 1), (3, 1, 2), (-4, 2, 0.5)]:
        assert ask(page, "it.density(...argument)", [t, centre, scale]) == pytest.approx(
            stats.laplace(centre, scale).pdf(t)
        )
    put(page, "privacy", 0.5)
    ask(page, "(it.rounds(20000), 0)")
    tally = ask(page, "it.tally()")
    exact = 1 - np.exp(-0.25) / 2
    assert tally["played"] == 20_000
    assert abs(tally["won"] / 20_000 - exact) < np.sqrt(np.log(2 / FAILURE) / 40_000)
    assert ask(page, "it.cap(0.5)") == pytest.approx(np.exp(0.5) / (1 + np.exp(0.5)))


def test_two_worlds_peak_can_be_dragged(opened):
    page = opened("two-worlds", width=700)
    place = page.locator("circle[r='9']").bounding_box()
    page.mouse.move(place["x"] + 9, place["y"] + 9)
    page.mouse.down()
    page.mouse.move(place["x"] + 69, place["y"] + 9)
    page.mouse.up()
    assert 3 < ask(page, "it.moved.value()") < 9


def test_two_worlds_peak_follows_a_finger(opened):
    page = opened("two-worlds", width=360, has_touch=True, is_mobile=True)
    place = page.locator("circle[r='9']").bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    session = page.context.new_cdp_session(page)
    for kind, to in [("touchStart", 0), *(("touchMove", k) for k in range(5, 41, 5))]:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x + to, "y": y}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function("document.querySelector('.sf-play').play.moved.value() > 3")
    # A mouse's click: Chromium takes a tap so soon after a swipe for the swipe's end.
    page.get_by_role("button", name="Play 10,000 rounds").click()
    assert "10,000 rounds won" in page.locator(".sf-play-stage").inner_text()


def test_coins_are_those_of_the_package(opened):
    page = opened("coins")
    for honest in (0.1, 0.5, 0.9):
        coins = dp.RandomizedResponse(truth=honest)
        assert ask(page, "it.epsilon(argument)", honest) == pytest.approx(coins.epsilon)
    put(page, "share", 0.3)
    put(page, "honest", 0.5)
    ask(page, "(it.repeat(200), 0)")
    share, honest = ask(page, "[it.share.value(), it.honest.value()]")
    chance = honest * share + (1 - honest) / 2
    deviation = np.sqrt(chance * (1 - chance) / 1000) / honest
    assert ask(page, "it.deviation(...argument)", [share, honest]) == pytest.approx(deviation)
    found = np.array(ask(page, "it.found()"))
    assert abs(found.mean() - share) < 6 * deviation / np.sqrt(200)
    assert found.std() / deviation == pytest.approx(1, abs=0.3)


def test_surveys_have_the_law_of_all_their_coins(opened):
    page, times = opened("coins"), 20_000
    for yes in (0.0725, 0.5, 0.9275):
        counts = np.sort(ask(page, "it.tallies(...argument)", [times, yes]))
        below = stats.binom(1000, yes).cdf(np.arange(1001))
        shares = np.searchsorted(counts, np.arange(1001), side="right") / times
        # Massart 1990: further off has a chance of 1e-6.
        assert np.abs(shares - below).max() < np.sqrt(np.log(2 / FAILURE) / (2 * times))
    put(page, "share", 0.9)
    put(page, "honest", 0.8)
    ask(page, "(it.more(1000), 0)")
    answers = ask(page, "it.answers()")
    share, honest = ask(page, "[it.share.value(), it.honest.value()]")
    assert abs(np.mean(answers) - ask(page, "it.chance(...argument)", [share, honest])) < np.sqrt(
        np.log(2 / FAILURE) / 2000
    )
    assert ask(page, "it.chance(0.9, 0.8)") == pytest.approx(0.8 * 0.9 + 0.2 / 2)


def test_a_slider_asks_as_many_again_with_fresh_noise(opened):
    page = opened("coins")
    ask(page, "(it.more(300), it.repeat(200), 0)")
    before = ask(page, "[it.answers(), it.found()]")
    put(page, "honest", 0.9)
    after = ask(page, "[it.answers(), it.found()]")
    assert [len(part) for part in after] == [300, 200] and after[0] != before[0] and after[1] != before[1]
    assert np.std(after[1]) < np.std(before[1]) / 1.3  # more honest answers, less noise: half of it

    page = opened("stream")
    ask(page, "(it.more(3), 0)")
    before = ask(page, "it.run()")
    put(page, "privacy", 4.9)
    after = ask(page, "it.run()")
    assert after["level"] != before["level"] and (after["stopped"] or len(after["seen"]) == len(before["seen"]))


def test_stream_stops_as_above_threshold_does(opened):
    """The law of the place where it stops is that of `dp.above_threshold` with the same answers."""
    page = opened("stream")
    put(page, "privacy", 1)
    places = ask(
        page, "[...Array(4000)].map(() => (it.start(), it.more(99), it.run().stopped ? it.run().seen.length - 1 : 6))"
    )
    rng = np.random.default_rng(5)
    answers = DATA["stream"]["answers"]
    ours = [dp.above_threshold(answers, threshold=7, epsilon=1, rng=rng) for _ in range(4000)]
    ours = [6 if place is None else place for place in ours]
    table = [np.bincount(places, minlength=7), np.bincount(ours, minlength=7)]
    assert stats.chi2_contingency(table).pvalue > FAILURE


# Goes with a slider from its first place to its last, as presses of an arrow key do, and returns of each place what it
# says and what the figure then reads.
PLACES = """async (slider) => {
  const settings = () => [...document.querySelector(".sf-play").settings.values()].map((one) => one.read());
  const seen = [[slider.ariaValueText, settings()]];
  while (slider.value !== slider.max && seen.length <= 60) {
    slider.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true }));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    seen.push([slider.ariaValueText, settings()]);
  }
  return seen;
}"""


@pytest.mark.parametrize("name", ["two-worlds", "stream", "front", "coins"])
def test_each_press_of_an_arrow_key_shows_another_value(opened, name):
    """From end to end in some fifty presses: a press that changes nothing looks like a broken slider."""
    page = opened(name)
    for slider in page.get_by_role("slider").all():
        slider.press("Home")
        page.evaluate(FRAME)
        places = slider.evaluate(PLACES)
        seen = [text for text, _ in places]
        assert len(seen) <= 55 and all(before != after for before, after in itertools.pairwise(seen))
        for text, settings in places[1:]:  # the figure computes with what is read, not with more digits
            said = float(text.strip("%")) / (100 if "%" in text else 1)
            assert any(value == pytest.approx(said) for value in settings), text
        for key, text in {"ArrowLeft": seen[-2], "Home": seen[0], "ArrowRight": seen[1]}.items():
            slider.press(key)
            page.evaluate(FRAME)
            assert slider.get_attribute("aria-valuetext") == text


def test_the_focus_goes_on_where_a_button_went(opened):
    page = opened("stream")
    page.get_by_role("button", name="Until it stops").press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Start again"
