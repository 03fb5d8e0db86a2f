"""What holds for the tests of every room: the same examples on each run, and no deadline, for busy machines."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
