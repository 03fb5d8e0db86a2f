from hypothesis import settings

# The same examples on each run, and no deadline: a busy machine is not a failure.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
