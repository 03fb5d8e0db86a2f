"""The bound on shuffled reports against its own sum, the exact law of shuffled coins, and Feldman et al.'s numbers."""

import itertools
import math

import numpy as np
import pytest
from reference import reference
from scipy import stats

import dp_helpers as dp
from dp_helpers.local.shuffling import _delta
from dp_helpers.numerics import bisect


def sum_over_all(local, epsilon, n):
    """Return the divergence of theorem 3.2, every number of clones and every outcome for itself."""
    honest, total = 1 / (1 + math.exp(-local)), 0.0
    for clones in range(n):
        half = stats.binom(clones, 0.5).pmf(np.arange(clones + 1))
        law = honest * np.append(0, half) + (1 - honest) * np.append(half, 0)
        worst = np.maximum(law - math.exp(epsilon) * law[::-1], 0).sum()
        total += stats.binom(n - 1, math.exp(-local)).pmf(clones) * worst
    return total


def warner_delta(local, epsilon, n, others):
    """Return the exact delta of the number of yeses, of which ``others`` other people's truth is yes."""
    coin = dp.RandomizedResponse.from_epsilon(local)
    rest = np.convolve(
        stats.binom(others, coin.p).pmf(np.arange(others + 1)),
        stats.binom(n - 1 - others, coin.q).pmf(np.arange(n - others)),
    )
    yes, no = np.convolve(rest, [1 - coin.p, coin.p]), np.convolve(rest, [1 - coin.q, coin.q])
    return max(np.maximum(a - math.exp(epsilon) * b, 0).sum() for a, b in ((yes, no), (no, yes)))


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("shuffle.clones"))
def test_the_closed_form_agrees_with_the_reference(inputs, value, tolerance):
    found = dp.shuffled_epsilon(epsilon=inputs["eps0"], n=inputs["n"], delta=inputs["delta"], method="closed form")
    assert found == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("shuffle.numeric"))
def test_the_numerical_bound_agrees_with_the_reference(inputs, value, tolerance):
    found = dp.shuffled_epsilon(epsilon=inputs["eps0"], n=inputs["n"], delta=inputs["delta"])
    assert found == pytest.approx(value, rel=0, abs=tolerance)
    assert dp.shuffled_epsilon(epsilon=1, n=32_561, delta=1e-6) == pytest.approx(0.0281, abs=1e-4)


@pytest.mark.parametrize(("local", "epsilon", "n"), [(1, 0.15, 300), (1, 0.0, 40), (3, 1.0, 50), (0.5, 0.2, 200)])
def test_sum_by_tails_is_the_sum_over_all(local, epsilon, n):
    exact = sum_over_all(local, epsilon, n)
    assert exact <= _delta(local, epsilon, n, 1e-6) <= exact + 3e-9


def test_blocks_of_clones_are_on_the_safe_side():
    """With ten million people there are more numbers of clones than blocks."""
    n, delta = 10_000_000, 1e-6
    found = dp.shuffled_epsilon(epsilon=1, n=n, delta=delta)
    law = stats.binom(n - 1, math.exp(-1))
    typical = int(law.median())
    honest = dp.RandomizedResponse.from_epsilon(1).p

    def at(epsilon):
        """Return delta with the typical number of clones for sure, which is nearly the whole sum."""
        first = np.ceil(
            (typical + 1) * (np.exp(epsilon) * honest - (1 - honest)) / ((2 * honest - 1) * (1 + np.exp(epsilon)))
        )
        tails = stats.binom(typical, 0.5).sf([first - 2, first - 1])
        return tails @ [honest, 1 - honest] - np.exp(epsilon) * (tails @ [1 - honest, honest])

    assert at(found) < delta < at(0.98 * found)


