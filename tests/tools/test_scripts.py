"""The book's scripts as one file: all of them, in their order, still a program that an engine reads."""

import json
import shutil

import yaml
from site_pages import ROOT

from tools.book_site import formulas, scripts

SETTINGS = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["sphinx"]["config"]


def test_the_scripts_are_one_program_that_an_engine_reads(tmp_path):
    scripts.write(tmp_path)
    text = (tmp_path / scripts.TOGETHER).read_text(encoding="utf-8")
    assert "/* " not in text and len(text) > 30_000
    # Compiled, and not run: it is made for pages.
    assert formulas.engine().eval(f"(new Function({json.dumps(text)}), true)")


def test_each_script_is_in_it_in_its_place_or_one_that_pages_ask_for(tmp_path):
    for folder in SETTINGS["html_static_path"]:
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(ROOT / "_config.yml", tmp_path)
    for name in SETTINGS["html_js_files"]:
        (tmp_path / SETTINGS["html_static_path"][0] / name).write_text(f"// why\nsay( '{name}' )\n", encoding="utf-8")
    scripts.write(tmp_path / "site", tmp_path)
    together = (tmp_path / "site" / scripts.TOGETHER).read_text(encoding="utf-8")
    assert together == "\n;".join(f"say('{n}')" for n in SETTINGS["html_js_files"] if n not in scripts.PARTS)
    # Which are asked for by pages: these, and tabs' of an extension.
    assert set(scripts.PARTS) - set(SETTINGS["html_js_files"]) == {"design-tabs.js"}
