"""A browser that reaches no other host; for all tests of what readers see."""

import functools
import os
import shutil
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

PROGRAMS = ["chromium", "chromium-browser", "google-chrome"]
ARGUMENTS = """--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync""".split()
# No other host is found. (Playwright's routes would do the same, and have each request go through this process.)
ARGUMENTS.append("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
# Each window would make two pages for the address bar's suggestions, at half of the price of a page of ours.
ARGUMENTS.append("--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,HttpsUpgrades,PaintHolding")


class Running:
    """The one Chromium of this process, started for the first test that asks for it."""

    playwright = browser = None

    def start(self, program):
        """Return the browser."""
        if self.browser is None:
            self.playwright = sync_playwright().start()
            self.browser = self.playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        return self.browser

    def stop(self):
        """Close the browser, and end the event loop of what drives it."""
        if self.browser is not None:
            self.browser.close()
            self.playwright.stop()
            self.playwright = self.browser = None


RUNNING = Running()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    """Keep Chromium from file to file; its event loop would be in the way of notebooks, so it goes before other tests.

    For this the ``conftest.py`` of a folder with such tests imports this function.
    """
    if nextitem is None or (nextitem.path != item.path and "browser" not in getattr(nextitem, "fixturenames", ())):
        RUNNING.stop()


@pytest.fixture(scope="module")
def browser():
    """Chromium.

    The environment variable CHROMIUM says which. Where none is, the tests fail and say how to get it.
    """
    if os.environ.get("DP_SKIP_BROWSER") == "1":
        pytest.skip("DP_SKIP_BROWSER=1 leaves the tests in a browser out")
    asked = [os.environ["CHROMIUM"]] if os.environ.get("CHROMIUM") else PROGRAMS
    program = next(filter(None, map(shutil.which, asked)), None)
    if program is None:
        pytest.fail(
            f"Tests of pages need Chromium: {' or '.join(asked)} is not there. Install it (Debian, Ubuntu: apt-get "
            "install chromium), or set CHROMIUM=/path/to/chrome. DP_SKIP_BROWSER=1 leaves these tests out.",
            pytrace=False,
        )
    return RUNNING.start(program)


class OfflineContexts:
    """Opens browser contexts in which only files and this machine can be reached.

    ``problems`` collects what was asked of other hosts, and errors in the console and of scripts.
    """

    def __init__(self, browser):
        self.browser, self.contexts, self.problems = browser, [], []

    def __call__(self, *, width=1280, height=800, **options):
        """Return a new context; the options are those of Playwright's ``Browser.new_context``."""
        context = self.browser.new_context(viewport={"width": width, "height": height}, **options)
        self.contexts.append(context)
        context.on("request", self._look)
        context.on("console", self._listen)
        context.on("weberror", lambda error: self.problems.append(f"script error: {error.error}"))
        return context

    def _look(self, request):
        url = urlsplit(request.url)
        if url.scheme not in ("file", "data", "blob") and url.hostname != "127.0.0.1":
            self.problems.append(f"other host: {request.url}")

    def _listen(self, message):
        if message.type == "error":
            self.problems.append(f"console: {message.text}")


@pytest.fixture
def offline_context(browser):
    """Open contexts with ``offline_context(width=360, ...)``; the test fails if one of them had a problem."""
    contexts = OfflineContexts(browser)
    yield contexts
    for context in contexts.contexts:
        context.close()
    assert not contexts.problems


@pytest.fixture(scope="session")
def serve():
    """Serve a folder with ``serve(folder)`` on this machine, and return its address."""
    servers = []

    class Quiet(SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # a connection is used again

        def log_message(self, *_):
            pass

    @functools.cache
    def start(folder):
        server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
