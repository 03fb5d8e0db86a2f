"""What travels before a reader sees a page: all that its first view loads, compressed as hosts do."""

from urllib.parse import unquote, urlsplit

import pytest
from site_pages import PAGES, SITE

from tools.measure.lighthouse import packed

MOST = 360_000  # 300,000 but for chapters 6, 15 and 19, whose sliders carry most numbers


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_light(name, offline_context, serve):
    page = offline_context().new_page()
    paths = set()
    page.on("request", lambda request: paths.add(unquote(urlsplit(request.url).path)))
    page.goto(f"{serve(SITE)}/{name}.html", wait_until="load")
    weights = {path: len(packed(SITE / path.lstrip("/"))[1]) for path in paths if (SITE / path.lstrip("/")).is_file()}
    assert len(weights) > 5
    heaviest = sorted(weights.items(), key=lambda item: -item[1])[:3]
    print(f"{name}: {sum(weights.values()) / 1000:.0f} kB; {heaviest}")
    assert sum(weights.values()) < MOST, heaviest
