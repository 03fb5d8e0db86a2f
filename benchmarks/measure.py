"""What a comparison is, and how it is measured: CPU time, interleaved rounds, peak memory."""

import statistics
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field

ROUNDS = 5
SHORTEST = 0.02  # seconds: faster work is repeated until it takes as long


@dataclass(frozen=True)
class Contender:
    """One way of doing the work; ``share`` of it where the whole would take minutes, and cost is proportional."""

    name: str
    call: Callable[[], object]
    share: float = 1.0


@dataclass(frozen=True)
class Comparison:
    """Work that we do (the first contender), that peers do, and a physical limit that nobody can beat."""

    work: str
    ours: Callable[[], object]
    peers: list[Contender] = field(default_factory=list)
    floor: Contender | None = None
    faster: dict[str, float] = field(default_factory=dict)  # target: how many times faster than each peer
    floors: float | None = None  # target: at most so many times the floor's time
    seconds: float | None = None  # target: at most so many seconds
    megabytes: float | None = None  # target: at most so much memory beyond input and result

    def contenders(self) -> list[Contender]:
        """Return everybody who takes part, ourselves first."""
        return [Contender("dp_helpers", self.ours), *self.peers, *([self.floor] if self.floor else [])]


@dataclass(frozen=True)
class Measured:
    """Medians of one comparison: seconds of CPU time and peak megabytes by contender."""

    comparison: Comparison
    seconds: dict[str, float]
    megabytes: dict[str, float]


def measure(comparison: Comparison) -> Measured:
    """Run the contenders in turn, ``ROUNDS`` times, and then each once more to see its memory."""
    contenders = comparison.contenders()
    repeats = {contender.name: _repeats(contender) for contender in contenders}
    times = {contender.name: [] for contender in contenders}
    for _ in range(ROUNDS):
        for contender in contenders:
            times[contender.name].append(_seconds(contender, repeats[contender.name]))
    return Measured(
        comparison,
        {name: statistics.median(values) for name, values in times.items()},
        {contender.name: _megabytes(contender) for contender in contenders},
    )


def _seconds(contender: Contender, repeats: int) -> float:
    start = time.process_time()
    for _ in range(repeats):
        contender.call()
    return (time.process_time() - start) / repeats / contender.share


def _repeats(contender: Contender) -> int:
    """Return how often the work must be done to be measurable; the first call, which may compile, does not count."""
    contender.call()
    once = _seconds(contender, 1) * contender.share
    return max(1, round(SHORTEST / max(once, 1e-6)))


def _megabytes(contender: Contender) -> float:
    """Return the peak of what Python and NumPy allocate; what a library in another language does is not seen."""
    tracemalloc.start()
    contender.call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20
