"""What usual mistakes make of clipped vectors: for the chapters that train."""

import numpy as np

from dp_helpers.queries import clip_norm


def clipping_mistakes(vectors: np.ndarray, bound: float) -> list[tuple]:
    """Return what usual mistakes make of the sum of the clipped rows of ``vectors``, with their sentences."""
    total, lengths = vectors.sum(axis=0), np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
    return [
        (total, "you don't clip these: a single long one may move the sum by any amount."),
        (clip_norm(total[None], bound)[0], "you clip the sum; clip each one before adding up."),
        (clip_norm(total[None], len(vectors) * bound)[0], "you clip the average; clip each one before adding up."),
        (np.clip(vectors, -bound, bound).sum(axis=0), "you clip coordinate by coordinate; the length is what counts."),
        ((vectors / lengths * bound).sum(axis=0), "you stretch short ones to the bound; clipping only shortens."),
    ]
