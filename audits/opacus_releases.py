"""One step of private training by Opacus: everybody in the batch, so that it is one release of normal noise."""

import warnings

import torch
from opacus import GradSampleModule
from opacus.accountants import PRVAccountant
from opacus.optimizers import DPOptimizer
from release import Release

DELTA = 1e-3
SIGMA = 1.0

torch.set_num_threads(1)
warnings.filterwarnings("ignore", message="Full backward hook")
warnings.filterwarnings("ignore", category=RuntimeWarning, module="opacus")


def releases() -> list[Release]:
    """Return the step on one person more, whose gradient is longer than the clipping norm."""
    accountant = PRVAccountant()
    accountant.step(noise_multiplier=SIGMA, sample_rate=1.0)
    return [
        Release(
            package="opacus",
            function="DPOptimizer.step",
            query="training step",
            relation="add/remove",
            promise='PRVAccountant.get_epsilon: "privacy budget (epsilon) expended so far", no neighbours named',
            run=step(),
            data=[9.0, 9.0],
            neighbour=[9.0],
            epsilon=round(accountant.get_epsilon(DELTA), 3),
            delta=DELTA,
            trials=4_000,
        )
    ]


def step():
    """Return a function that makes one step from weight 0, on rows whose loss is their value times the weight."""
    model = GradSampleModule(torch.nn.Linear(1, 1, bias=False))
    weight = next(model.parameters())
    optimizer = DPOptimizer(
        torch.optim.SGD([weight], lr=1.0), noise_multiplier=SIGMA, max_grad_norm=1.0, expected_batch_size=1
    )

    def run(rows):
        with torch.no_grad():
            weight.zero_()
        optimizer.zero_grad()
        model(torch.tensor(rows).reshape(-1, 1)).sum().backward()
        optimizer.step()
        return weight.item()

    return run
