"""Make what chapter 21 draws of many trainings: `make runs`, two minutes.

`public_encoders.csv`: test accuracy of a private head on frozen features, beside training on all 104 numbers.
`attack_curves.csv`: hits at rates of false alarms, of two attacks on many models of a hundred people.
"""

import sys

import numpy as np

import dp_helpers as dp
from tools.make_training_runs import split, write

SEEDS = range(10)

# Frozen features.
PUBLIC = 10_000  # people whose answers are public, the first ones of a fixed order
PEOPLE = [100, 300, 1_000, 3_000, 10_000]
EPSILONS = [0.3, 1]
HEAD = {"iterations": 30, "rate": 3, "clip": 1, "delta": 1e-5}
HIDDEN = 8

# Attacks.
POOLS, MODELS, POOL = 20, 256, 100
EPSILON_OF = {"noiseless": None, "ε=30": 30, "ε=10": 10, "ε=3": 3, "ε=1": 1}
DELTA = 1e-6
FALSE_ALARMS = np.geomspace(1e-3, 1, 13)


def encoders(X, y) -> dict:
    """Return functions that turn people into fewer numbers, made from public people only."""
    rng = np.random.default_rng(21)
    middle = X.mean(axis=0)
    directions = np.linalg.svd(X - middle, full_matrices=False)[2][:5]
    mixture = rng.normal(size=(X.shape[1], 64)) / 3
    first = _hidden_weights(X, y, rng)
    return {
        "all 104 numbers": lambda rows: rows,
        "64 random features": lambda rows: _with_one(np.tanh(rows @ mixture)),
        "5 public directions": lambda rows: _with_one((rows - middle) @ directions.T),
        "8 pre-trained features": lambda rows: _with_one(np.tanh(rows @ first)),
    }


def _with_one(features) -> np.ndarray:
    return np.column_stack([np.ones(len(features)), features])


def _hidden_weights(X, y, rng, steps=300, rate=3) -> np.ndarray:
    """Return the first layer of chapter 12's network after training without noise."""
    first = rng.normal(0, 0.3, (X.shape[1], HIDDEN))
    last = rng.normal(0, 0.3, HIDDEN)
    for _ in range(steps):
        inner = np.tanh(X @ first)
        slope = -y / (1 + np.exp(y * (inner @ last))) / len(y)
        by_first = X.T @ (slope[:, None] * last * (1 - inner**2))
        last -= rate * inner.T @ slope
        first -= rate * by_first
    return first


def head_accuracies(encoder, people, epsilon, private, test, seeds=SEEDS) -> list[float]:
    """Return the test accuracy of a private head for each seed, each with other people."""
    X_test = encoder(test[0])
    found = []
    for seed in seeds:
        rng = np.random.default_rng([people, seed])
        chosen = rng.choice(len(private[1]), people, replace=False)
        fit = dp.noisy_gradient_descent(
            encoder(private[0][chosen]), private[1][chosen], epsilon=epsilon, rng=rng, **HEAD
        )
        found.append(dp.accuracy(fit.theta, X_test, test[1]))
    return found


def public_and_private(census) -> tuple:
    """Return (X, y) of the public people, of those whom training may take, and of those held out."""
    X, y, X_test, y_test = split(census)
    order = np.random.default_rng(210).permutation(len(y))
    public, private = order[:PUBLIC], order[PUBLIC:]
    return (X[public], y[public]), (X[private], y[private]), (X_test, y_test)


def encoder_rows() -> list[dict]:
    """Return the rows of public_encoders.csv."""
    public, private, test = public_and_private(dp.load_census())
    rows = []
    for name, encoder in encoders(*public).items():
        for epsilon in EPSILONS:
            for people in PEOPLE:
                found = head_accuracies(encoder, people, epsilon, private, test)
                rows.append({"features": name, "epsilon": epsilon, "people": people, "accuracy": np.mean(found)})
    return rows


def train_pool(X, y, member, epsilon, rng) -> np.ndarray:
    """Train one model for each row of ``member`` and return the margins y x·θ, shape (models, people).

    The trainings are `gradient_descent` of chapter 12's attack or, with an epsilon, `noisy_gradient_descent`, for all
    models at once.
    """
    steps, rate = (1_000, 2) if epsilon is None else (100, 3)
    sigma = 0.0 if epsilon is None else dp.gaussian_sigma(sensitivity=(steps + 1) ** 0.5, epsilon=epsilon, delta=DELTA)
    longest = np.inf if epsilon is None else 1 / np.linalg.norm(X, axis=1)
    count = np.maximum(member.sum(axis=1) + sigma * rng.standard_normal(len(member)), 1)[:, None]
    theta = np.zeros((len(member), X.shape[1]))
    for _ in range(steps):
        surprise = 1 / (1 + np.exp(np.minimum((theta @ X.T) * y, 700)))
        total = -(np.minimum(surprise, longest) * y * member) @ X
        theta -= rate * (total + sigma * rng.standard_normal(theta.shape)) / count
    return (theta @ X.T) * y


def likelihood_ratios(margins, member) -> np.ndarray:
    """Return LiRA's score of each model (row) and person: ln of the ratio of two normal densities.

    The densities are fitted to the margins of the *other* models with this person, and to those without.
    """
    scores = np.zeros_like(margins)
    for with_person, sign in ((member, 1), (~member, -1)):
        others = with_person.sum(axis=0) - with_person
        mean = ((margins * with_person).sum(axis=0) - margins * with_person) / others
        square = ((margins**2 * with_person).sum(axis=0) - margins**2 * with_person) / others
        variance = square - mean**2
        scores += sign * (-((margins - mean) ** 2) / (2 * variance) - np.log(variance) / 2)
    return scores


def hits(scores, member, rates) -> np.ndarray:
    """Return the share of members above the thresholds that accuse these shares of the others."""
    strangers = np.sort(scores[~member])[::-1]
    place = np.minimum((np.asarray(rates) * strangers.size).astype(int), strangers.size - 1)
    above = 1 - np.searchsorted(np.sort(scores[member]), strangers[place], "right") / member.sum()
    return np.where(np.asarray(rates) >= 1, 1.0, above)


def pool_scores(epsilon, pools, seed=21) -> tuple:
    """Return the loss attack's scores, LiRA's, and who was a member, over so many pools of people."""
    X, y = dp.census_features(dp.load_census())
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(pools):
        pool = rng.choice(len(y), POOL, replace=False)
        member = rng.random((MODELS, POOL)) < 0.5
        margins = train_pool(X[pool], y[pool], member, epsilon, rng)
        found.append((margins, likelihood_ratios(margins, member), member))
    return tuple(map(np.concatenate, zip(*found, strict=True)))


def attack_rows() -> list[dict]:
    """Return the rows of attack_curves.csv."""
    rows = []
    for model, epsilon in EPSILON_OF.items():
        *scores, member = pool_scores(epsilon, POOLS)
        for attack, score in zip(("loss", "LiRA"), scores, strict=True):
            for rate, share in zip(FALSE_ALARMS, hits(score, member, FALSE_ALARMS), strict=True):
                rows.append({"model": model, "attack": attack, "false_alarms": rate, "hits": share})
        print(f"attacked: {model}", file=sys.stderr)
    return rows


def main():
    """Write both files."""
    write("public_encoders", encoder_rows(), digits=4)
    write("attack_curves", attack_rows(), digits=4)


if __name__ == "__main__":
    main()
