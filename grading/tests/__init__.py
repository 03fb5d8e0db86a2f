"""Tests of the grader: python -m tools test-grading."""
