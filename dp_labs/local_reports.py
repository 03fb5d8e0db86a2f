"""What the labs on local protocols share: coins that are each person's own, and protocols written by hand."""

from contextlib import ExitStack, contextmanager
from unittest import mock

import numpy as np

from dp_helpers.local.protocol import Protocol

from .judging import NotYet, fresh

SPREAD = 6.5  # standard deviations: a right answer strays farther with probability 8e-11


@contextmanager
def by_hand(what: str):
    """Let the package's protocols refuse meanwhile: the task is to write one."""
    refusal = NotYet(f"write {what} yourself: the package's protocols do this already.")
    with ExitStack() as stack:
        for cls in _concrete(Protocol):
            stack.enter_context(mock.patch.object(cls, "__init__", side_effect=refusal))
        yield


def judge_fresh_coins(survey, kinds: np.ndarray, who: str, surveys: int = 2_000) -> None:
    """Refuse coins that don't come from the generator, or that cells of a report or people share.

    Parameters
    ----------
    survey : callable
        Takes a generator and returns the reports as an array of zeros and ones.
    kinds : array of shape (cells,)
        The truth behind each cell; cells of one kind have the same chance of a one.
    who : str
        Who needs coins of their own: "person" or "bit".
    """
    runs = np.array([np.ravel(survey(np.random.default_rng(seed))) for seed in range(surveys)], dtype=float)
    fresh(survey)
    alike = "take all coins from rng: two different ones gave the same reports."
    if (runs == runs[0]).all():
        raise NotYet(alike)
    # Pairs first: shared coins also show in the spread.  A correlation of independent cells has the standard
    # deviation 1/sqrt(surveys); there may be some 2,000 pairs, each off by more with probability below 1e-10.
    varied = runs.std(axis=0) > 0
    together = np.corrcoef(runs[:, varied], rowvar=False)
    if abs(together - np.eye(len(together))).max() > 7.5 / np.sqrt(surveys):
        both = ", the first coin and the second" if who == "person" else ""
        raise NotYet(f"the reports hang together: every {who} needs coins of its own{both}.")
    observed = runs.mean(axis=0)
    for kind in np.unique(kinds):
        cells = observed[kinds == kind]
        usual = cells.mean()
        if abs(cells - usual).max() > SPREAD * np.sqrt(usual * (1 - usual) / surveys) + 1e-12:
            raise NotYet(f"some {who} says the same too often, whatever rng is: is one of the coins fixed?")
    # A sum of independent cells, or a difference, has the variance of their sum; its sample variance has a relative
    # standard deviation of sqrt(2 / surveys), 3%.
    expected = (observed * (1 - observed)).sum()
    for signs in (np.ones(kinds.size), np.where(kinds == kinds[0], 1, -1)):
        if not 0.78 < np.var(runs @ signs) / expected < 1.22:
            raise NotYet(f"the number of ones varies unlike that of independent coins: every {who} needs its own.")
    # Surveys that are the same in all cells: by chance so many pairs are, and 20 more with probability below 1e-10.
    by_chance = np.prod(observed**2 + (1 - observed) ** 2) * surveys**2 / 2
    times = np.unique(runs, axis=0, return_counts=True)[1]
    if (times * (times - 1)).sum() / 2 > 2 * by_chance + 20:
        raise NotYet(alike)


def leaves_alone(call, given: np.ndarray) -> None:
    """Refuse an answer that changes the array that it is given."""
    kept = given.copy()
    call(kept)
    if not np.array_equal(kept, given):
        raise NotYet("your function must leave its input as it is: it changed the array that it was given.")


def echo(draws: np.ndarray) -> float:
    """Return how much draws agree, or disagree, with others, forwards or backwards: so many deviations of fresh ones.

    Of 2^16 fresh ones it is above 9 with probability below 1e-9.
    """
    moved = draws - draws.mean()
    wave = np.fft.rfft(moved)
    forwards = np.fft.irfft(np.abs(wave) ** 2, len(moved))[1 : len(moved) // 2 + 1]
    backwards = np.fft.irfft(wave**2, len(moved)) / np.sqrt(2)  # each two draws meet twice
    most = max(np.abs(forwards).max(), np.abs(backwards).max())
    return float(most / max((moved**2).sum(), 1e-9) * np.sqrt(len(moved)))


def _concrete(cls) -> set:
    below = {found for child in cls.__subclasses__() for found in _concrete(child)}
    return below | {cls} if "__init__" in vars(cls) else below