@pytest.mark.parametrize(("local", "n", "delta"), [(0.5, 500, 1e-4), (1, 4_000, 1e-4), (1, 50, 1e-3), (3, 2_000, 1e-5)])
def test_shuffled_coins_keep_the_promise(local, n, delta):
    """The number of yeses is all that shuffled yes/no reports tell."""
    found = dp.shuffled_epsilon(epsilon=local, n=n, delta=delta)
    worst = max(warner_delta(local, found, n, others) for others in (0, (n - 1) // 2, n - 1))
    assert worst <= delta
    # A twin that promises a third of it is caught.
    assert warner_delta(local, found / 3, n, 0) > delta


@pytest.mark.parametrize(("inputs", "value", "tolerance"), reference("shuffle.coin"))
def test_the_clones_bound_more_than_shuffled_coins_need(inputs, value, tolerance):
    local, n, delta = inputs["epsilon0"], inputs["n"], inputs["delta"]
    assert bisect(lambda epsilon: warner_delta(local, epsilon, n, 0) > delta, 0.0, local)[1] == pytest.approx(
        value, rel=0, abs=tolerance
    )
    assert value < dp.shuffled_epsilon(epsilon=local, n=n, delta=delta) < 2 * value


def test_more_people_a_larger_delta_and_better_coins_help():
    settings = itertools.product([0.5, 2], [100, 5_000], [1e-6])
    for local, n, delta in settings:
        found = dp.shuffled_epsilon(epsilon=local, n=n, delta=delta)
        assert 0 < found <= local
        assert dp.shuffled_epsilon(epsilon=local, n=10 * n, delta=delta) < found
        assert dp.shuffled_epsilon(epsilon=local, n=n, delta=10 * delta) <= found
        assert dp.shuffled_epsilon(epsilon=0.5 * local, n=n, delta=delta) < found
        assert found <= dp.shuffled_epsilon(epsilon=local, n=n, delta=delta, method="closed form") * (1 + 1e-4)


def test_without_a_crowd_the_local_promise_stands():
    for method in ("numerical", "closed form"):
        assert dp.shuffled_epsilon(epsilon=1, n=1, delta=1e-6, method=method) == 1
        assert dp.shuffled_epsilon(epsilon=800, n=100, delta=1e-6, method=method) == 800
    assert dp.shuffled_epsilon(epsilon=5, n=32_561, delta=1e-6, method="closed form") == 5
    assert dp.shuffled_epsilon(epsilon=0.1, n=3, delta=0.9) == 0.1 / 3  # delta alone allows 0


@pytest.mark.parametrize("delta", [1e-6, 1e-12])
@pytest.mark.parametrize("local", [1e-6, 0.1, 1, 3, 10, 30])
def test_crowds_of_any_size(local, delta):
    """The bound is at most the closed form and falls, also where numbers of clones exceed 32 bits."""
    sizes = [1, 3, 100, 10**4, 10**6, 10**8, 2**31, 8 * 10**9, 10**12]
    found = [dp.shuffled_epsilon(epsilon=local, n=n, delta=delta) for n in sizes]
    assert local == found[0] and found[-1] > 0
    assert all(more >= less for more, less in itertools.pairwise(found))
    for n, epsilon in zip(sizes, found, strict=True):
        assert epsilon <= dp.shuffled_epsilon(epsilon=local, n=n, delta=delta, method="closed form") * (1 + 1e-4)


@pytest.mark.parametrize(("local", "n", "delta"), [(1, 10**10, 1e-12), (0.5, 8 * 10**9, 1e-9), (2, 10**12, 1e-12)])
def test_huge_crowds_are_as_the_normal_law_says(local, n, delta):
    """With so many clones their number is as good as certain, and half of them as good as normal."""
    clones = n * math.exp(-local)
    mu = 2 * math.tanh(local / 2) / math.sqrt(clones)  # you move the number of clones on one side by the tanh
    found = dp.shuffled_epsilon(epsilon=local, n=n, delta=delta)
    assert found == pytest.approx(dp.PrivacyLoss.gaussian(sigma=1 / mu).epsilon(delta), rel=0.01)


@pytest.mark.parametrize(("local", "delta"), [(5e-324, 1e-6), (1.0, 5e-324)])
def test_where_floats_end_the_local_promise_stands(local, delta):
    for method in ("numerical", "closed form"):
        assert 0 < dp.shuffled_epsilon(epsilon=local, n=10**12, delta=delta, method=method) <= local


def test_more_people_than_the_tails_are_right_for_are_refused():
    with pytest.raises(ValueError, match="n must be at most 1000000000000, got 1000000000001"):
        dp.shuffled_epsilon(epsilon=1, n=10**12 + 1, delta=1e-6)
