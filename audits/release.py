"""What is audited: one release of one library, on two neighbouring data sets."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Release:
    """A call of a library, what is claimed for it, and two data sets that the claim calls neighbours.

    Attributes
    ----------
    package : str
        As pip knows it.
    function : str
        The library's own name for what is called.
    query : str
        What a reader would call it: "count", "mean", ...
    relation : {"add/remove", "replace-one"}
        How the two data sets differ.
    promise : str
        What the library says about the relation, or how its noise implies one.
    run : callable
        Called with one of the two data sets; returns what is published.
    data, neighbour
        The two data sets.
    epsilon, delta : float
        The claim.
    trials : int
        Runs on each data set.
    covered : bool
        False where the promise can be read so that it doesn't cover this relation: then a larger proven epsilon breaks
        no promise.
    one, zero
        Two neighbouring data sets whose exact answers are 1 and 0, if the call publishes floats there; else None.  The
        last bits of the answers are looked at on these.
    """

    package: str
    function: str
    query: str
    relation: str
    promise: str
    run: Callable[[Any], Any]
    data: Any
    neighbour: Any
    epsilon: float = 1.0
    delta: float = 0.0
    trials: int = 8_000
    covered: bool = True
    one: Any = None
    zero: Any = None
