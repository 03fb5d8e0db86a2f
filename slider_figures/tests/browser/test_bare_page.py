"""The README's example, outside of any book: a page of bare HTML whose figure moves, and no other host is asked."""

import re
import runpy
from pathlib import Path

import pytest
from matplotlib import pyplot as plt

README = Path(__file__).resolve().parents[2] / "README.md"
PUT = """(input, at) => {
  input.value = at;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}"""


@pytest.fixture
def page(tmp_path, monkeypatch, offline_context):
    """Run the example as it is printed, in a folder of its own, and open the page that it writes."""
    program = tmp_path / "example.py"
    program.write_text(re.search(r"```python\n(.*?)```", README.read_text("utf-8"), re.S)[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIGURE_VENUE", "site")
    with plt.rc_context():
        runpy.run_path(program)
    page = offline_context().new_page()
    page.goto((tmp_path / "page.html").as_uri())
    page.wait_for_selector(".sf-explore[data-ready]")
    return page


def seen(page, value):
    """Return what title and sentence say once the readout says ``value``, and where the curve lies."""
    page.wait_for_function("(value) => document.querySelector('output').textContent === value", arg=value)
    frame = page.locator(".sf-explore-frame")
    curve = frame.evaluate(
        "(frame) => [...frame.querySelectorAll('path')].map((path) => path.getAttribute('d')).join()"
    )
    return frame.get_by_text("Width").text_content(), frame.get_attribute("aria-label"), curve


def test_the_example_moves_without_a_server_and_says_what_it_shows(page):
    slider, curves = page.get_by_role("slider", name="width"), set()
    for at, value in ((4, "2"), (4.5, "2.13"), (8, "3")):  # two stops, and between two
        slider.evaluate(PUT, at)
        title, sentence, curve = seen(page, value)
        assert (title, sentence) == (f"Width {value}", f"A bell of width {value}.")
        curves.add(curve)
    assert len(curves) == 3
    page.locator("[aria-live=polite]").get_by_text("A bell of width 3.").wait_for(state="attached")
