"""Every page as axe-core sees it, in both themes, and what a keyboard and a screen reader need beyond its rules."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from site_pages import PAGES

AXE = Axe()
EVERYTHING_OPEN = "document.querySelectorAll('details').forEach(details => details.open = true)"
SET_THEME = "theme => document.documentElement.dataset.theme = theme"


def violations(page, **options):
    """Return what axe finds wrong, one line for each element."""
    found = AXE.run(page, options={"resultTypes": ["violations"], **options}).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {' '.join(map(str, node['target']))}: {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("name", [*PAGES, "search", "genindex", "404"])
def test_axe_finds_nothing_wrong(name, visit):
    page = visit(name, reduced_motion="reduce")
    assert not violations(page)
    page.evaluate(EVERYTHING_OPEN)
    assert not violations(page)
    page.evaluate(SET_THEME, "dark")
    assert not violations(page, runOnly=["color-contrast", "link-in-text-block"])
