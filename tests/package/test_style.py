"""The book's style and colours, and the words beside its sliders."""

import base64
import io
import itertools
import os
import subprocess
import sys

import jupyter_client.manager
import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib import scale
from matplotlib.colors import to_rgb
from PIL import Image

import dp_helpers as dp


class MatplotlibsOwn(scale.LinearScale):
    def __init__(self, *unused):
        """As `dp_helpers.ticks` does."""


class MatplotlibsOwnLog(scale.LogScale):
    def __init__(self, *given, **options):
        super().__init__(*given, **options)


@pytest.fixture(autouse=True)
def style_as_it_was():
    with mpl.rc_context():
        yield
    scale.register_scale(MatplotlibsOwn)
    scale.register_scale(MatplotlibsOwnLog)


def linear(colour):
    channels = np.array(to_rgb(colour))
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    """Contrast ratio of WCAG 2."""
    low, high = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (a, b))
    return (high + 0.05) / (low + 0.05)


# Machado, Oliveira and Fernandes (2009): what dichromats see, in linear RGB.
SIGHT = {
    "all cones": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def lab(rgb):
    to_xyz = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    xyz = np.array(to_xyz) @ np.clip(rgb, 0, 1) / [0.95047, 1, 1.08883]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def difference(a, b, sight):
    """CIE 1976 difference; 2.3 is just noticeable side by side."""
    return np.linalg.norm(lab(sight @ linear(a)) - lab(sight @ linear(b)))


def cycle():
    dp.use_style()
    return mpl.rcParams["axes.prop_cycle"].by_key()["color"]


def test_style_begins_with_the_colours_of_true_and_private():
    colours = cycle()
    assert colours[:2] == [dp.TRUE, dp.PRIVATE]
    assert colours[-1] == dp.NEUTRAL
    assert len(set(colours)) == len(colours) >= 6


@pytest.mark.parametrize("page", ["#ffffff", "#14181e"])
def test_style_reads_on_light_and_dark_pages(page):
    ratios = {colour: contrast(colour, page) for colour in cycle()}
    assert min(ratios.values()) >= 3, ratios
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("sight", SIGHT)
def test_style_keeps_colours_apart_for_colour_blind_readers(sight):
    matrix = np.array(SIGHT[sight])
    assert min(difference(a, b, matrix) for a, b in itertools.combinations(cycle(), 2)) > 12
    assert difference(dp.TRUE, dp.PRIVATE, matrix) > 50
    # The measure sees what it should: these two are one colour to those without green cones.
    assert difference("#D55E00", "#8A7F00", np.array(SIGHT["no green"])) < 10


def test_style_gives_figures_for_the_web():
    dp.use_style()
    fig, ax = plt.subplots()
    file = io.BytesIO()
    fig.savefig(file)
    plt.close(fig)
    assert Image.open(file).size == (720, 450)
    assert ax.title.get_fontname() == "DejaVu Sans"


def test_style_has_few_ticks_and_round_ones():
    """Each is a whole number of steps of 1, 2 or 5 times a power of ten: no 2.5 euros."""
    dp.use_style()
    rng, (fig, ax) = np.random.default_rng(56), plt.subplots()
    counts = []
    for _ in range(300):
        low, width = rng.normal(0, 100), 10 ** rng.uniform(-3, 5)
        ax.set_xlim(low, low + width)
        ticks = ax.get_xticks()
        inside = ticks[(ticks >= low) & (ticks <= low + width)]
        counts.append(len(inside))
        step = np.diff(ticks)[0]
        first = step / 10 ** np.floor(np.log10(step) + 1e-6)
        assert round(first, 6) in (1, 2, 5), (low, width)
    plt.close(fig)
    # Two of a step are fewer than three, and then the next smaller one has eight at most: 5 to 2.
    assert min(counts) >= 3 and max(counts) <= 8 and np.median(counts) <= 5


def test_style_writes_ticks_as_the_text_writes_numbers():
    dp.use_style()
    written = {
        ("linear", -36_000, 5_500): ["−40,000", "−30,000", "−20,000", "−10,000", "0", "10,000"],
        ("linear", 0, 1): ["0", "0.5", "1"],
        ("log", 1, 4_000): ["0.1", "1", "10", "100", "1,000", "10,000"],
        ("log", 1e-7, 2): ["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "1", "10²"],
    }
    for (kind, low, high), labels in written.items():
        fig, ax = plt.subplots()
        ax.set(xscale=kind, xlim=(low, high))
        fig.canvas.draw()
        assert [label.get_text() for label in ax.get_xticklabels()] == labels
        assert not len(ax.get_xticks(minor=True))
        plt.close(fig)


def test_style_and_figure_need_no_ipython():
    code = (
        "import sys; sys.modules['IPython'] = sys.modules['ipywidgets'] = sys.modules['matplotlib_inline'] = None\n"
        "import dp_helpers as dp; from matplotlib import pyplot as plt\n"
        "dp.use_style()\n"
        "print(dp.explore(lambda epsilon, n: plt.figure(), epsilon=[1, 2], n=[3, 4], alt='{n}', caption='c'))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"FIGURE_VENUE": "site"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    said = "4 c Sliders: ε, privacy from 1 to 2 (2 values), n from 3 to 4 (2 values).\n"  # the book's word for ε
    assert run.stdout == said, run.stderr


def test_style_reaches_the_plain_figures_of_a_notebook():
    """As the inline backend shows them, which crops the margins."""
    shown = []
    with jupyter_client.manager.run_kernel(kernel_name="python3") as client:
        cell = (
            "import dp_helpers as dp\nfrom matplotlib import pyplot as plt\ndp.use_style()\nplt.plot([1])\nplt.show()"
        )
        reply = client.execute_interactive(cell, output_hook=shown.append, timeout=60)
    assert reply["content"]["status"] == "ok", reply["content"]
    (picture,) = [message["content"]["data"]["image/png"] for message in shown if "data" in message["content"]]
    assert 640 <= Image.open(io.BytesIO(base64.b64decode(picture))).width <= 740
