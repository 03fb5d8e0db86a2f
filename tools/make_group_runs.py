"""Make dp_helpers/data/runs/group_runs.csv, whom chapter 23's models find: `make runs`, half a minute.

A model is trained on 3,000 people in four ways, each of which changes one thing: 600 steps; 60 steps; 60 steps whose
gradients are clipped; the same with noise, at several epsilon.  Twenty draws of people and noise.  A row is one model
and one group of the people held out: how many there earn above 50K, and which share of these the model finds.
"""

import numpy as np

import dp_helpers as dp
from tools.make_training_runs import split, write

DRAWS = 20
PEOPLE = 3_000
RATE, CLIP, DELTA = 3, 1, 1e-5
LONG, SHORT = 600, 60
EPSILONS = [0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5]
GROUPS = ["White", "Black"]


def models(X, y, rng):
    """Yield what was done, the epsilon (add/remove; inf without noise) and the weights."""
    yield "600 steps", np.inf, dp.gradient_descent(X, y, iterations=LONG, rate=RATE)
    yield "60 steps", np.inf, dp.gradient_descent(X, y, iterations=SHORT, rate=RATE)
    yield "clipped", np.inf, clipped_descent(X, y)
    for epsilon in EPSILONS:
        fit = dp.noisy_gradient_descent(
            X, y, iterations=SHORT, rate=RATE, clip=CLIP, epsilon=epsilon, delta=DELTA, rng=rng
        )
        yield "noisy", epsilon, fit.theta


def clipped_descent(X, y) -> np.ndarray:
    """Return the weights after 60 steps over clipped gradients: private training, but for the noise."""
    theta = np.zeros(X.shape[1])
    for _ in range(SHORT):
        theta -= RATE * dp.clip_norm(dp.logistic_gradients(theta, X, y), CLIP).mean(axis=0)
    return theta


def main():
    """Write the file."""
    census = dp.load_census()
    X, y, X_test, y_test = split(census)
    races = census["Race"][census["SSN"].str[-1].isin(["0", "5"])].to_numpy()
    rows = []
    for draw in range(DRAWS):
        rng = np.random.default_rng(np.random.SeedSequence(23, spawn_key=(draw,)))
        people = rng.choice(len(y), PEOPLE, replace=False)
        for training, epsilon, theta in models(X[people], y[people], rng):
            predicted, accuracy = dp.predict(theta, X_test), dp.accuracy(theta, X_test, y_test)
            for group in GROUPS:
                rich = (races == group) & (y_test > 0)
                share = (predicted[rich] > 0).mean()
                rows.append((draw, training, epsilon, accuracy, group, rich.sum(), share))
    columns = ["draw", "training", "epsilon", "accuracy", "group", "people", "found"]
    write("group_runs", [dict(zip(columns, row, strict=True)) for row in rows], digits=4)


if __name__ == "__main__":
    main()
