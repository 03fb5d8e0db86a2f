"""Mechanisms that look private and are not, each beside its honest twin: what an audit is for.

Every one of them has been published, taught or shipped by careful people; the mistakes are easy to make and hard to
see.  Each comes with two neighbours that bring the mistake out.  Where an output is reduced to one number or symbol
first, that is post-processing of what would be published, and can only hide the mistake.

Nothing here belongs into a release.  ``from dp_helpers import broken`` brings them in; they are no part of ``dp``.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dp_helpers import validation as check
from dp_helpers.audit import audit
from dp_helpers.continual import continual_counts
from dp_helpers.grouping import private_group_counts, select_keys
from dp_helpers.local_sensitivity import private_median, propose_test_release_mean, sample_and_aggregate
from dp_helpers.mechanisms import geometric_mechanism, laplace_mechanism
from dp_helpers.queries import clip, private_histogram, private_sum
from dp_helpers.selection import exponential_mechanism, report_noisy_max
from dp_helpers.sparse_vector import above_threshold, numeric_sparse, sparse
from dp_helpers.validation import Rng


@dataclass(frozen=True)
class BrokenMechanism:
    """A mechanism that costs more than it claims, and the honest one that does not.

    Attributes
    ----------
    name : str
        What it is, in a few words.
    mistake : str
        What is wrong, and what it really costs.
    seen_in : str
        Where the mistake was met.
    data, neighbour
        Two neighbours that the mistake tells apart.
    mechanism, honest : callable
        Each is called as ``mechanism(data, rng)``, and ``honest`` keeps the claim.
    trials : int
        Runs on each of the two data sets that are enough for an audit to prove the claim wrong.
    epsilon, delta : float
        The claim.  Neighbours are add/remove-one unless ``mistake`` says otherwise, for the data behind the scores,
        answers or counts where ``data`` holds those.
    """

    name: str
    mistake: str
    seen_in: str
    data: object
    neighbour: object
    mechanism: Callable
    honest: Callable
    trials: int = 10_000
    epsilon: float = 1.0
    delta: float = 0.0


def audit_all(
    mechanisms: Iterable[BrokenMechanism] | None = None, *, honest: bool = False, rng: Rng = None
) -> pd.DataFrame:
    """Audit broken mechanisms, and return what was claimed beside what was found.

    Each bound holds with probability 0.99; all of `BROKEN_MECHANISMS` take less than half a minute.

    Parameters
    ----------
    mechanisms : iterable of BrokenMechanism, optional
        None: all of `BROKEN_MECHANISMS`.
    honest : bool
        Whether to audit the honest twins instead, on the same neighbours.

    Returns
    -------
    pandas.DataFrame
        One row for each, in their order: ``name``, ``claimed epsilon``, ``trials`` (runs on each of the two data
        sets), ``bound found`` (a lower bound on the true epsilon, at the claimed delta), and ``caught`` (whether it
        is above the claim).

    Examples
    --------
    >>> import numpy as np
    >>> from dp_helpers import broken
    >>> table = broken.audit_all(broken.BROKEN_MECHANISMS[:2], rng=np.random.default_rng(1))
    >>> table[["name", "claimed epsilon", "caught"]]
                                      name  claimed epsilon  caught
    0        noisy max with half the noise              1.0    True
    1  exponential mechanism without its 2              1.0    True
    """
    check.choice("honest", honest, (True, False))
    rng = check.generator(rng)
    rows = []
    for twin in BROKEN_MECHANISMS if mechanisms is None else mechanisms:
        if not isinstance(twin, BrokenMechanism):
            raise TypeError(f"mechanisms must hold BrokenMechanism only, got {twin!r}")
        mechanism = twin.honest if honest else twin.mechanism
        found = audit(mechanism, twin.data, twin.neighbour, trials=twin.trials, delta=twin.delta, rng=rng)
        bound = found.epsilon_lower_bound
        rows.append((twin.name, twin.epsilon, twin.trials, bound, bound > twin.epsilon))
    return pd.DataFrame(rows, columns=["name", "claimed epsilon", "trials", "bound found", "caught"])


# What fits on a line stands in the table at the end, each mistake beside its honest twin.

# ---------------------------------------------------------------- selection: scores of two candidates


def _exponential_without_factor_2(scores, rng):
    return exponential_mechanism([0, 1], scores, sensitivity=1, epsilon=1.0, monotonic=True, rng=rng)


# ---------------------------------------------------------------- a running count: one event more or less


def _noise_anew_each_day(events, rng):
    # What is published is every day's count; their mean is all that a reader needs for this pair.
    counts = np.cumsum(events) + rng.laplace(scale=1 / 1.0, size=len(events))
    return float(counts.mean())


# ---------------------------------------------------------------- sparse vector: answers, threshold 0


def _compared(answers, threshold_scale, answer_scale, rng):
    """Return the noisy answers, and which of them pass the noisy threshold."""
    threshold = rng.laplace(scale=threshold_scale)
    noisy = answers + rng.laplace(scale=answer_scale, size=len(answers))
    return noisy, noisy >= threshold


def _both_scales_halved(answers, rng):
    _, passes = _compared(answers, 1 / 2.0, 2 / 2.0, rng)
    return int(np.argmax(passes)) if passes.any() else None


def _noise_for_one_pass_only(answers, rng):
    # Published with a limit on the passes, here 3: an output that ends there is the same with and without the end.
    _, passes = _compared(answers, 4, 4 / 3, rng)
    return passes.tolist() == [False, False, True, True, True]


def _no_limit(answers, rng):
    _, passes = _compared(answers, 2, 2, rng)
    half = passes.size // 2
    return int(passes[half:].sum()) - int(passes[:half].sum())


def _limited(answers, rng):
    found = np.array(sparse(answers, threshold=0, limit=5, epsilon=1.0, rng=rng), dtype=int)
    return int((found >= len(answers) // 2).sum()) - int((found < len(answers) // 2).sum())


def _deciding_noise_published(answers, rng):
    noisy, passes = _compared(answers, 2, 2, rng)
    return float(noisy[-1]) if passes[-1] and not passes[:-1].any() else None


def _fresh_noise_published(answers, rng):
    found = numeric_sparse(answers, threshold=0, limit=1, epsilon=1.0, rng=rng)
    return found[0][1] if found and found[0][0] == len(answers) - 1 else None


# ---------------------------------------------------------------- local sensitivity


def _local_sensitivity_noise(values, rng):
    below, median, above = np.sort(values)
    return median + rng.laplace(scale=max(above - median, median - below))


def _test_release(values, bound, threshold, epsilon, rng):
    """Propose, test and release a mean of values in [0, 1], with ``epsilon`` for the test and again to release."""
    distance = max(0, len(values) - math.ceil(1 / bound) + 1)
    if laplace_mechanism(distance, sensitivity=1, epsilon=epsilon, rng=rng) < threshold:
        return None
    return laplace_mechanism(np.mean(values), sensitivity=bound, epsilon=epsilon, rng=rng)


def _low_test_threshold(values, rng):
    return _test_release(values, 0.01, threshold=math.log(2 / 1e-3) / (2 * 0.5), epsilon=0.5, rng=rng)


def _propose_test_release(values, rng):
    return propose_test_release_mean(values, lower=0, upper=1, bound=0.01, epsilon=1.0, delta=1e-3, rng=rng)


def _contiguous_chunks(values, rng):
    spreads = [np.ptp(values[start : start + 2]) for start in range(0, 16, 2)]
    return laplace_mechanism(np.mean(spreads), sensitivity=1 / 8, epsilon=1.0, rng=rng)


def _random_chunks(values, rng):
    return sample_and_aggregate(values, np.ptp, chunks=8, lower=0, upper=1, epsilon=1.0, rng=rng)


# ---------------------------------------------------------------- sums and tables


def _sum_with_the_wrong_sensitivity(values, rng):
    return laplace_mechanism(clip(values, 20, 80).sum(), sensitivity=80 - 20, epsilon=1.0, rng=rng)


def _sum_clipped_above_only(values, rng):
    return laplace_mechanism(np.minimum(values, 100).sum(), sensitivity=100, epsilon=1.0, rng=rng)


def _counts_as_they_come(answers, rng):
    return laplace_mechanism(pd.Series(answers).value_counts(), sensitivity=1, epsilon=1.0, rng=rng)


def _seems_to_be_4_and_0(answers, epsilon, rng):
    counts = private_histogram(answers, categories=["A", "B"], epsilon=epsilon, rng=rng)
    return bool(counts["A"] >= 4 and counts["B"] <= 0)


# ---------------------------------------------------------------- many rows a person: one person more, with all rows


def _visits(**pages) -> pd.DataFrame:
    """Return a table with a row for each visit; pages of each person, separated by blanks."""
    return pd.DataFrame(
        [(person, page) for person, visited in pages.items() for page in visited.split()], columns=["person", "page"]
    )


def _counts_of_people(visits, rng):
    keys = ["A", "B", "C"]
    return private_group_counts(visits, person="person", group="page", keys=keys, most_groups=1, epsilon=1.0, rng=rng)


def _rows_counted(visits, rng):
    counts = visits["page"].value_counts().reindex(["A", "B", "C"], fill_value=0)
    return laplace_mechanism(counts, sensitivity=1, epsilon=1.0, rng=rng)


def _delta_not_split(visits, rng):
    # A person is in up to 40 groups: the noise is for 40, the threshold for one.
    people = visits.drop_duplicates()["page"].value_counts()
    noisy = people + rng.laplace(scale=40 / 1.0, size=len(people))
    return int((noisy >= 1 + 40 / 1.0 * math.log(1 / (2 * 0.01))).sum())


def _delta_split(visits, rng):
    return len(select_keys(visits, person="person", group="page", most_groups=40, epsilon=1.0, delta=0.01, rng=rng))


def _groups_that_occur(visits, rng):
    people = visits.drop_duplicates(["person"]).groupby("page").size()
    return laplace_mechanism(people, sensitivity=1, epsilon=1.0, rng=rng)


def _most_popular_group_kept(visits, rng):
    popular = visits["page"].value_counts().sort_index().sort_values(ascending=False, kind="stable")
    places = visits["page"].map({page: place for place, page in enumerate(popular.index)})
    kept = visits.iloc[np.argsort(places, kind="stable")].drop_duplicates("person")
    return _rows_counted(kept, rng)


_HOUSEHOLD = pd.DataFrame({"person": [f"visitor {number}" for number in range(10)], "household": 7})


def _paid_visits(tables):
    visitors, payers = tables
    return visitors.merge(payers, on="household")


def _cap_after_the_join(tables, rng):
    visits = _paid_visits(tables).drop_duplicates("person")
    return laplace_mechanism(len(visits), sensitivity=1, epsilon=1.0, rng=rng)


def _cap_on_both_sides(tables, rng):
    visits = _paid_visits(tables).drop_duplicates("person").drop_duplicates("payer")
    return laplace_mechanism(len(visits), sensitivity=1, epsilon=1.0, rng=rng)


# ---------------------------------------------------------------- noise in floating point


def _fine_bits(number):
    """Return whether a number near 0 is finer than the floats near 1 are."""
    return abs(number) < 1 / 4 and (number * 2**53) % 1 != 0


# ---------------------------------------------------------------- local: one person's answer, 0 to 3


def _direct_encoding(answer, offsets, rng):
    """Return the answer, or with probability 3 / (e + 3) the one that is some places further on, in a circle."""
    return answer if rng.random() < math.e / (math.e + 3) else (answer + int(rng.choice(offsets))) % 4


BROKEN_MECHANISMS = (
    BrokenMechanism(
        name="noisy max with half the noise",
        mistake="Laplace noise of scale sensitivity / epsilon for scores that are not monotonic: up to 2 epsilon",
        seen_in="right for counts (Dwork & Roth 2014, Claim 3.9), and often used for scores of any kind",
        data=[0, 4],
        neighbour=[1, 3],
        mechanism=lambda scores, rng: int(np.argmax(laplace_mechanism(scores, sensitivity=1, epsilon=1.0, rng=rng))),
        honest=lambda scores, rng: report_noisy_max([0, 1], scores, sensitivity=1, epsilon=1.0, rng=rng),
    ),
    BrokenMechanism(
        name="exponential mechanism without its 2",
        mistake="weights e^(epsilon score / sensitivity) for scores that are not monotonic: up to 2 epsilon",
        seen_in="the 2 vanishes for distances to one number, and is then dropped for other scores, too",
        data=[0, 4],
        neighbour=[1, 3],
        mechanism=_exponential_without_factor_2,
        honest=lambda scores, rng: exponential_mechanism([0, 1], scores, sensitivity=1, epsilon=1.0, rng=rng),
    ),
    BrokenMechanism(
        name="running count, noise anew each day",
        mistake="one event is in every later count, and each has the noise of a single release: T times epsilon",
        seen_in="dashboards that add fresh noise whenever they are reloaded",
        data=[0] * 64,
        neighbour=[1] + [0] * 63,
        mechanism=_noise_anew_each_day,
        honest=lambda events, rng: float(continual_counts(events, epsilon=1.0, rng=rng).mean()),
        trials=4_000,
    ),
    BrokenMechanism(
        name="sparse vector, both scales halved",
        mistake="halves the noise of the threshold as well for monotonic answers: up to 3/2 epsilon",
        seen_in="monotonic answers allow half the noise, but in the answers only (Lyu, Su & Li 2017)",
        epsilon=2.0,
        data=[0, 0, 0, 0, 0, 0],
        neighbour=[1, 1, 1, 1, 1, 0],
        mechanism=_both_scales_halved,
        honest=lambda answers, rng: above_threshold(answers, threshold=0, epsilon=2.0, monotonic=True, rng=rng),
        trials=100_000,
    ),
    BrokenMechanism(
        name="sparse vector, noise for one pass",
        mistake="noise in the answers does not grow with the number of passes c: up to (1 + 6c) / 4 epsilon",
        seen_in="Lee & Clifton (2014), KDD; Algorithm 4 of Lyu, Su & Li (2017)",
        data=[0, 0, 1, 1, 1],
        neighbour=[1, 1, 0, 0, 0],
        mechanism=_noise_for_one_pass_only,
        honest=lambda answers, rng: sparse(answers, threshold=0, limit=3, epsilon=1.0, rng=rng) == [2, 3, 4],
        trials=40_000,
    ),
    BrokenMechanism(
        name="sparse vector, no noise in the answers",
        mistake="only the threshold is noisy, so the order of two answers is seen: no epsilon at all",
        seen_in="Stoddard, Chen & Machanavajjhala (2014), arXiv; Algorithm 5 of Lyu, Su & Li (2017)",
        data=[0, 1],
        neighbour=[1, 0],
        mechanism=lambda answers, rng: tuple((np.asarray(answers) >= rng.laplace(scale=2)).tolist()),
        honest=lambda answers, rng: above_threshold(answers, threshold=0, epsilon=1.0, rng=rng),
        trials=2_000,
    ),
    BrokenMechanism(
        name="sparse vector, passes without limit",
        mistake="never stops, at the price of one pass: epsilon grows with the number of answers",
        seen_in="Chen, Xiao, Zhang & Xu (2015), KDD; Algorithm 6 of Lyu, Su & Li (2017)",
        data=[0] * 40,
        neighbour=[1] * 20 + [-1] * 20,
        mechanism=_no_limit,
        honest=_limited,
        trials=4_000,
    ),
    BrokenMechanism(
        name="sparse vector, deciding noise published",
        mistake="publishes the noisy answer that passed, which bounds the noisy threshold: no epsilon at all",
        seen_in="lecture notes of Roth (2011); Algorithm 3 of Lyu, Su & Li (2017)",
        data=[0, 0, 0, 0, 0, 1],
        neighbour=[1, 1, 1, 1, 1, 0],
        mechanism=_deciding_noise_published,
        honest=_fresh_noise_published,
        trials=40_000,
    ),
    BrokenMechanism(
        name="noise from the local sensitivity",
        mistake="the scale of the noise depends on the data and shows: no epsilon at all",
        seen_in="the idea that anyone has first (Nissim, Raskhodnikova & Smith 2007 show the leak)",
        delta=1e-3,
        data=[5, 5, 5],
        neighbour=[5, 5, 9],
        mechanism=_local_sensitivity_noise,
        honest=lambda values, rng: private_median(values, lower=0, upper=10, epsilon=1.0, delta=1e-3, rng=rng),
        trials=2_000,
    ),
    BrokenMechanism(
        name="propose-test-release, low threshold",
        mistake="threshold ln(2 / delta) / (2 epsilon): a test that must fail passes with sqrt(delta / 8), not delta",
        seen_in="the form of a smooth sensitivity formula, carried over in a textbook chapter and its summaries",
        delta=1e-3,
        data=[0.0],
        neighbour=[0.0, 1.0],
        mechanism=_low_test_threshold,
        honest=_propose_test_release,
    ),
    BrokenMechanism(
        name="propose-test-release, test for free",
        mistake="the test costs epsilon and the release costs epsilon, but only one is counted: 2 epsilon",
        seen_in="a textbook chapter that states (epsilon, delta) for the whole",
        delta=1e-3,
        data=[1.0] + [0.0] * 102,
        neighbour=[0.0] * 102,
        mechanism=lambda values, rng: _test_release(values, 0.01, threshold=math.log(1 / 2e-3), epsilon=1.0, rng=rng),
        honest=_propose_test_release,
        trials=20_000,
    ),
    BrokenMechanism(
        name="sample-and-aggregate in slices",
        mistake="chunks are slices in row order, and one row more or less moves all of them: up to 8 chunks' epsilon",
        seen_in="right for replace-one, where no row moves; met in a textbook chapter on add/remove-one",
        data=[0.0, 0.0, 1.0, 1.0] * 4 + [0.0],
        neighbour=[0.0, 1.0, 1.0, 0.0] * 4,
        mechanism=_contiguous_chunks,
        honest=_random_chunks,
        trials=2_000,
    ),
    BrokenMechanism(
        name="sum with upper - lower",
        mistake="the sensitivity of replace-one, where neighbours are add/remove-one: 4/3 epsilon for bounds 20 and 80",
        seen_in="agrees with the right one for a lower bound of 0, which is the usual example",
        data=[],
        neighbour=[80.0],
        mechanism=_sum_with_the_wrong_sensitivity,
        honest=lambda values, rng: private_sum(values, lower=20, upper=80, epsilon=1.0, rng=rng),
        trials=30_000,
    ),
    BrokenMechanism(
        name="counts in the order of the data",
        mistake="categories that nobody has vanish, and the rest come in the order of their true counts: no epsilon",
        seen_in="what a table library's value_counts does, and what most tutorials call",
        data=list("AABB"),
        neighbour=list("AABBC"),
        mechanism=_counts_as_they_come,
        honest=lambda answers, rng: private_histogram(answers, categories=["A", "B", "C"], epsilon=1.0, rng=rng),
        trials=400,
    ),
    BrokenMechanism(
        name="sum clipped above only",
        mistake="nothing bounds a value from below, so one row moves the sum by any amount: no epsilon at all",
        seen_in="a textbook chapter on local sensitivity, whose data happen to be positive",
        data=[10.0, 20.0],
        neighbour=[10.0, 20.0, -1000.0],
        mechanism=_sum_clipped_above_only,
        honest=lambda values, rng: private_sum(values, lower=0, upper=100, epsilon=1.0, rng=rng),
        trials=2_000,
    ),
    BrokenMechanism(
        name="histogram for replace-one",
        mistake="noise for add/remove-one, where neighbours are replace-one: two counts move, 2 epsilon",
        seen_in="books that define neighbours by a changed row, and noise by an added one",
        data=list("AAAA"),
        neighbour=list("AAAB"),
        mechanism=lambda answers, rng: _seems_to_be_4_and_0(answers, 1.0, rng),
        honest=lambda answers, rng: _seems_to_be_4_and_0(answers, 0.5, rng),
        trials=4_000,
    ),
    BrokenMechanism(
        name="low bits of Laplace noise",
        mistake="floats near 0 are finer than near 1, so the low bits tell 0 plus noise from 1 plus noise",
        seen_in="every float sampler, that of laplace_mechanism too (Mironov 2012); geometric_mechanism is the remedy",
        data=0,
        neighbour=1,
        mechanism=lambda count, rng: _fine_bits(laplace_mechanism(count, sensitivity=1, epsilon=1.0, rng=rng)),
        honest=lambda count, rng: _fine_bits(geometric_mechanism(count, sensitivity=1, epsilon=1.0, rng=rng)),
        trials=4_000,
    ),
    BrokenMechanism(
        name="direct encoding that skips one",
        mistake="the offset of a false answer starts at 0, so one answer is never given: no epsilon at all",
        seen_in="a book on privacy in machine learning, whose random integers include both ends",
        data=0,
        neighbour=1,
        mechanism=lambda answer, rng: _direct_encoding(answer, [0, 1, 2], rng),
        honest=lambda answer, rng: _direct_encoding(answer, [1, 2, 3], rng),
        trials=2_000,
    ),
    BrokenMechanism(
        name="rows counted, noise for people",
        mistake="noise of scale 1 / epsilon, where one person has as many rows as he or she likes: no epsilon at all",
        seen_in="a query in SQL, COUNT(*) with GROUP BY, to which noise was added",
        data=_visits(Bob="A", Ada="A A A A A A A A A A"),
        neighbour=_visits(Bob="A"),
        mechanism=_rows_counted,
        honest=_counts_of_people,
        trials=1_000,
    ),
    BrokenMechanism(
        name="a whole delta for each group",
        mistake="a threshold for delta, where a person may be alone in 40 groups: 40 delta",
        seen_in="the threshold for one group a person, used on a table in which people are in many",
        delta=0.01,
        data=_visits(Ada=" ".join(map(str, range(40)))),
        neighbour=_visits(),
        mechanism=_delta_not_split,
        honest=_delta_split,
        trials=1_000,
    ),
    BrokenMechanism(
        name="groups from the data",
        mistake="noise on every group that occurs: who is alone in one shows by its being there, and no epsilon helps",
        seen_in="a query in SQL, COUNT(DISTINCT person) with GROUP BY, to which noise was added",
        data=_visits(Bob="A", Cleo="B", Ada="C"),
        neighbour=_visits(Bob="A", Cleo="B"),
        mechanism=_groups_that_occur,
        honest=_counts_of_people,
        trials=400,
    ),
    BrokenMechanism(
        name="bounding to the most popular groups",
        mistake="which rows a person keeps depends on everybody else's, so one more visitor moves them all: no epsilon",
        seen_in="the idea that keeps most rows, because popular groups are published anyway",
        data=_visits(Ada="B", **{f"visitor {number}": "A B" for number in range(10)}),
        neighbour=_visits(**{f"visitor {number}": "A B" for number in range(10)}),
        mechanism=_most_popular_group_kept,
        honest=_counts_of_people,
        trials=400,
    ),
    BrokenMechanism(
        name="a cap after the join",
        mistake="visitors are capped, but who pays for a household brings all of its visitors in: no epsilon at all",
        seen_in="a join on a key that several people share, bounded by one of its two people",
        data=(_HOUSEHOLD, pd.DataFrame({"payer": ["Ada"], "household": [7]})),
        neighbour=(_HOUSEHOLD, pd.DataFrame({"payer": [], "household": pd.Series([], dtype=int)})),
        mechanism=_cap_after_the_join,
        honest=_cap_on_both_sides,
        trials=1_000,
    ),
)
"""Every broken mechanism of this module."""
