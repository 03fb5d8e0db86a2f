"""Answers to the labs of chapter 24: right ones, and wrong ones with a part of what they are told."""

import math

import numpy as np

import dp_helpers as dp

ANN, BEN = ["Ann"], ["Ben"]

RIGHT = [
    ("24.which-field-is-missing", 2),
    ("24.your-month-with-windows", 30 * 4 * 1.672),
    ("24.which-total-do-you-print", dp.zcdp_to_dp(0.5, delta=1e-6)),
    ("24.refute-it", (ANN * 20 + BEN, BEN)),
    ("24.refute-it", (BEN * 10 + ANN * 40, BEN * 10)),
    ("24.refute-it", [np.array(ANN * 30), []]),
]

WRONG = [
    ("24.refute-it", ANN * 20, "give a pair"),
    ("24.refute-it", (ANN * 20, 3), "a list of names"),
    ("24.refute-it", (ANN * 51, []), "50 rows at most"),
    ("24.refute-it", (ANN * 20 + BEN, []), "the rows of Ann alone"),
    ("24.refute-it", ([], ANN * 20), "the rows of Ann alone"),
    ("24.refute-it", (BEN, BEN), "where is Ann"),
    ("24.refute-it", (ANN * 30, ANN), "with all rows"),
    ("24.refute-it", (ANN, []), "differ by more"),
    ("24.your-month-with-windows", 1.672 * math.sqrt(120), "the root"),
]
