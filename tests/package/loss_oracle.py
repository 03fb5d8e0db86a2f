"""delta of a composition, worked out without a grid of losses and without the package: by its moments.

With M(s) the mean of e^(s loss) under P, delta(epsilon) is the integral of M(s) e^(-s epsilon) / (2 pi i s (1 + s))
over any line Re s = c > 0 (see Zhu, Dong & Wang 2022).  The trapezoidal rule converges exponentially there, if the
moments fall fast along the line: where there is normal noise among the releases.  Atoms alone are added up one by one.

A release is a tuple of its kind and its parameters: ("gaussian", sigma), ("laplace", scale), ("coin", epsilon),
("atoms", p, q), ("sampled", q, sigma).  ``parts`` are pairs of a release and how often it is made.
"""

import itertools
import math

import mpmath
import numpy as np


def log_moment(release, s, *, exchanged):
    """Return ln M at each of the complex ``s``."""
    match release:
        case "gaussian", sigma:
            return s * (s + 1) / (2 * sigma**2)
        case "laplace", scale:
            x = 1 / scale
            return s * x + np.log((1 + s) / (1 + 2 * s) * (1 + s / (1 + s) * np.exp(-(1 + 2 * s) * x)))
        case "coin", epsilon:
            truth = 1 / (1 + math.exp(-epsilon))
            return _of_atoms(np.array([truth, 1 - truth]), np.array([1 - truth, truth]), s)
        case "atoms", p, q:
            return _of_atoms(*map(np.array, (q, p) if exchanged else (p, q)), s)
        case "sampled", q, sigma:
            return _of_sampled(q, sigma, s, exchanged)
    raise ValueError(release)


def _of_atoms(p, q, s):
    both = (p > 0) & (q > 0)
    exponents = np.multiply.outer(s, np.log(p[both] / q[both]))
    peak = exponents.real.max(axis=-1, keepdims=True)
    return peak[..., 0] + np.log(np.exp(exponents - peak) @ p[both])


