"""The book's figures under sliders: `slider_figures`, with the book's words beside the sliders of its Greek letters."""

from slider_figures import LABELS, explore, play

__all__ = ["explore", "play"]

LABELS.update(
    alpha="α, order",
    delta="δ, risk",
    epsilon="ε, privacy",
    mu="μ, privacy",
    rho="ρ, privacy",
    sigma="σ, noise",
    theta="θ, threshold",
)
