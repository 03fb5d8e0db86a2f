"""A browser that reaches no other host, for every test of what readers see."""

import pytest
from site_pages import SITE

from slider_figures.tests.browser.offline import browser, offline_context, pytest_runtest_teardown, serve
from tools.measure import chromium

__all__ = ["browser", "offline_context", "pytest_runtest_teardown", "serve"]


@pytest.fixture
def visit(offline_context, serve):
    """Open a page of the site, served or from its file, and wait until it is laid out and its sliders are ready."""

    def open_page(name, *, theme="light", address=None, scripts=True, **options):
        assert (SITE / f"{name}.html").is_file(), f"{name}.html is not built: make book"
        page = offline_context.page(java_script_enabled=scripts, color_scheme=theme, **options)
        page.goto(f"{address or serve(SITE)}/{name}.html", wait_until="load")
        if scripts:
            page.wait_for_function(chromium.READY)
        return page

    return open_page
