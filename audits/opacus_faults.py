"""What Opacus' make_private divides by differs between neighbours: issues 571 and 819."""

import numpy as np
import torch
from opacus import PrivacyEngine

DELTA, BATCH, WEIGHTS = 1e-5, 10, 4_000
CALL = "PrivacyEngine.make_private"
torch.set_num_threads(1)


def rows(audited):
    """Yield a step on 20 rows against 19, as released, and with a divisor that is public."""
    claimed = trained(20, None)[1].get_epsilon(DELTA)
    for state, divisor in [("as released", None), ("divisor public", BATCH)]:
        yield audited(
            "opacus", CALL, state, "#571, #819", lambda n, rng, divisor=divisor: trained(n, divisor)[0], 20, 19,
            trials=1_000, epsilon=round(claimed, 2), delta=DELTA,
        )  # fmt: skip


def trained(people, divisor) -> tuple[float, PrivacyEngine]:
    """Return the mean square of the weights after one step on rows of zeros, and the engine."""
    data = torch.utils.data.TensorDataset(torch.zeros(people, WEIGHTS))
    model = torch.nn.Linear(WEIGHTS, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    engine = PrivacyEngine()
    model, optimizer, loader = engine.make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
        data_loader=torch.utils.data.DataLoader(data, batch_size=BATCH),
        noise_multiplier=1.0,
        max_grad_norm=1.0,
    )
    if divisor:
        optimizer.expected_batch_size = divisor
    (batch,) = next(iter(loader))
    optimizer.zero_grad()
    model(batch).sum().backward()
    optimizer.step()
    return float(np.mean(model._module.weight.detach().numpy() ** 2)), engine
