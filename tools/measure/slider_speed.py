"""Drag every slider of the built site in 100 steps, and measure each picture: `make sliders`.

Milliseconds are of the processor, as the page's main thread spends them on script, layout and paint: other programs
on the machine hardly change them, and a processor that is six times slower takes six times as long.
"""

import sys
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from tools.measure import chromium

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"
MOST, SLOWED, SLOWDOWN = 8, 33, 6  # milliseconds for 95 of 100 pictures; the same on a slow processor; how slow
PICTURES = 90  # different ones, of a slider that moves continuously
# Moves a slider to one of 100 places between its ends, and waits until its picture was painted.
STEP = """async (input, i) => {
  const [low, high] = [Number(input.min), Number(input.max)];
  input.value = low + ((high - low) * i) / 100;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
WAIT = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
# Returns the picture, and where it and the page's end are.
LOOK = """(input) => {
  const frame = input.closest(".dp-explore").querySelector(".dp-play-stage svg, .dp-explore-frame:not(.dp-play-still)");
  const { left, width, height } = frame.getBoundingClientRect();
  return [frame.outerHTML, [left, width, height, document.documentElement.scrollHeight].join()];
}"""


def drag(page, slider) -> tuple[float, int, int]:
    """Return the milliseconds of which 95% of the pictures need less, how many differ, and how many layouts do."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    slider.evaluate(STEP, 50)  # what is set up by the first move is no part of the others
    times, asking, seen = [], [], []
    for i in range(101):
        before = spent()
        slider.evaluate(STEP, i)
        moved = spent()
        slider.evaluate(WAIT)
        asking.append(spent() - moved)  # is part of every step, and not of a reader's
        times.append(moved - before)
        seen.append(tuple(slider.evaluate(LOOK)))
    session.detach()
    pictures, places = zip(*seen, strict=True)
    return float(np.percentile(times, 95) - np.median(asking)), len(set(pictures)), len(set(places))


def judge(slider, time: float, pictures: int, places: int) -> list[str]:
    """Return what is wrong with a slider."""
    whole = slider.get_attribute("step") == "1" and slider.get_attribute("list")  # it stops at its marks alone
    return [
        fault
        for fault, there in (
            ("slow", time >= MOST),
            (f"slow on a processor {SLOWDOWN} times slower", SLOWDOWN * time >= SLOWED),
            ("few pictures", pictures < PICTURES and not whole),
            ("flows anew", places > 1),
        )
        if there
    ]


def main() -> int:
    """Print a line for each slider; return 1 if one is slow, shows few pictures, or moves what is around it."""
    print(f"{'':42}{'slider':34}{'p95 ms':>8}{f'slowed {SLOWDOWN}×':>11}{'pictures':>10}")
    faults = sliders = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox", "--disable-gpu"])
        for file in sorted(SITE.glob("book/*.html")):
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(file.as_uri())
            page.wait_for_function(chromium.READY)
            for slider in page.locator(".dp-explore input[type=range]").all():
                slider.scroll_into_view_if_needed()
                time, pictures, places = drag(page, slider)
                label = slider.evaluate("input => input.labels[0].textContent")
                wrong = judge(slider, time, pictures, places)
                line = (
                    f"{file.stem:42}{label[:33]:34}{time:8.1f}{SLOWDOWN * time:11.0f}{pictures:10}  {', '.join(wrong)}"
                )
                print(line.rstrip(), flush=True)
                faults, sliders = faults + bool(wrong), sliders + 1
            page.close()
        browser.close()
    print(f"{sliders} sliders, {faults} with a fault; {MOST} ms are allowed, {SLOWED} on a slow processor.")
    return 0 if sliders and not faults else 1


if __name__ == "__main__":
    sys.exit(main())
