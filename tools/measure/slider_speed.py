"""Drag every slider of the built site in 100 steps, and measure each picture: `make sliders`.

Measured is the time in which the page can do nothing else: its scripts, layout and paint, once as fast as the machine
is and once with the processor slowed by Chromium.  Other programs only add to it, for minutes at times, so the least of
some drags counts: what seems slow is dragged again, at once and after all others.
"""

import sys
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from tools.measure import chromium

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"
LIMITS = {1: 8, 6: 33}  # how many times slower: milliseconds for 95 of 100 pictures
DRAGS, ROUNDS = 3, 4  # at most; a slider without a fault is done after one drag
PICTURES = 90  # different ones, of a slider that says so many different values
# Links that bring into sight what the two tools hide at first.
LINKS = {
    "judge": ["#fig-claim?unit=event&period=day"],
    "plan": ["", *(f"#fig-plan?sheet={sheet}" for sheet in ("few", "training", "training&given=epsilon"))],
}
# Moves a slider to 101 places between its ends; returns the milliseconds of each picture, from the slider's event and
# the first script of its frame until the page hears the next message, and the pictures with where they and the page's
# end are, and what the slider says.
DRAG = """async (input, looking) => {
  const all = (kind) => [...input.closest(".sf-explore").querySelectorAll(kind)];
  const seenOf = (kind) => all(kind).find((one) => one.checkVisibility());
  const picture = seenOf(".sf-play-stage svg") ?? seenOf(".sf-explore-frame:not(.sf-play-still)");
  const frame = picture ?? seenOf(".asking-slid"); // a training is counted once the hand rests
  const output = document.querySelector(`output[for="${input.id}"]`);
  const said = () => output?.textContent ?? input.parentElement.querySelector("[type=text]").value;
  const [low, high] = [Number(input.min), Number(input.max)];
  const { port1, port2 } = new MessageChannel();
  const move = (i) =>
    new Promise((done) => {
      let began;
      requestAnimationFrame(() => port2.postMessage((began = performance.now())));
      const start = performance.now();
      input.value = low + ((high - low) * i) / 100;
      input.dispatchEvent(new Event("input", { bubbles: true }));
      const event = performance.now() - start;
      port1.onmessage = () => done(performance.now() - began + event);
    });
  await move(50); // what is set up by the first move is no part of the others
  const [times, seen] = [[], []];
  for (let i = 0; i <= 100; i++) {
    times.push(await move(i));
    if (!looking) continue;
    const { left, width, height } = frame.getBoundingClientRect();
    const place = [left, width, height, document.documentElement.scrollHeight].join();
    const dots = all("canvas").map((canvas) => canvas.toDataURL());
    seen.push([frame.outerHTML + dots, place, said()]);
  }
  return [times, seen];
}"""


def drag(page, slider, slowdown: int, least: np.ndarray) -> np.ndarray:
    """Return the least milliseconds of each picture, on a processor that is so many times slower.

    ``least`` are those of the drags before; the slider is dragged until it is fast enough, a few times at most.
    """
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
    for _ in range(DRAGS):
        least = np.minimum(least, slider.evaluate(DRAG, False)[0])
        if p95(least) < LIMITS[slowdown]:
            break
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    session.detach()
    return least


def p95(pictures: np.ndarray) -> float:
    """Return the milliseconds of which 95% of the pictures need less."""
    return float(np.percentile(pictures, 95))


def count_changes(slider) -> tuple[int, int, int]:
    """Return how many pictures of a drag differ, how many layouts, and how many values the slider says."""
    pictures, places, values = (len(set(column)) for column in zip(*slider.evaluate(DRAG, True)[1], strict=True))
    return pictures, places, values


def judge(times: dict, pictures: int, places: int, values: int) -> list[str]:
    """Return what is wrong with a slider."""
    return [
        fault
        for fault, present in (
            ("slow", times[1] >= LIMITS[1]),
            ("slow on a slow processor", times[6] >= LIMITS[6]),
            ("few pictures", pictures < min(PICTURES, values)),
            ("flows anew", places > 1),
        )
        if present
    ]


def find_sliders(browser, wanted: dict | None):
    """Yield where each slider is (page, link, number on the page), the page as it opens, and the slider.

    ``wanted`` names some of them; None are all.  The planner comes once for each sheet.
    """
    for file in sorted(SITE.glob("book/*.html")):
        for link in LINKS.get(file.stem, [""]):
            if wanted is not None and not any(place[:2] == (file.stem, link) for place in wanted):
                continue
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(f"{file.as_uri()}{link}")
            page.wait_for_function(chromium.READY)
            for number, slider in enumerate(page.locator(".sf-explore input[type=range]").filter(visible=True).all()):
                place = file.stem, link, number
                if wanted is None or place in wanted:
                    slider.scroll_into_view_if_needed()
                    yield place, page, slider
            page.close()


def measure(browser, wanted: dict | None, least: dict) -> dict:
    """Drag sliders, print a line for each, and return what is wrong with those that have a fault.

    ``least`` has each slider's least times in the rounds before, and gets those of this one.
    """
    faults = {}
    for place, page, slider in find_sliders(browser, wanted):
        earlier = least.get(place, dict.fromkeys(LIMITS, np.inf))
        least[place] = {slowdown: drag(page, slider, slowdown, earlier[slowdown]) for slowdown in LIMITS}
        times = {slowdown: p95(drags) for slowdown, drags in least[place].items()}
        pictures, places, values = count_changes(slider)
        if wrong := judge(times, pictures, places, values):
            faults[place] = wrong
        label = slider.evaluate("input => input.ariaLabel ?? input.labels[0].textContent")
        line = f"{place[0]:42}{label[:33]:34}{times[1]:8.1f}{times[6]:11.0f}{pictures:10}  {', '.join(wrong)}"
        print(line.rstrip(), flush=True)
    return faults


def main() -> int:
    """Print a line for each slider; return 1 if one is slow, shows few pictures, or moves what is around it."""
    print(f"{'':42}{'slider':34}{'p95 ms':>8}{'slowed 6×':>11}{'pictures':>10}")
    least = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox", "--disable-gpu"])
        faults = measure(browser, None, least)
        for _ in range(ROUNDS - 1):
            if faults:
                print("again, after the others:", flush=True)
                faults = measure(browser, faults, least)
        browser.close()
    allowed = f"{LIMITS[1]} ms are allowed, {LIMITS[6]} on a slow processor"
    print(f"{len(least)} sliders, {len(faults)} with a fault; {allowed}.")
    return 0 if least and not faults else 1


if __name__ == "__main__":
    sys.exit(main())
