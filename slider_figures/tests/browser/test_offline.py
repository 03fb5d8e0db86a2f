"""A page that tests have one after the other is, to each, a new one."""

import pytest

from .offline import OfflineContexts

LEAVE = """localStorage.setItem("answered", "all");
addEventListener("beforeunload", () => sessionStorage.setItem("scrolled", "far"));"""
STATE = """() => [location.href, localStorage.length, sessionStorage.length, innerWidth,
  ...["(prefers-color-scheme: dark)", "print", "(hover: hover)"].map((query) => matchMedia(query).matches)]"""


def test_what_a_test_leaves_in_a_page_is_gone_for_the_next(browser, serve, tmp_path):
    (tmp_path / "page.html").write_text('<link rel="icon" href="data:,"><title>A page</title>', encoding="utf-8")
    first = OfflineContexts(browser)
    page = first.page(width=700, color_scheme="dark")
    page.goto(f"{serve(tmp_path)}/page.html")
    page.evaluate(LEAVE)
    page.emulate_media(media="print", color_scheme="light")
    page.context.new_page()
    page.context.new_cdp_session(page).send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    page.evaluate("console.error('wrong')")
    first.end()
    assert first.problems == ["console: wrong"]

    second = OfflineContexts(browser)
    again = second.page(color_scheme="dark")
    assert again is page and again.context.pages == [again]
    assert again.url == "about:blank"
    again.goto(f"{serve(tmp_path)}/page.html")
    assert again.evaluate(STATE) == [again.url, 0, 0, 1280, True, False, True]
    other = second.page(color_scheme="dark")
    assert other is not again  # each of a test's pages is its own
    second.end()
    assert not second.problems


def test_who_would_leave_something_for_the_next_is_told(offline_context):
    page = offline_context.page()
    for one in (page, page.context):
        with pytest.raises(AssertionError, match="open a context"):
            one.add_init_script("window.left = true")
        with pytest.raises(AssertionError, match="open a context"):
            one.on("dialog", print)
