"""Measure every comparison and write the table of README.md: `make bench`.

One process, one thread, peers and we in turn.  Give names of modules to measure those only and print them.
"""

import os

os.environ.update(
    dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"], "1")
)

import importlib
import importlib.metadata
import platform
import re
import sys
import warnings
from pathlib import Path

from measure import Measured, measure

MISSED = ", missed"
README = Path(__file__).with_name("README.md")
MODULES = ["local_protocols", "mechanisms", "tables", "grouping", "training", "exact_accounting"]
PACKAGES = """numpy pandas scipy multi-freq-ldpy pure-ldp diffprivlib opendp polars pycanon mbi torch opacus
    dp-accounting""".split()


def main() -> int:
    """Measure, print and, without arguments, write; return 1 if a peer is ahead, or a limit is missed twofold."""
    warnings.filterwarnings("ignore", module=r"(?!dp_helpers)")  # the peers' own
    rows = []
    for name in sys.argv[1:] or MODULES:
        for comparison in importlib.import_module(name).comparisons():
            rows.append("| " + " | ".join([comparison.work, *described(measure(comparison))]) + " |")
            print(rows[-1], flush=True)
    if not sys.argv[1:]:
        write("comparisons", ["| work | dp_helpers | memory | beside others (target) |", "| --- " * 4 + "|", *rows])
        write("growth", importlib.import_module("growth").table())
        write("versions", [versions()])
    return int(any(MISSED in row for row in rows))


def described(measured: Measured) -> list[str]:
    """Return the cells of a row; a target is missed where a peer is ahead, or a limit is passed twofold."""
    comparison, ours = measured.comparison, measured.seconds["dp_helpers"]
    beside = []
    for peer in comparison.peers:
        ratio, target = measured.seconds[peer.name] / ours, comparison.faster.get(peer.name)
        verdict = "" if target is None else f" ({target:g}x{MISSED * (ratio < 1)})"
        beside.append(f"{peer.name} {_times(ratio)}{verdict}")
    if comparison.floor:
        ratio, target = ours / measured.seconds[comparison.floor.name], comparison.floors
        verdict = "" if target is None else f" (at most {target:g}{MISSED * (ratio > 2 * target)})"
        beside.append(f"{ratio:.2g} times {comparison.floor.name}{verdict}")
    if comparison.seconds:
        beside.append(f"at most {_duration(comparison.seconds)}{MISSED * (ours > 2 * comparison.seconds)}")
    memory = measured.megabytes["dp_helpers"]
    if comparison.megabytes and memory > 2 * comparison.megabytes:
        beside.append(f"at most {comparison.megabytes:g} MB{MISSED}")
    return [_duration(ours), f"{memory:.3g} MB", "; ".join(beside)]


def write(part: str, lines: list[str]) -> None:
    """Replace what stands between the two markers of this part in README.md."""
    text = README.read_text(encoding="utf-8")
    begin, end = f"<!-- {part} -->", f"<!-- /{part} -->"
    body = "\n".join([begin, "", *lines, "", end])
    README.write_text(re.sub(f"{begin}.*?{end}", lambda _: body, text, flags=re.S), encoding="utf-8")


def versions() -> str:
    """Return what was measured on what."""
    named = [f"{name} {importlib.metadata.version(name)}" for name in PACKAGES]
    return f"Python {platform.python_version()}, {platform.machine()}; " + ", ".join(named) + "."


def _duration(seconds: float) -> str:
    milliseconds = 1000 * seconds
    return f"{milliseconds:,.0f} ms" if milliseconds >= 10 else f"{milliseconds:.2g} ms"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.1f}x"


if __name__ == "__main__":
    sys.exit(main())
