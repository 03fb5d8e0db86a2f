"""Thirty changes to code that promises an ε: code, promise, evidence and reason of each, in ``reviews/items``.

The page "Review a change", its tests and what lecturers download are made from these files.  Assignment 11 draws others
from ``reviews/families``.
"""
