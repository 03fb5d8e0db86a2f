"""A browser that reaches no other host; for all tests of what readers see."""

import functools
import os
import shutil
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

# The shell is Chromium without its windows, tabs and address bar: the tests take a fifth less time in it.
PROGRAMS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
ARGUMENTS = """--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync""".split()
# No other host is found. (Playwright's routes would do the same, and have each request go through this process.)
ARGUMENTS.append("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
# Each window would make two pages for the address bar's suggestions, at half of the price of a page of ours.
ARGUMENTS.append("--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,HttpsUpgrades,PaintHolding")


class Running:
    """The one Chromium of this process, started for the first test that asks for it, and pages that no test has now."""

    playwright = browser = None

    def __init__(self):
        self.pages = {}

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
            self.pages.clear()


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
            f"Tests of pages need Chromium: {' or '.join(asked)} is not there. Install it (Debian: apt-get install "
            "chromium-headless-shell; Ubuntu: chromium), or set CHROMIUM=/path/to/chrome. DP_SKIP_BROWSER=1 leaves "
            "these tests out.",
            pytrace=False,
        )
    return RUNNING.start(program)


def open_context(browser, problems, *, width=1280, height=800, **options):
    """Return a context in which only files and this machine can be reached; add to ``problems`` what goes wrong."""

    def look(request):
        url = urlsplit(request.url)
        if url.scheme not in ("file", "data", "blob") and url.hostname != "127.0.0.1":
            problems.append(f"other host: {request.url}")

    def listen(message):
        if message.type == "error":
            problems.append(f"console: {message.text}")

    context = browser.new_context(viewport={"width": width, "height": height}, **options)
    context.on("request", look)
    context.on("console", listen)
    context.on("weberror", lambda error: problems.append(f"script error: {error.error}"))
    return context


class UsedPage:
    """A page that one test has after the other: a window of its own costs as much as a chapter that opens in it."""

    # What would stay for the next test.
    STAYS = ("add_init_script", "expose_binding", "expose_function", "on", "route")

    def __init__(self, browser, options):
        self.theme, self.problems, self.sessions = options.get("color_scheme", "light"), [], []
        self.context = open_context(browser, self.problems, **options)
        self.page = self.context.new_page()
        self.open_session, self.context.new_cdp_session = self.context.new_cdp_session, self.session
        for one in (self.page, self.context):
            for name in self.STAYS:
                setattr(one, name, self.refuse)

    def refuse(self, *_, **__):
        """Stand for what would stay."""
        raise AssertionError(f"{', '.join(self.STAYS)}: the next test has this page; open a context, offline_context()")

    def session(self, page):
        """Return a session of Chromium's own commands, which ends with the test."""
        self.sessions.append(self.open_session(page))
        return self.sessions[-1]

    def empty(self):
        """Have the page show nothing and remember nothing."""
        if self.page.url != "about:blank":
            # A page that is left may write once more, as the theme does where its list of pages was scrolled to.
            self.page.evaluate("localStorage.clear(); sessionStorage.clear(); Storage.prototype.setItem = () => {}")
        for other in self.context.pages[1:]:
            other.close()
        while self.sessions:
            self.sessions.pop().detach()
        self.page.goto("about:blank")
        self.page.mouse.move(0, 0)
        self.page.emulate_media(media="null", color_scheme=self.theme)


class OfflineContexts:
    """Opens browser contexts and pages; ``problems`` collects what was asked of other hosts, and errors of scripts."""

    def __init__(self, browser):
        self.browser, self.contexts, self.lent, self.problems = browser, [], [], []

    def __call__(self, **options):
        """Return a new context; the options are ``width``, ``height``, and those of ``Browser.new_context``."""
        context = open_context(self.browser, self.problems, **options)
        self.contexts.append(context)
        return context

    def page(self, *, width=1280, height=800, **options):
        """Return a page that shows and remembers nothing, perhaps one of a test before; the options are a context's."""
        kept = RUNNING.pages.setdefault(repr(sorted(options.items())), [])
        used = kept.pop() if kept else UsedPage(self.browser, options)
        self.lent.append((kept, used))
        used.page.set_viewport_size({"width": width, "height": height})
        return used.page

    def end(self):
        """Close all contexts, and give the pages back."""
        for context in self.contexts:
            context.close()
        for kept, used in self.lent:
            used.empty()
            self.problems += used.problems
            used.problems.clear()
            kept.append(used)


@pytest.fixture
def offline_context(browser):
    """Open contexts with ``offline_context(width=360, ...)``; the test fails if one of them had a problem."""
    contexts = OfflineContexts(browser)
    yield contexts
    contexts.end()
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
