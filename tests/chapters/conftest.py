"""What the tests of every chapter start from."""

import pytest
from chapter_notebook import page_functions

import dp_helpers as dp


@pytest.fixture(scope="module")
def page(request):
    """The functions that the chapter named by the test file's CHAPTER defines."""
    return page_functions(request.module.CHAPTER)


@pytest.fixture(scope="module")
def census():
    """The embedded census; a chapter whose claims are tested on the real file, too, has its own."""
    return dp.load_census()
