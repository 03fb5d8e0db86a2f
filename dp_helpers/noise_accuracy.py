"""From noise to error bars and back: how far an answer lies from the exact one, and which noise keeps it near.

The accuracy at a confidence is the distance that the noise in one coordinate keeps within with that probability.  It
depends on the noise alone, which is public, so that it can be stated beside the answer and worked out before anything
is released.  It says nothing of what clipping, bounding or a sample of people change.

For d coordinates that must all be that near at once, ask for the confidence 1 - (1 - confidence) / d.
"""

import math
from statistics import NormalDist

from dp_helpers import validation as check
from dp_helpers.numerics import bisect


def laplace_accuracy(*, scale: float, confidence: float) -> float:
    """Return the distance within which Laplace noise lies with probability ``confidence``: scale ln(1 / (1 - c)).

    Parameters
    ----------
    scale : float
        Scale of the noise, in the unit of the query, as `laplace_scale` returns it; between 1e-200 and 1e200.
    confidence : float
        Below 1, at least 1e-9, such as 0.95.

    Returns
    -------
    float
        In the unit of ``scale``.

    References
    ----------
    Dwork & Roth (2014), The algorithmic foundations of differential privacy, fact 3.7.

    Examples
    --------
    95 of 100 answers lie within three scales:

    >>> import dp_helpers as dp
    >>> round(dp.laplace_accuracy(scale=2.0, confidence=0.95), 2)
    5.99
    """
    return _distance("scale", scale) * -math.log1p(-_confidence(confidence))


def laplace_scale_for_accuracy(*, accuracy: float, confidence: float) -> float:
    """Return the largest scale of Laplace noise that lies within ``accuracy`` with probability ``confidence``.

    Divide the sensitivity by it for the least epsilon.

    Parameters
    ----------
    accuracy : float
        Between 1e-200 and 1e200, in the unit of the query.
    confidence : float
        Below 1, at least 1e-9, such as 0.95.

    Returns
    -------
    float
        In the unit of ``accuracy``.

    References
    ----------
    Dwork & Roth (2014), The algorithmic foundations of differential privacy, fact 3.7.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> round(dp.laplace_scale_for_accuracy(accuracy=10, confidence=0.95), 2)
    3.34
    """
    return _largest(_distance("accuracy", accuracy), -math.log1p(-_confidence(confidence)))


def geometric_accuracy(*, scale: float, confidence: float) -> int:
    """Return the distance within which the noise of `geometric_mechanism` lies with probability ``confidence``.

    With a = e^(-1 / scale), the noise is further away than t with probability 2 a^(t + 1) / (1 + a).

    Parameters
    ----------
    scale : float
        sensitivity / epsilon, between 1e-200 and 1e200.
    confidence : float
        Below 1, at least 1e-9, such as 0.95.

    Returns
    -------
    int
        The smallest whole number that does, at least 0.  (OpenDP's accuracy of this noise is the distance that the
        noise reaches with probability 1 - ``confidence`` at most, one more.)

    References
    ----------
    Ghosh, Roughgarden & Sundararajan (2012), Universally utility-maximizing privacy mechanisms, SIAM J. Computing.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> dp.geometric_accuracy(scale=2.0, confidence=0.95)
    6
    """
    scale, outside = _distance("scale", scale), 1 - _confidence(confidence)
    return max(0, math.ceil(scale * math.log(2 / (outside * (1 + math.exp(-1 / scale))))) - 1)


def geometric_scale_for_accuracy(*, accuracy: int, confidence: float) -> float:
    """Return the largest scale with which `geometric_mechanism` keeps within ``accuracy`` at ``confidence``.

    Divide the sensitivity by it for the least epsilon.

    Parameters
    ----------
    accuracy : int
        At least 0.
    confidence : float
        Below 1, at least 1e-9, such as 0.95.

    Returns
    -------
    float
        sensitivity / epsilon.

    References
    ----------
    Ghosh, Roughgarden & Sundararajan (2012), Universally utility-maximizing privacy mechanisms, SIAM J. Computing.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> round(dp.geometric_scale_for_accuracy(accuracy=10, confidence=0.95), 2)
    3.52
    """
    accuracy, confidence = check.integer("accuracy", accuracy, minimum=0, maximum=2**53), _confidence(confidence)

    # By the other function, so that the two agree to the last digit.  Of the largest scale it says too much, because
    # 2 a^(t + 1) / (1 + a) is at least a^(t + 1).
    def near_enough(scale):
        return geometric_accuracy(scale=scale, confidence=confidence) <= accuracy

    return bisect(near_enough, 1e-200, (accuracy + 2) / -math.log1p(-confidence))[0]


def gaussian_accuracy(*, sigma: float, confidence: float) -> float:
    """Return the distance within which Gaussian noise lies with probability ``confidence``: 1.96 sigma for 95%.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise, in the unit of the query, as `gaussian_sigma` returns it; between 1e-200 and
        1e200.
    confidence : float
        Below 1, at least 1e-9, such as 0.95.

    Returns
    -------
    float
        In the unit of ``sigma``.

    References
    ----------
    Dwork & Roth (2014), The algorithmic foundations of differential privacy, appendix A.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> round(dp.gaussian_accuracy(sigma=2.0, confidence=0.95), 2)
    3.92
    """
    return _distance("sigma", sigma) * _deviations(_confidence(confidence))


def gaussian_sigma_for_accuracy(*, accuracy: float, confidence: float) -> float:
    """Return the largest standard deviation with which Gaussian noise keeps within ``accuracy`` at ``confidence``.

    Parameters
    ----------
    accuracy : float
        Between 1e-200 and 1e200, in the unit of the query.
    confidence : float
        Below 1, at least 1e-9, such as 0.95.

    Returns
    -------
    float
        In the unit of ``accuracy``.

    References
    ----------
    Dwork & Roth (2014), The algorithmic foundations of differential privacy, appendix A.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> round(dp.gaussian_sigma_for_accuracy(accuracy=10, confidence=0.95), 2)
    5.1
    """
    return _largest(_distance("accuracy", accuracy), _deviations(_confidence(confidence)))


def _largest(accuracy, times) -> float:
    """Return the largest size of noise that, taken so many times, isn't above an accuracy, not by a float either."""
    size = accuracy / times
    return size if size * times <= accuracy else math.nextafter(size, 0)


def _distance(name, value) -> float:
    """Return a distance whose quotients and products with what a confidence asks for are floats."""
    distance = check.positive(name, value)
    if not 1e-200 <= distance <= 1e200:
        raise ValueError(f"{name} must be between 1e-200 and 1e200, got {value!r}")
    return distance


def _confidence(value) -> float:
    confidence = check.probability("confidence", value, one=False)
    if confidence < 1e-9:
        raise ValueError(f"confidence must be at least 1e-9, got {value!r}")
    return confidence


def _deviations(confidence) -> float:
    """Return how many deviations around the mean hold this part of the normal law."""
    return -NormalDist().inv_cdf((1 - confidence) / 2)
