"""The query that every engine answers, and how one answer is timed.

How many people visited each page: at most MOST_PAGES pages of a person, and one row on each.  The list of pages is
private.  (EPSILON, DELTA)-differentially private, neighbours add/remove one person with all rows.
"""

import json
import sys
import time
from collections.abc import Callable

EPSILON, DELTA, MOST_PAGES = 1.0, 1e-6, 3


def answer(count: Callable[[str], dict]) -> None:
    """Answer the query on the CSV file that the command line names, and print how long it took, as JSON.

    ``count`` takes the path and returns the published number of people by page.  Reading the file is part of the time;
    the start of Python, and the imports, aren't.
    """
    start = time.perf_counter()
    published = count(sys.argv[1])
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": round(seconds, 2), "pages": len(published), "people": round(sum(published.values()))}))
