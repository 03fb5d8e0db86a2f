"""An end for answers that don't end: a reader's loop without an exit is stopped and told so.

A kernel's thread is interrupted by a second thread, which works wherever Python has threads, on Windows too.  The
browser's Python has none: there, the running code looks at the clock itself.  What counts is the time that the
computer has worked, so that a busy machine turns no answer down; an answer that only waits has six times as long.
"""

import contextlib
import ctypes
import sys
import threading
import time
from collections.abc import Callable

SECONDS = 20.0
WAITING = 6


class TooLong(BaseException):
    """Raised inside an answer that has not returned in time; a reader's ``except Exception`` doesn't catch it."""


def within_time(call: Callable, seconds: float = SECONDS, stuck: Callable = lambda: None):
    """Return ``call()``, or raise TooLong once it has run for so long.

    A loop in compiled code, such as one huge NumPy operation, is interrupted only when it returns to Python: until
    then ``stuck()`` is called once, where there are threads and the operation lets others run.  One that holds
    Python's lock, such as a huge power of whole numbers, is told afterwards only: what a cell shows travels through
    this very Python, so that no other thread, signal or process could show it.
    """
    if sys.platform == "emscripten":
        return _watched_by_the_clock(call, seconds)
    return _watched_by_a_thread(call, seconds, stuck)


def _watched_by_a_thread(call, seconds, stuck=lambda: None):
    done, lock, reader = threading.Event(), threading.Lock(), ctypes.c_ulong(threading.get_ident())

    def watch():
        started, worked, sent = time.monotonic(), time.process_time(), 0
        while not done.wait(min(seconds, 0.2)):  # again and again: a bare ``except`` in the loop may swallow it
            if time.process_time() - worked < seconds and time.monotonic() - started < WAITING * seconds:
                continue
            with lock:
                if not done.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(reader, ctypes.py_object(TooLong))
                    sent += 1
                    if sent == 5:
                        stuck()

    threading.Thread(target=watch, daemon=True).start()
    try:
        return call()
    finally:
        settled = False
        while not settled:
            # One that was sent and has not arrived would strike somewhere else: it arrives in these lines.
            with contextlib.suppress(TooLong):
                with lock:
                    done.set()
                for _ in range(100):
                    pass
                settled = True


def _watched_by_the_clock(call, seconds):
    end = time.monotonic() + seconds

    def trace(frame, event, argument):
        if time.monotonic() > end:
            raise TooLong
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return call()
    finally:
        sys.settrace(before)
