"""What the tests of random releases share: generators, repeated releases, and how a sample is held to its law."""

import numpy as np
from scipy import stats

# A goodness-of-fit test fails a correct mechanism with this probability (seeds are fixed, so it never flickers).
P_VALUE = 1e-6
# A mean of independent draws is further from its expectation than this many standard errors with probability 4e-8.
ERRORS = 5.5
EXACT = 1e12  # at this epsilon the noise is far below a millionth


def generator(seed=0):
    return np.random.default_rng(seed)


def repeated(release, n, seed):
    """Return the outcomes of n independent releases."""
    rng = generator(seed)
    return [release(rng) for _ in range(n)]


def is_laplace(noise, scale):
    return stats.kstest(np.ravel(noise), stats.laplace(scale=scale).cdf).pvalue > P_VALUE


def fits(observed, probabilities):
    return stats.chisquare(observed, probabilities / np.sum(probabilities) * np.sum(observed)).pvalue > P_VALUE
