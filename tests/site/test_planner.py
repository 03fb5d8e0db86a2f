"""The planner: it counts as `dp.plan_group_counts` does, its programs run, and it can be worked by mouse and keys."""

import subprocess
import sys

import numpy as np
import pytest
from chapters.chapter_notebook import BOOK
from one_figure import ask, said, write_page

import dp_helpers as dp

SCRIPTS = ["numbers.js", "judging.js", "asking.js", "claim-letter.js", "planning.js", "plan-code.js"]
START = {"people": "5,000", "groups": "824", "share": "25%", "middle": "3", "tenth": "14", "hundredth": "45"}
START |= {"counted": "people", "rowsMiddle": "1", "rowsTenth": "3", "rowsHundredth": "6", "list": "found"}
START |= {"delta": "10^-6", "period": "month", "whole": "10"}


@pytest.fixture
def opened(offline_context, tmp_path):
    """Open a page with the planner alone; ``figure.play`` is what its script returns."""

    def open_page(**options):
        (tmp_path / "judge.html").touch()  # where a claim goes on
        page = write_page(tmp_path, "plan", {"visits": START, "start": START, "judge": "judge.html"}, SCRIPTS)
        opened = offline_context(**options).new_page()
        opened.goto(page.as_uri())
        opened.wait_for_selector("[data-ready]")
        return opened

    return open_page


def test_the_page_plans_as_the_package_does(opened):
    page, rng = opened(), np.random.default_rng(574)
    for _ in range(40):
        groups = int(rng.integers(2, 3000))
        in_groups = np.sort(rng.integers(1, 60, 3)).tolist()
        rows = np.sort(rng.integers(1, 20, 3)).tolist()
        share, people = float(rng.uniform(0.01, 0.9)), int(rng.integers(10, 10**6))
        most_rows = int(rng.integers(1, 8)) if rng.random() < 0.5 else None
        bound = {"most_groups": int(rng.integers(1, 40)), "most_rows": most_rows}
        epsilon, delta = float(rng.uniform(0.05, 8)), 1e-6 if rng.random() < 0.7 else None
        given = {"groups": groups, "groupsOfAPerson": in_groups, "rowsInAGroup": rows, "largestShare": share}
        asked = {"people": people, "mostGroups": bound["most_groups"], "mostRows": most_rows}
        asked |= {"epsilon": epsilon, "delta": delta}
        found = ask(page, "it.plan(it.twin(argument[0]), argument[1])", [given, asked])
        plan = dp.plan_group_counts(
            people=people, groups=groups, groups_of_a_person=tuple(in_groups), rows_in_a_group=tuple(rows),
            largest_share=share, **bound, epsilon=epsilon, delta=delta,
        )  # fmt: skip
        for name in ("people", "groups", "kept", "appears"):
            assert found[name] == pytest.approx(getattr(plan, name), rel=1e-6, abs=1e-9), name
        assert (found["threshold"] is None) == (plan.threshold is None)
        for name in ("published", "dropped", "scale", "width", *(["threshold"] if delta else [])):
            assert found[name] == pytest.approx(getattr(plan, name), rel=1e-6, abs=1e-9), name
        assert found["droppedOfHeavy"] == pytest.approx(plan.dropped_of_heavy, rel=1e-6, abs=1e-9)
        if found["known"] != plan.known:  # a sum at a whole number
            assert abs(found["known"] - plan.known) <= 1


@pytest.mark.parametrize(
    ("epsilon", "delta", "whole"), [(1, 0, 10), (0.1, 0, 10), (0.5, 1e-6, 3), (0.01, 1e-9, 1), (5, 0, 1)]
)
def test_a_budget_lasts_as_long_as_the_package_says(opened, epsilon, delta, whole):
    lasts = ask(opened(), "it.lasts(...argument)", [epsilon, delta, whole])

    def spent(times):
        claim = {"epsilon": epsilon, "delta": delta, "unit": "person", "period": "once"}
        return dp.judge_claim(**claim, times=times).total[0] if times else 0

    assert spent(lasts) <= whole * (1 + 1e-9) < spent(lasts + 1)


def run_program(code, folder):
    rng = np.random.default_rng(575)
    rows = [f"{person},g{int(group)}" for person in range(900) for group in rng.geometric(0.5, size=3)]
    (folder / "data.csv").write_text("person,group\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, env={"PYTHONPATH": str(BOOK.parent)}
    )


@pytest.mark.parametrize("listed", ["found", "public"])
@pytest.mark.parametrize(
    ("library", "needs"),
    [("dpHelpers", "dp_helpers"), ("opendp", "polars"), ("pipelinedp", "pipeline_dp"), ("tumult", "tmlt.analytics")],
)
def test_the_programs_run(opened, tmp_path, library, needs, listed):
    page = opened()
    page.get_by_label("The list of groups").select_option(listed)
    code = ask(page, f"it.code.{library}(it.now().asked)")
    compile(code, library, "exec")
    pytest.importorskip(needs)
    done = run_program(code.replace("[...]", '["g1", "g2"]'), tmp_path)
    assert done.returncode == 0, done.stderr
    assert "g1" in done.stdout


def test_it_says_what_it_cant_read_and_plans_nothing_over_it(opened):
    page = opened()
    for label, text, part in [
        ("How many people", "many", "How many people"),
        ("In the largest group", "25", "such as 25%"),
        ("… of 1 in 10", "2", "must rise"),
        ("δ of a publication", "auto", "auto"),
        ("δ of a publication", "0", "above 0"),
        ("ε in all", "10 a year", "10 a year"),
    ]:
        field = page.get_by_label(label, exact=True).first
        before = field.input_value()
        field.fill(text)
        assert part in said(page) and "published:" not in said(page), label
        assert page.get_by_role("button", name="Judge this claim").is_disabled()
        field.fill(before)
        assert "groups are published" in said(page)


def test_sliding_changes_the_plan_by_mouse_and_keys(opened):
    page = opened()
    table = page.locator("table").inner_text()
    before = said(page)
    page.get_by_label("ε, one publication, slide").press("End")
    page.wait_for_function("before => document.querySelector('[role=status]').textContent !== before", arg=before)
    assert page.locator("table").inner_text() != table
    page.get_by_label("groups a person counts in", exact=True).fill("11")
    assert ask(page, "it.now().asked.mostGroups") == 11
    page.get_by_label("δ of a publication").fill("1/n")
    assert ask(page, "it.now().asked.delta") == pytest.approx(1 / 5000)


@pytest.mark.parametrize("width", [1280, 360])
def test_it_fits_and_letters_can_be_read(opened, width):
    page = opened(width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    sizes = page.evaluate(
        """() => [...document.querySelectorAll(".sf-play-stage svg text")].map((text) => {
            const svg = text.ownerSVGElement;
            const shrunk = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
            return parseFloat(getComputedStyle(text).fontSize) * shrunk;
        })"""
    )
    assert min(sizes) >= 12


def test_the_claim_goes_on_into_the_calculator_without_gaps(opened):
    page = opened()
    page.get_by_role("button", name="Judge this claim").click()
    page.wait_for_url("**/judge.html#fig-claim?*", wait_until="commit")
    settings = dict(part.split("=") for part in page.url.split("?")[1].split("&"))
    assert settings["epsilon"] == "1" and settings["unit"] == "person" and settings["period"] == "month"
    for gap in ("neighbours", "publications", "model", "exceptions", "delta"):
        assert settings[gap], gap
