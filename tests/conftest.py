import pytest
from chapters.chapter_notebook import page_functions
from real_census import real_census

import dp_helpers as dp


@pytest.fixture(scope="module", params=["embedded", "real"])
def census(request):
    """The census that the chapters run on: the embedded one and, where it lies beside the project, the real file."""
    return dp.load_census(real_census() if request.param == "real" else None)


@pytest.fixture(scope="module")
def page(request):
    """The functions that the page of this test module's ``CHAPTER`` defines."""
    return page_functions(request.module.CHAPTER)
