"""A page on a phone, 360 pixels wide: what scrolls shows that it does, a swipe scrolls; `looks` has what is cut."""

from site_pages import CHAPTERS


def test_the_fade_goes_where_the_end_is_reached(visit):
    page = visit(CHAPTERS[2], width=360)
    # The element itself: once it is scrolled, the locator would find the next one.
    box = page.locator("article pre.cut-right:visible").first.element_handle()
    box.evaluate("box => box.scrollTo(1e6, 0)")
    page.wait_for_function("box => box.matches('.cut-left:not(.cut-right)')", arg=box)


def test_a_heading_that_fills_its_line_has_no_empty_line(visit):
    page = visit(CHAPTERS[2], width=360)
    for heading in page.locator("article :is(h2, h3)").all():
        before = heading.bounding_box()["height"]
        heading.locator(".headerlink").evaluate_all("links => links.forEach((link) => link.remove())")
        assert heading.bounding_box()["height"] == before


def test_a_swipe_that_starts_on_a_slider_scrolls_and_leaves_its_value(visit):
    page = visit(CHAPTERS[2], width=360, has_touch=True)
    slider = page.locator(".sf-explore input[type=range]").first
    slider.scroll_into_view_if_needed()
    value, place, above = slider.input_value(), slider.bounding_box(), page.evaluate("scrollY")
    touch = page.context.new_cdp_session(page)
    x, y = place["x"] + 0.2 * place["width"], place["y"] + place["height"] / 2
    for step in range(12):
        kind = "touchStart" if step == 0 else "touchMove"
        points = [{"x": x, "y": y - 12 * step}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function("above => scrollY > above + 50", arg=above)
    assert slider.input_value() == value
