"""A page that holds one figure which the page computes itself, and how its script is asked."""

import json
import shutil

from chapters.chapter_notebook import BOOK

from slider_figures import STATIC

SHEETS = ["book.css", "explore.css", "asking.css"]
FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def write_page(folder, name, data, scripts):
    """Write the page with what it loads into a folder; return its path."""
    of_the_book = [*scripts, f"play-{name}.js", "book.css", "asking.css"]
    for file in (*(BOOK / "_static" / one for one in of_the_book), STATIC / "play.js", STATIC / "explore.css"):
        shutil.copy(file, folder)
    page = folder / "page.html"
    page.write_text(
        '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        + "".join(f'<link rel="stylesheet" href="{sheet}">' for sheet in SHEETS)
        + f'<figure class="sf-explore sf-play" data-play="{name}"><div class="sf-play-still">still</div>'
        f'<script type="application/json">{json.dumps(data)}</script></figure>'
        + "".join(f'<script src="{script}"></script>' for script in [*scripts, "play.js"]),
        encoding="utf-8",
    )
    return page


def ask(page, expression, argument=None):
    """Return what an expression over ``it``, what the figure's script returns, and ``argument`` comes to."""
    return page.evaluate(
        f"argument => {{ const it = document.querySelector('.sf-play').play; return {expression}; }}", argument
    )


def said(page):
    """Return the sentence that a screen reader hears."""
    return page.locator("[role=status]:visible").inner_text()


def put_in_by_sliding(page, keys=("End", "Home")):
    """Return the elements whose children came or went as each slider was moved by these keys.

    A new element or text would have the whole page restyled, at each move.
    """
    page.evaluate("""() => {
        window.changed = [];
        const watch = new MutationObserver((all) => changed.push(...all.map(({ target }) => target.outerHTML)));
        watch.observe(document.querySelector(".sf-play-stage"), { childList: true, subtree: true });
    }""")
    for slider in page.get_by_role("slider").all():
        for key in keys:
            slider.press(key)
            page.evaluate(FRAME)
    return page.evaluate("changed")
