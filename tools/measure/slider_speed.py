"""Measure how long each slider of the built site takes from a move to the painted frame: `make sliders`."""

import statistics
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tools.measure import chromium

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"
MOST = 50  # milliseconds
# Moves a slider twenty times and returns the milliseconds from each event to the frame after the next paint.
MOVE = """async (input) => {
  const times = [];
  for (let i = 0; i < 20; i++) {
    input.value = i % 2 ? input.min : input.max;
    const start = performance.now();
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    times.push(performance.now() - start);
  }
  return times;
}"""


def main() -> int:
    """Print the median of each page's slowest slider; return 1 if one is too slow."""
    slowest = 0.0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox", "--disable-gpu"])
        for file in sorted(SITE.glob("book/*.html")):
            page = browser.new_page(viewport={"width": 360, "height": 800})
            page.goto(file.as_uri())
            page.wait_for_function(
                "[...document.querySelectorAll('.dp-explore')].every(figure => 'ready' in figure.dataset)"
            )
            sliders = page.locator(".dp-explore input").all()
            if sliders:
                time = max(statistics.median(slider.evaluate(MOVE)) for slider in sliders)
                print(f"{file.stem:42}{len(sliders):3} sliders{time:6.0f} ms", flush=True)
                slowest = max(slowest, time)
            page.close()
        browser.close()
    print(f"The slowest takes {slowest:.0f} ms; it should take less than {MOST}.")
    return 0 if 0 < slowest < MOST else 1


if __name__ == "__main__":
    sys.exit(main())
