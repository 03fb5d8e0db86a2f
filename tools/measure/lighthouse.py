"""Measure four pages of the built site with Lighthouse, as a phone on slow 4G meets them: `make lighthouse`.

Serves ``_build/html`` compressed and cacheable, as hosts do.  Needs Node, npm's registry or its cache, and Chromium.
A score compares with another machine's only if the emulated phone is as slow: the slowdown of the processor follows
Lighthouse's own measure of this machine.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, StaticFileHandler

from tools.measure import chromium

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"
PAGES = [
    "book/index",
    "book/03-differential-privacy",
    "book/06-approximate-differential-privacy",
    "book/13-randomized-response",
]
CATEGORIES = {"performance": "speed", "accessibility": "access", "best-practices": "practices", "seo": "search"}
LEAST = 95
TRIES = 3  # another program on the machine can only make a page slower, so the best of a few runs counts
LIGHTHOUSE = "lighthouse@13"
# What Lighthouse's own default comes to, a middling phone: 4 times slower than a fast desktop, whose benchmark index is
# 1,500 to 2,000 (its docs/throttling.md).
PHONE = 440


class Pages(StaticFileHandler):
    """Answers like a host of static pages: to be kept for a year, and compressed, which the application does."""

    def set_extra_headers(self, path):
        """Let browsers keep the file."""
        self.set_header("Cache-Control", "max-age=31536000")


def measure(url: str, slowdown: float) -> dict:
    """Return Lighthouse's report on a page, the processor slowed down by this factor."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = ["npx", "--yes", "--loglevel=error", LIGHTHOUSE, url, "--quiet"]
        command += ["--output=json", f"--output-path={report}"]
        command += [f"--only-categories={','.join(CATEGORIES)}", f"--throttling.cpuSlowdownMultiplier={slowdown:.2f}"]
        command.append("--chrome-flags=--headless=new --no-sandbox --disable-gpu")
        if subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode:
            sys.exit(
                f"make lighthouse needs {LIGHTHOUSE} from npm's registry or cache, and Chromium; it said why above"
            )
        return json.loads(report.read_text(encoding="utf-8"))


async def main() -> int:
    """Print a table of scores and of what is behind the speed; return 1 if a score is too low."""
    if missing := [program for program in ("node", "npx") if not shutil.which(program)]:
        sys.exit(f"make lighthouse needs Node: {' and '.join(missing)} not found")
    os.environ["CHROME_PATH"] = chromium.find()
    sockets = bind_sockets(0, "127.0.0.1")
    site = ("/(.*)", Pages, {"path": SITE, "default_filename": "index.html"})
    HTTPServer(Application([site], compress_response=True)).add_sockets(sockets)
    address = f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    first = await asyncio.to_thread(measure, f"{address}/search.html", 1.0)
    slowdown = max(1.0, first["environment"]["benchmarkIndex"] / PHONE)
    print(f"{'':42}" + "".join(f"{name:>11}" for name in (*CATEGORIES.values(), "text s", "blocked ms", "shift", "kB")))
    enough = True
    for page in PAGES:
        best, audits = [0], {}
        for _ in range(TRIES):
            report = await asyncio.to_thread(measure, f"{address}/{page}.html", slowdown)
            scores = [round(100 * report["categories"][category]["score"]) for category in CATEGORIES]
            if min(scores) > min(best):
                best, audits = scores, report["audits"]
            if min(best) >= LEAST:
                break
        behind = (
            f"{audits['largest-contentful-paint']['numericValue'] / 1000:11.1f}"
            f"{audits['total-blocking-time']['numericValue']:11.0f}"
            f"{audits['cumulative-layout-shift']['numericValue']:11.3f}"
            f"{audits['total-byte-weight']['numericValue'] / 1000:11.0f}"
        )
        print(f"{page:42}" + "".join(f"{score:11}" for score in best) + behind, flush=True)
        enough = enough and min(best) >= LEAST
    print(f"Processor slowed down {slowdown:.1f} times; scores are out of 100, and should be {LEAST} or more.")
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
