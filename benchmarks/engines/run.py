"""Answer one query by four engines, on tables of three sizes: `make engines`; README.md says what it needs.

Each answer is a process of its own, one after the other.  Give engines' names to measure those only; their rows in
dp_helpers/data/runs/engines.csv are replaced, each as soon as it is measured.
"""

import json
import os
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import pandas as pd
import psutil

from tools.make_visits import make_visits

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "dp_helpers" / "data" / "runs" / "engines.csv"
VISITS = ROOT / "_build" / "engines"
PEOPLE = [5_000, 102_300, 1_023_000]  # about 50,000 rows, a million and ten million
MOST_SECONDS = 900

# Where each engine's Python is, and the package whose version the table names.
ENGINES = {
    "dp_helpers": (".venv", "dp-helpers"),
    "opendp": (".venv-engines/opendp", "opendp"),
    "pipelinedp": (".venv-engines/pipelinedp", "pipeline-dp"),
    "tumult": (".venv-engines/tumult", "tmlt.analytics"),
}


def main() -> None:
    """Measure what the command line names, or everything, and print it."""
    for people in PEOPLE:
        path, rows = visits_of(people)
        for engine in sys.argv[1:] or ENGINES:
            measured = {"date": date.today().isoformat(), "rows": rows, "people": people, **answered(engine, path)}
            print(measured, flush=True)
            write(measured)


def visits_of(people: int) -> tuple[Path, int]:
    """Return a CSV file with the visits of so many people, made by the laws of the book's table, and its rows."""
    path = VISITS / f"visits-{people}.csv"
    if not path.exists():
        VISITS.mkdir(parents=True, exist_ok=True)
        make_visits(people).to_csv(path, index=False)
    with path.open("rb") as file:
        return path, sum(1 for _ in file) - 1


def answered(engine: str, path: Path) -> dict:
    """Return how one engine answers: time, memory, and how many pages it publishes, or why there is no answer."""
    environment, package = ENGINES[engine]
    python = ROOT / environment / "bin" / "python"
    asked = f"from importlib.metadata import version; print(version({package!r}))"
    version = subprocess.check_output([python, "-c", asked], text=True).strip()
    load = os.getloadavg()[0]
    script = Path(__file__).with_name(f"by_{engine}.py")
    said = VISITS / "said.txt"  # a file, because nobody reads a pipe while the process runs
    with said.open("w", encoding="utf-8") as file:
        process = psutil.Popen(
            [python, script, path],
            cwd=VISITS,
            stdout=file,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYSPARK_PYTHON": str(python)},
        )
        cpu, memory, in_time = watched(process)
    row = {"engine": engine, "version": version, "load": round(load, 1), "cpu_seconds": round(cpu, 1)}
    row |= {"megabytes": round(memory / 1e6)}
    if not in_time:
        return {**row, "seconds": MOST_SECONDS, "pages": 0, "outcome": "stopped"}
    lines = said.read_text(encoding="utf-8").splitlines()
    if process.returncode:
        raise RuntimeError("\n".join([f"{script.name} failed:", *lines]))
    found = json.loads(next(line for line in lines if line.startswith("{")))
    return {**row, "seconds": found["seconds"], "pages": found["pages"], "outcome": "finished"}


def watched(process: psutil.Popen) -> tuple[float, int, bool]:
    """Return CPU seconds and peak bytes of a process with its children, and whether it ended in time, or was ended."""
    start, cpu, most = time.monotonic(), {}, 0
    while process.poll() is None:
        family, memory = [process, *process.children(recursive=True)], 0
        for member in family:
            try:
                cpu[member.pid] = sum(member.cpu_times()[:2])
                memory += member.memory_info().rss
            except psutil.Error:  # it has just ended
                continue
        most = max(most, memory)
        if time.monotonic() - start > MOST_SECONDS:
            for member in reversed(family):
                member.kill()
            return sum(cpu.values()), most, False
        time.sleep(0.2)
    return sum(cpu.values()), most, True


def write(measured: dict) -> None:
    """Replace the row of this engine and this number of people in the table, which is in their order."""
    table = pd.DataFrame([measured])
    if TABLE.exists():
        old = pd.read_csv(TABLE)
        same = (old["engine"] == measured["engine"]) & (old["people"] == measured["people"])
        table = pd.concat([old[~same], table])
    table.sort_values(["people", "engine"]).to_csv(TABLE, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
