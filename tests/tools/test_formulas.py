"""Formulas are set when the site is built; what MathJax doesn't understand stops the build."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.book_site import formulas


def test_a_formula_is_seen_and_read():
    made = formulas.formula(r"\frac{\varepsilon}{2}", False)
    assert made.startswith("<mjx-container") and "<mjx-mfrac>" in made
    assert made.partition("<mjx-assistive-mml")[2].count("<mfrac>") == 1
    assert 'display="true"' in formulas.formula("x", True) and 'display="true"' not in formulas.formula("x", False)


@pytest.mark.parametrize("tex", [r"\varepsilonn", r"\frac{1", r"\begin{split}a", r"x^1^2", r"\require{mhchem}"])
def test_a_mistake_is_refused_with_its_source(tex):
    with pytest.raises(ValueError, match="MathJax can't set") as refused:
        formulas.formula(tex, False)
    assert repr(tex) in str(refused.value)


def test_the_engine_goes_on_after_a_mistake():
    with pytest.raises(ValueError, match="Undefined"):
        formulas.formula(r"\nothing", False)
    assert "mjx-msqrt" in formulas.formula(r"\sqrt{2}", False)


@pytest.mark.parametrize(
    ("tex", "signs"),
    [
        (r"\varepsilon", "ε"),
        (r"\delta \le x_i", "δ≤xi"),
        ("a < b", "a<b"),
        ("10^{-6}", "…"),
        (r"\tfrac12", "…"),
        (r"\sqrt n", "…"),
    ],
)
def test_in_a_line_of_text_a_formula_is_signs(tex, signs):
    assert formulas.as_signs(tex) == signs


def test_a_formula_and_the_signs_behind_it_stay_on_one_line():
    one, other = (f'<span class="math notranslate nohighlight">{formulas.formula(tex, False)}</span>' for tex in "xy")
    page = f"<p>At {one} and {other}, not ({one}).</p>"
    ends = [f'<span class="unbroken">{formula}</span>' for formula in (f"{other},", f"{one}).")]
    assert formulas.keep_signs(page) == f"<p>At {one} and {ends[0]} not ({ends[1]}</p>"


def test_who_set_formulas_ends():
    """The engine's destructor hung on Python 3.12 and 3.13, sometimes on 3.11, and with it the build."""
    folder = Path(formulas.__file__).parent
    program = "import formulas; assert 'mjx-msup' in formulas.formula('x^2', False)"
    for _ in range(6):
        subprocess.run([sys.executable, "-c", program], cwd=folder, check=True, timeout=60)