def _of_sampled(q, sigma, s, exchanged):
    """Integrate over the output x, whose law is normal on Q: the mean of r^(1 + s), exchanged of r^(-s), r = P / Q."""
    step = sigma / 20
    x = np.arange(-14 * sigma, 14 * sigma + (0 if exchanged else float(s.real.max()) + 1), step)
    ratio = np.logaddexp(math.log1p(-q), math.log(q) + (2 * x - 1) / (2 * sigma**2))
    weights = -x * x / (2 * sigma**2) + math.log(step / (sigma * math.sqrt(2 * math.pi)))
    found = []
    for part in np.array_split(s, 1 + s.size * x.size // 2**20):
        exponents = np.multiply.outer(-part if exchanged else part + 1, ratio) + weights
        peak = exponents.real.max(axis=1, keepdims=True)
        found.append(peak[:, 0] + np.log(np.exp(exponents - peak).sum(axis=1)))
    return np.concatenate(found)


def delta_along_a_line(parts, epsilon, *, exchanged):
    """Return delta in one order, for releases of which one has normal noise."""

    def log_all(s):
        return sum(count * log_moment(release, s, exchanged=exchanged) for release, count in parts)

    finite = math.prod(_finite(release, exchanged=exchanged) ** count for release, count in parts)
    lines = np.geomspace(1e-3, 3e3, 400)
    with np.errstate(over="ignore", invalid="ignore"):
        heights = np.concatenate([log_all(c[None].astype(complex)).real for c in lines])
    heights = heights - lines * epsilon - np.log(lines * (1 + lines))
    best = int(np.nanargmin(heights))
    c, height = lines[best], heights[best]
    beside = c * (1 + np.array([-1e-3, 0, 1e-3]))
    curved = (log_all(beside.astype(complex)).real @ [1, -2, 1]) / (1e-3 * c) ** 2
    step = 2 * math.pi / 45 * min(c, 1 / math.sqrt(max(curved, 1e-12)))
    total = 0.0
    for start in range(0, 2**20, 512):
        t = step * np.arange(start, start + 512)
        s = c + 1j * t
        values = np.exp(log_all(s) - s * epsilon - height) / (s * (1 + s))
        values[0] /= 2 if start == 0 else 1
        total += float(values.real.sum())
        if np.abs(values).max() < 1e-14 * abs(total):
            return 1 - finite + math.exp(height) * total * step / math.pi
    raise ArithmeticError(f"the moments of {parts} don't fall along the line")


def _finite(release, *, exchanged):
    if release[0] != "atoms":
        return 1.0
    p, q = map(np.array, release[:0:-1] if exchanged else release[1:])
    return float(p[q > 0].sum())


def delta_of_atoms(parts, epsilon, *, exchanged):
    """Return delta in one order of releases with finitely many outputs: over all that can come out."""
    losses, chances, finite = np.zeros(1), np.ones(1), 1.0
    for release, count in parts:
        if release[0] == "coin":
            truth = 1 / (1 + math.exp(-release[1]))
            release = ("atoms", (truth, 1 - truth), (1 - truth, truth))
        p, q = map(np.array, release[:0:-1] if exchanged else release[1:])
        finite *= float(p[q > 0].sum()) ** count
        both = (p > 0) & (q > 0)
        for _ in range(count):
            losses = np.add.outer(losses, np.log(p[both] / q[both])).ravel()
            chances = np.multiply.outer(chances, p[both]).ravel()
    return 1 - finite + math.fsum(chances * np.maximum(-np.expm1(np.minimum(epsilon - losses, 0)), 0))


def delta(parts, epsilon):
    """Return the larger delta of the two orders."""
    of_one_order = delta_of_atoms if all(part[0][0] in ("coin", "atoms") for part in parts) else delta_along_a_line
    return max(of_one_order(parts, epsilon, exchanged=exchanged) for exchanged in (False, True))


def delta_of_one(release, epsilon):
    """Return delta of a single release in closed form, with 60 digits."""
    with mpmath.workdps(60):
        epsilon = mpmath.mpf(epsilon)
        match release:
            case "laplace", scale:
                return float(max(0, 1 - mpmath.exp((epsilon - 1 / mpmath.mpf(scale)) / 2)))
            case "coin", e:
                return float(max(0, (mpmath.exp(e) - mpmath.exp(epsilon)) / (1 + mpmath.exp(e))))
            case "gaussian", sigma:
                return float(_normal(1, sigma, epsilon))
            case "sampled", q, sigma:
                return float(max(_normal(q, sigma, epsilon), _normal_exchanged(q, sigma, epsilon)))
    raise ValueError(release)


def _tail(x):
    return mpmath.erfc(x / mpmath.sqrt(2)) / 2


def _normal(q, sigma, epsilon):
    """(1 - q) N(0) + q N(1) against N(0): the outputs above z are likelier by more than e^epsilon."""
    q, sigma = mpmath.mpf(q), mpmath.mpf(sigma)
    z = sigma**2 * mpmath.log((mpmath.exp(epsilon) - 1 + q) / q) + mpmath.mpf(1) / 2
    return q * _tail((z - 1) / sigma) + (1 - q - mpmath.exp(epsilon)) * _tail(z / sigma)


def _normal_exchanged(q, sigma, epsilon):
    q, sigma = mpmath.mpf(q), mpmath.mpf(sigma)
    odds = (mpmath.exp(-epsilon) - 1 + q) / q
    if odds <= 0:
        return mpmath.mpf(0)
    z = sigma**2 * mpmath.log(odds) + mpmath.mpf(1) / 2
    below = 1 - _tail(z / sigma)
    return below - mpmath.exp(epsilon) * ((1 - q) * below + q * (1 - _tail((z - 1) / sigma)))


def random_parts(rng):
    """Return a composition of one to four kinds of release; one has normal noise, or all are atoms."""
    law = [rng.dirichlet(np.ones(3)) for _ in "pq"]
    if rng.random() < 0.3:  # something that only P gives, and something that only Q gives
        law[0][0] = law[1][1] = 0.0
    law = [chances / chances.sum() for chances in law]
    atoms = [
        (("coin", float(rng.uniform(0.05, 2))), int(rng.integers(1, 4))),
        (("atoms", *(tuple(chances.tolist()) for chances in law)), int(rng.integers(1, 3))),
    ]
    if rng.random() < 0.15:
        return atoms
    sigma, q = (float(np.exp(rng.uniform(math.log(0.5), math.log(10)))), float(np.exp(rng.uniform(-7, -0.1))))
    others = [
        (("laplace", float(np.exp(rng.uniform(-1, 3)))), int(rng.integers(1, 30))),
        (("sampled", q, float(rng.uniform(0.7, 4))), int(rng.integers(1, 2000))),
        atoms[0],
        atoms[1],
    ]
    chosen = [others[i] for i in rng.permutation(4)[: rng.integers(0, 4)]]
    return list(itertools.chain([(("gaussian", sigma), int(rng.integers(1, 4)))], chosen))
