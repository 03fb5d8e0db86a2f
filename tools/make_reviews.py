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
    "The code before the change kept its promise, and the promise is for all that is returned. ε, δ, the code and all "
    "arguments but the data are public, whether they are in the change or not; of the data only what is named is. All "
    "numbers in them are finite. A generator that is passed in as rng draws what nobody outside can predict. "
    "rng.laplace(scale=b) draws Laplace noise. Look away from the last bits of floats and from the time that a program "
    "takes, unless the promise names them. It can't be said if what isn't shown can be filled in so that all this "
    "holds and the promise is kept, and also so that all this holds and it is broken. A line is one of the new code; "
    "where the promise is kept, any line will do."
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
