"""Measure four pages of the built site with Lighthouse, as a phone on slow 4G meets them: `make lighthouse`.

Serves ``_build/html`` compressed and cacheable, as hosts do.  Needs Node, npm's registry or its cache, and Chromium.
A score compares with another machine's only if the emulated phone is as slow: the slowdown of the processor follows
Lighthouse's own measure of this machine.
"""

import gzip
import json
import mimetypes
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

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


class Host(BaseHTTPRequestHandler):
    """Answers like a host of static pages: compressed, cacheable, 404.html for what is not there."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        """Send the file, the index of the folder, or the page for what is missing."""
        path = (SITE / unquote(urlsplit(self.path).path).lstrip("/")).resolve()
        if path.is_dir():
            path /= "index.html"
        there = path.is_file() and path.is_relative_to(SITE)
        kind, body, compressed = packed(path if there else SITE / "404.html")
        self.send_response(200 if there else 404)
        self.send_header("Content-Type", kind)
        if compressed:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Cache-Control", "max-age=31536000")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


@cache
def packed(path: Path) -> tuple[str, bytes, bool]:
    """Return the file's type, its bytes as they travel, and whether they are compressed."""
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    text = kind.startswith("text/") or kind.endswith(("javascript", "json", "xml"))
    body = path.read_bytes()
    if text:
        return f"{kind}; charset=utf-8", gzip.compress(body), True
    return kind, body, False


def measure(url: str, slowdown: float) -> dict:
    """Return Lighthouse's report on a page, the processor slowed down by this factor."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [
            "npx",
            "--yes",
            "--loglevel=error",
            LIGHTHOUSE,
            url,
            "--quiet",
            "--output=json",
            f"--output-path={report}",
        ]
        command += [f"--only-categories={','.join(CATEGORIES)}", f"--throttling.cpuSlowdownMultiplier={slowdown:.2f}"]
        command.append("--chrome-flags=--headless=new --no-sandbox --disable-gpu")
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return json.loads(report.read_text(encoding="utf-8"))


def main() -> int:
    """Print a table of scores and of what is behind the speed; return 1 if a score is too low."""
    if missing := [program for program in ("node", "npx") if not shutil.which(program)]:
        sys.exit(f"make lighthouse needs Node: {' and '.join(missing)} not found")
    os.environ["CHROME_PATH"] = chromium.find()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    slowdown = max(1.0, measure(f"{address}/search.html", 1.0)["environment"]["benchmarkIndex"] / PHONE)
    print(f"{'':42}" + "".join(f"{name:>11}" for name in (*CATEGORIES.values(), "text s", "blocked ms", "shift", "kB")))
    enough = True
    for page in PAGES:
        best, audits = [0], {}
        for _ in range(TRIES):
            report = measure(f"{address}/{page}.html", slowdown)
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
    server.shutdown()
    print(f"Processor slowed down {slowdown:.1f} times; scores are out of 100, and should be {LEAST} or more.")
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
