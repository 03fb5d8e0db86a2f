"""Privacy loss distributions: what many releases cost, beside dp-accounting's own, to the same half percent."""

from dp_accounting.pld import privacy_loss_distribution as pld
from measure import Comparison, Contender

import dp_helpers as dp

DELTA = 1e-5


def comparisons():
    """Return DP-SGD at two noise levels, then Laplace noise."""
    for q, sigma, steps in ((0.01, 1.1, 10_000), (0.001, 0.6, 1_000)):
        ours, google = _dp_sgd(q, sigma, steps)
        yield _compared(f"exact epsilon of {steps:,} DP-SGD steps (q = {q}, sigma = {sigma})", ours, google)
    ours = dp.PrivacyLoss.laplace(scale=10.0).compose_self(100)
    yield _compared(
        "exact epsilon of 100 releases with Laplace noise",
        lambda: ours.epsilon(DELTA),
        lambda: pld.from_laplace_mechanism(10.0).self_compose(100).get_epsilon_for_delta(DELTA),
    )


def _dp_sgd(q, sigma, steps):
    ours = dp.PrivacyLoss.subsampled_gaussian(q=q, sigma=sigma).compose_self(steps)

    def google():
        step = pld.from_gaussian_mechanism(sigma, sampling_prob=q)
        return step.self_compose(steps).get_epsilon_for_delta(DELTA)

    return lambda: ours.epsilon(DELTA), google


def _compared(work, ours, google):
    assert abs(ours() / google() - 1) < 0.005, (ours(), google())
    return Comparison(work, ours, [Contender("dp-accounting", google)], faster={"dp-accounting": 2})
