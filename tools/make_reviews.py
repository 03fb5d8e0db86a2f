"""The changes to review as a file for programs: ``python -m tools.make_reviews FOLDER`` writes ``reviews.zip``."""

import json
import sys
import zipfile
from pathlib import Path

from reviews.review import load
from tools.make_downloads import LONG_AGO

ZIP = "reviews.zip"
BESIDE = Path(__file__).with_name("reviews")
FOR_ALL = (
    "The code before the change kept its promise, and the promise is for all that is returned. ε, the code and all "
    "arguments but the data are public. The generator rng draws what nobody outside can predict, unless the code shows "
    "something else. rng.laplace(scale=b) draws Laplace noise. Look away from the last bits of floats and from the "
    "time that a program takes, unless the promise names them."
)


def main(folder: Path) -> None:
    """Write the file with the items, the scorer, and what both are good for."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(entry(item), ensure_ascii=False) + "\n" for item in load()]
    files = {"reviews.jsonl": "".join(lines)}
    files |= {name: (BESIDE / name).read_text(encoding="utf-8") for name in ("README.md", "score.py")}
    with zipfile.ZipFile(folder / ZIP, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(f"reviews/{name}", LONG_AGO), content, zipfile.ZIP_DEFLATED)


def entry(item) -> dict:
    """Return what a line says of a change."""
    review = item.review
    return {
        "name": item.name,
        "for_all": FOR_ALL,
        "said": review.change,
        "promise": review.promise,
        "whose": review.unit,
        "public": review.public,
        "change": item.diff(),
        "first_ten": review.first,
        "verdict": review.verdict,
        "right_lines": item.right_lines(),
        "kind": review.kind,
        "reason": review.reason,
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
