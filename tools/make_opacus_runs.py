"""Make dp_helpers/data/runs/opacus_runs.csv, chapter 12's model trained by Opacus: `make opacus`, half a minute.

It runs in the environment of the benchmarks, where PyTorch and Opacus are.  A row is one seed: the accuracy on the
people held out, and the epsilon of the whole training by Opacus' two accountants.
"""

import warnings

import torch
from opacus import PrivacyEngine
from opacus.accountants import RDPAccountant
from torch.utils.data import DataLoader, TensorDataset

import dp_helpers as dp
from tools.make_training_runs import split, write

BATCH, EPOCHS, RATE, SIGMA, DELTA = 512, 6, 2.0, 1.83, 1e-6


def train(X, y, seed):
    """Return the trained model, its privacy engine, and how many steps it took at which sampling rate."""
    torch.manual_seed(seed)
    model = torch.nn.Linear(X.shape[1], 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    loader = DataLoader(TensorDataset(X, y), batch_size=BATCH)
    engine = PrivacyEngine()
    model, optimizer, loader = engine.make_private(
        module=model, optimizer=optimizer, data_loader=loader, noise_multiplier=SIGMA, max_grad_norm=1.0
    )
    loss = torch.nn.SoftMarginLoss()  # ln(1 + e^(-y score)), averaged
    for _ in range(EPOCHS):
        for rows, labels in loader:
            optimizer.zero_grad()
            loss(model(rows).squeeze(1), labels).backward()
            optimizer.step()
    return model, engine, EPOCHS * len(loader), 1 / len(loader)


def measured(seed, X, y, X_test, y_test) -> dict:
    """Return one row of the file."""
    model, engine, steps, q = train(X, y, seed)
    with torch.no_grad():
        right = (torch.sign(model(X_test).squeeze(1)) == y_test).double().mean().item()
    by_renyi = RDPAccountant()
    by_renyi.history = [(SIGMA, q, steps)]
    return {
        "seed": seed,
        "q": q,
        "sigma": SIGMA,
        "steps": steps,
        "accuracy": right,
        "epsilon_prv": engine.get_epsilon(DELTA),
        "epsilon_rdp": by_renyi.get_epsilon(DELTA),
    }


def main():
    """Write the file."""
    warnings.filterwarnings("ignore", module=r"(opacus|torch)")
    X, y, X_test, y_test = (torch.tensor(part, dtype=torch.float32) for part in split(dp.load_census()))
    write("opacus_runs", [measured(seed, X, y, X_test, y_test) for seed in range(5)])


if __name__ == "__main__":
    main()
