"""How much a box may use: the processor time, memory and files of all its processes together.

Time is the processor's, so that a busy computer doesn't change marks. A process that sleeps is waited for as long as
one that computes.
"""

import contextlib
import math
import os
import signal
import time
from pathlib import Path

import psutil

INTERVAL = 0.25  # seconds between two looks
MEMORY = 3 << 30  # bytes, of all processes of a box together
FILES = 2_000  # of a box, folders included
SLOWEST = 8  # times its processor time is what a process may take by the clock; no honest answer takes so long


class Excess(OSError):
    """The processes together hold more memory, or more files, than they may."""


class Meter:
    """Watches a process, and all that it starts.

    Parameters
    ----------
    pid : int
        The process.
    """

    def __init__(self, pid: int):
        self._pid, self._tree, self._frozen = pid, [psutil.Process(pid)], set()
        self.allow(0)

    def allow(self, seconds: float, until: float = math.inf):
        """Begin to count: so many seconds may be used, or slept, from now on, none after a moment of the clock."""
        self._seconds, self._until, self._idle = seconds, min(until, time.monotonic() + SLOWEST * seconds), 0.0
        self._first = self._before = self._used()
        self._looked = time.monotonic()

    def freeze(self):
        """Stop all the processes until `thaw`: while the grader computes, they neither compute nor allocate."""
        while new := set(self._below()) - self._frozen:  # one that was just starting another is stopped by now
            self._frozen |= new
            _signal(new, signal.SIGSTOP)

    def thaw(self):
        """Let the processes go on."""
        _signal(self._frozen, signal.SIGCONT)
        self._frozen = set()

    def end(self):
        """End all the processes, the stopped ones too."""
        _signal(self._frozen.union(self._below()), signal.SIGKILL)

    def _below(self):
        """Return the numbers of the process and of all that it has started; quick, since every question asks it."""
        found = [self._pid]
        for pid in found:
            with contextlib.suppress(OSError):  # it may end while it is looked at, as may each of its threads
                for children in Path(f"/proc/{pid}/task").glob("*/children"):
                    with contextlib.suppress(OSError):
                        found += map(int, children.read_text(encoding="ascii").split())
        return found

    def spent(self) -> float:
        """Return the seconds that were used, or slept, since the last `allow`."""
        return max(self._used() - self._first, self._idle)

    def tick(self):
        """Look at the processes, if it is time to.

        Raises
        ------
        TimeoutError
            If they have used, or slept, more seconds than were allowed.
        Excess
            If they hold too much memory or too many files.
        """
        now = time.monotonic()
        passed = now - self._looked
        if passed < INTERVAL:
            return
        used, running = self._used(), self._look()
        if not running:
            # Where a busy computer kept the grader itself from looking, an answer may have been there for long.
            self._idle += max(0.0, min(passed, 2 * INTERVAL) - (used - self._before))
        self._looked, self._before = now, used
        if self.spent() > self._seconds or now > self._until:
            raise TimeoutError("no answer in time")

    def _used(self):
        """Return the seconds that the processes have used so far.

        Who was started since is looked for each time: else a later look would charge its whole past to one call.
        """
        known = {process.pid: process for process in self._tree}
        total, self._tree = 0.0, []
        for pid in self._below():
            with contextlib.suppress(psutil.Error):
                process = known.get(pid) or psutil.Process(pid)
                self._tree.append(process)
                total += sum(process.cpu_times()[:4])  # its own, and that of the processes it has waited for
        return total

    def _look(self):
        """Count what the found processes hold, and tell whether one of them is at work or waits for the disk."""
        memory, running = 0, False
        for process in self._tree:
            with contextlib.suppress(psutil.Error):
                memory += process.memory_info().rss
                running |= process.status() in (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP)
        if memory > MEMORY:
            raise Excess(f"its processes held more than {MEMORY >> 30} GB of memory together")
        if self._files() > FILES:
            raise Excess(f"it made more than {FILES:,} files")
        return running

    def _files(self):
        """Return how many files lie in the box's own folder, 0 where it has none."""
        for process in reversed(self._tree):
            with contextlib.suppress(OSError):
                disk = os.statvfs(f"/proc/{process.pid}/root/submission")
                return disk.f_files - disk.f_ffree
        return 0


def _signal(pids, number):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
