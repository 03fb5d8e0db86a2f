from .offline import browser, offline_context, pytest_runtest_teardown, serve

__all__ = ["browser", "offline_context", "pytest_runtest_teardown", "serve"]
