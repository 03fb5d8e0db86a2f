"""Score answers to the reviews: ``python score.py answers.jsonl``, a line for each: {"name", "verdict", "line"}."""

import json
import sys
from pathlib import Path

asked, given = (
    {one["name"]: one for one in map(json.loads, path.read_text("utf-8").splitlines())}
    for path in (Path(__file__).with_name("reviews.jsonl"), Path(sys.argv[1]))
)
verdicts = [name for name, one in given.items() if one["verdict"] == asked[name]["verdict"]]
lines = [name for name in verdicts if given[name].get("line") in asked[name]["right_lines"]]
print(f"{len(verdicts)} verdicts right, {len(lines)} of them with the line, of {len(asked)}")
