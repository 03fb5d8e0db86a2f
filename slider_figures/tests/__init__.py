"""Tests of the figures; those in a browser are in `browser`."""
