"""Answers to the labs of chapter 24: right ones, and wrong ones with a part of what they are told."""

import math

import numpy as np

import dp_helpers as dp

ANN, BEN = ["Ann"], ["Ben"]

RIGHT = {
    "which-field-is-missing": [2],
    "your-month-with-windows": [30 * 4 * 1.672],
    "which-total-do-you-print": [dp.zcdp_to_dp(0.5, delta=1e-6)],
    "refute-it": [
        (ANN * 20 + BEN, BEN),
        (BEN * 10 + ANN * 40, BEN * 10),
        [np.array(ANN * 30), []],
    ],
}

WRONG = {
    "your-month-with-windows": [(1.672 * math.sqrt(120), "the root")],
    "refute-it": [
        (ANN * 20, "give a pair"),
        ((ANN * 20, 3), "a list of names"),
        ((ANN * 51, []), "50 rows at most"),
        ((ANN * 20 + BEN, []), "the rows of Ann alone"),
        (([], ANN * 20), "the rows of Ann alone"),
        ((BEN, BEN), "where is Ann"),
        ((ANN * 30, ANN), "with all rows"),
        ((ANN, []), "differ by more"),
    ],
}
