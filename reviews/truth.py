"""Whether a change is what its answer says: exact losses, audits, and two completions of what can't be said."""

import numpy as np

from reviews.evidence import additive_loss, flat
from reviews.review import Item
from reviews.runs import audited
from reviews.versions import Version

TINY = 1e-6  # relative: what computing may be off by


def faults(item: Item, rng: np.random.Generator, audits_of_sound_code: bool = True) -> list[str]:
    """Return what speaks against the answer to a change, in words; nothing, where it is proven.

    What breaks its promise is convicted by an audit at 1e-6, or by its exact loss; what keeps it, and what is mended,
    has an exact loss of at most ε, and is convicted by no audit, which may be left out as slow and no proof. Of what
    can't be said one completion keeps the promise, and one breaks it.
    """
    found, drawn = [], isinstance(item, Version)
    if drawn and not _sound(item, "before", rng):
        found.append("the code before the change doesn't keep the promise")
    if item.review.verdict == "can't be said":
        for verdict, (_, completion) in item.review.completions.items():
            proven = _loss_of(item, **completion) if drawn else audited(item, "after", rng, **completion)
            if _is_more(item, proven) != (verdict == "breaks"):
                found.append(f"the completion of which it says that it {verdict} the promise doesn't")
        return found
    sound = "after" if item.review.verdict == "keeps" else "mended"
    if sound == "mended" and not _convicted(item, rng):
        found.append("the change isn't convicted")
    if not _sound(item, sound, rng):
        found.append(f"its code {sound} isn't shown to keep the promise")
    if audits_of_sound_code and not drawn and item.review.trials and _is_more(item, audited(item, sound, rng)):
        found.append(f"an audit convicts its code {sound}")
    return found


def _is_more(item, proven):
    """Tell whether what an audit proves, or an exact loss, is more than what is claimed."""
    return getattr(proven, "epsilon_lower_bound", proven) > item.review.epsilon * (1 + TINY)


def _convicted(item, rng):
    if hasattr(item.module, "broken_epsilon"):
        return _is_more(item, item.module.broken_epsilon())
    if item.review.trials:
        return _is_more(item, audited(item, "after", rng))
    return _is_more(item, max(item.loss("after", *pair) for pair in item.drawn.pairs))


def _sound(item, which, rng):
    """Tell whether ε bounds the exact loss on all pairs, of what is noisy before it is post-processed."""
    if hasattr(item.module, "sound_epsilon"):
        return 0.05 < item.module.sound_epsilon() <= item.review.epsilon * (1 + TINY)
    drawn = isinstance(item, Version)
    pairs = item.drawn.pairs if drawn else [(item.review.data, item.review.neighbour)]
    post = item.drawn.post if drawn else getattr(item.module, "post", None)
    name = "released" if post and which != "before" else which
    losses = [_loss_of(item, *pair, which=name) for pair in pairs]
    if name == "released":
        for table in (table for pair in pairs for table in pair):
            for seed in rng.integers(2**32, size=100):
                noisy, output = (item.run(one, table, np.random.default_rng(seed)) for one in (name, which))
                if not np.allclose(flat(post(noisy)), flat(output), rtol=1e-12, atol=0):
                    return False
    return 0.05 < max(losses) <= item.review.epsilon * (1 + TINY)


def _loss_of(item, data=None, neighbour=None, *, which="after", **more):
    """Return the exact loss on two tables, which are the review's unless others are given."""
    tables = (item.review.data if data is None else data, item.review.neighbour if neighbour is None else neighbour)
    if isinstance(item, Version):
        return item.loss(which, *tables, **more)
    return additive_loss(lambda table, rng: item.run(which, table, rng, **more), *tables)
