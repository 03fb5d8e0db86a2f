"""The assignments as they are committed, each of them read once for all tests of a process."""

from functools import cache

from grading import source

FOLDERS = source.find(source.ASSIGNMENTS)
load = cache(source.load)
