"""How cost grows with people and answers, in memory that does not."""

import time
import tracemalloc

import numpy as np

import dp_helpers as dp

BATCH = 100_000  # people; estimates of batches add up to that of all of them
SIZES = [(10_000, 91), (100_000, 91), (1_000_000, 91), (10_000_000, 91), (1_000_000, 1_000), (100_000, 10_000)]


def table() -> list[str]:
    """Return rows of Markdown: people, answers, and seconds and megabytes of OUE, faithfully and from counts."""
    rng = np.random.default_rng(5)
    lines = [
        "| people | answers | faithful: s | peak memory: MB | from counts: ms |",
        "| --- | --- | --- | --- | --- |",
    ]
    for n, d in SIZES:
        protocol = dp.UnaryEncoding.optimized(range(d), 1.0)
        values = rng.integers(0, d, n)
        counts = np.bincount(values, minlength=d)

        def survey(protocol=protocol, values=values):
            return sum(protocol.estimate(values[i : i + BATCH], rng) for i in range(0, len(values), BATCH))

        seconds = _seconds(survey)
        tracemalloc.start()
        survey()
        megabytes = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        quick = 1000 * _seconds(lambda p=protocol, c=counts, n=n: p.simulate(c, n, rng))
        lines.append(f"| {n:,} | {d:,} | {seconds:.3g} | {megabytes:.0f} | {quick:.2g} |")
    return lines


def _seconds(call) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start
