"""The site as a repository's workflow publishes it: its menu, its addresses, its cards; two pages are built for it."""

import json
import re
from xml.etree import ElementTree

import nbformat
import pytest
import small_site
from PIL import Image
from playwright.sync_api import expect
from site_pages import SITE, content

from dp_labs.chapter_03 import LABS
from tools.run_notebooks import number_labs

PUBLIC = "https://example.org/books/epsilon/"
ADDRESS = "https://github.com/someone/book"
LICENCE = "https://creativecommons.org/licenses/by/4.0/"
CHAPTER = "book/03-differential-privacy.html"
# Thebe as it is where no server answers: its buttons are there before it knows.
STRANDED = """window.thebe = { on() {}, bootstrap: async () => {
  document.querySelectorAll("[data-executable]").forEach((cell) => cell.after(document.createElement("button")));
  throw new Error("no server answers.");
} }"""


FIRST, GONE, THIRD, *_ = (f"lab-3-{name}" for name in LABS)


def without_a_lab(folder):
    """Take chapter 3's second lab out, as CONTRIBUTING says."""
    labs = folder / "dp_labs" / "chapter_03.py"
    labs.write_text(labs.read_text(encoding="utf-8").replace(f'    "{LABS[1]}",\n', ""), encoding="utf-8")
    path = folder / "book" / "03-differential-privacy.ipynb"
    notebook = nbformat.read(path, as_version=4)
    (place,) = [i for i, cell in enumerate(notebook.cells) if f":name: {GONE}\n" in cell.source]
    del notebook.cells[place : place + 4]
    number_labs(notebook)
    nbformat.write(notebook, path)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The pages as a repository's workflow builds them, with stand-ins for what make targets fetch and make.

    A lab is gone since readers did it.
    """
    parts = tmp_path_factory.mktemp("parts")
    for name, file in (("lite", "lab/index.html"), ("thebe", "index.js"), ("pdf", "sliding-epsilon.pdf")):
        (parts / name / file).parent.mkdir(parents=True)
        (parts / name / file).write_text(name)
        (parts / name / ".ready").touch()
    folder = tmp_path_factory.mktemp("published")
    settings = {"BOOK_SITE_URL": PUBLIC, "BOOK_REPOSITORY_URL": ADDRESS, "BOOK_COLAB_BRANCH": "colab"}
    return small_site.build(folder, parts=parts, change=without_a_lab, **settings)


def test_the_published_menu_leads_to_running_code(published):
    page = (published / CHAPTER).read_text(encoding="utf-8")
    menu = re.search(r'<div class="dropdown dropdown-launch-buttons">.*?</ul>', page, re.S)[0]
    links = re.findall(r'href="([^"]+)"', menu)
    assert links == [
        "https://mybinder.org/v2/gh/someone/book/main?urlpath=lab/tree/book/03-differential-privacy.ipynb",
        "../lite/lab/index.html?path=03-differential-privacy.ipynb",
        "https://colab.research.google.com/github/someone/book/blob/colab/03-differential-privacy.ipynb",
    ]
    assert (published / "lite" / "lab" / "index.html").read_text() == "lite"
    for icon in re.findall(r'src="\.\./([^"]+)"', menu):
        assert (published / icon).is_file()


def test_the_published_page_offers_the_whole_book(published):
    page = (published / CHAPTER).read_text(encoding="utf-8")
    menu = re.search(r'<div class="dropdown dropdown-download-buttons">.*?</ul>', page, re.S)[0]
    assert re.findall(r'href="([^"]+)"', menu)[-1] == "../pdf/sliding-epsilon.pdf"
    assert (published / "pdf" / "sliding-epsilon.pdf").read_text() == "pdf"


def test_the_published_page_starts_live_code_from_its_own_scripts(published):
    page = (published / CHAPTER).read_text(encoding="utf-8")
    setting = json.loads(re.search(r'<script type="application/json" id="live-code">(.*?)</script>', page)[1])
    assert setting["folder"] == "book" and setting["thebe"]["binderOptions"]["repo"] == "someone/book"
    assert ((published / CHAPTER).parent / setting["scripts"] / "index.js").read_text() == "thebe"
    assert "unpkg" not in page and "THEBE_JS_URL" not in page
    scripts = re.findall(r'<script[^>]* src="([^"?]+)', page)
    assert len(scripts) == len(set(scripts))
    assert [script for script in scripts if script.endswith("live.js")]


def test_a_public_page_says_where_it_is_and_shows_a_card(published):
    page = small_site.PAGES[0]
    html = (published / f"{page}.html").read_text(encoding="utf-8")
    assert re.findall('<link rel="canonical" href="([^"]*)"', html) == [f"{PUBLIC}{page}.html"]
    assert content(html, "og:url") == f"{PUBLIC}{page}.html"
    assert content(html, "og:site_name") == "Sliding Epsilon"
    assert content(html, "og:title") == "Differential privacy · Sliding Epsilon, a book on differential privacy"
    assert content(html, "og:description") == content(html, "description")
    assert content(html, "twitter:card") == "summary_large_image"
    image = content(html, "og:image")
    assert image.startswith(PUBLIC)
    with Image.open(published / image.removeprefix(PUBLIC)) as card:
        assert card.size == (int(content(html, "og:image:width")), int(content(html, "og:image:height")))


def test_the_bare_address_shows_the_front_pages_card(published):
    door, front = ((published / f"{page}.html").read_text(encoding="utf-8") for page in ("index", small_site.PAGES[0]))
    assert 'content="noindex"' not in door
    assert re.findall("<title>(.*)</title>", door) == re.findall("<title>(.*)</title>", front)
    assert re.findall('<link rel="canonical" href="([^"]*)"', door) == [f"{PUBLIC}{small_site.PAGES[0]}.html"]
    for name in ("description", "og:url", "og:title", "og:image", "twitter:card"):
        assert content(door, name) == content(front, name)


def test_the_sitemap_lists_the_pages_and_no_others(published):
    places = {element.text for element in ElementTree.parse(published / "sitemap.xml").findall(".//{*}loc")}
    assert places == {f"{PUBLIC}{page}.html" for page in small_site.PAGES}
    assert f"Sitemap: {PUBLIC}sitemap.xml" in (published / "robots.txt").read_text(encoding="utf-8")


def test_the_404_page_knows_its_folder(published):
    html = (published / "404.html").read_text(encoding="utf-8")
    links = re.findall(r'\b(?:href|src|action)="([^"#]+)"', html)
    assert len(links) > 20
    assert not [
        link for link in links if not link.startswith(("/books/epsilon/", PUBLIC, ADDRESS, LICENCE))
    ]  # PUBLIC and ADDRESS: its canonical address, and where the book is made
    assert f"{ADDRESS}/issues/new" in links and LICENCE in links


def test_the_404_page_finds_its_folder_where_the_site_has_no_address(browser, serve, tmp_path):
    """A site that was copied under a path, whose host shows the page for whatever isn't there; what it asks for in
    wrong folders stands in the console.
    """
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "site").symlink_to(SITE)
    page = browser.new_page()
    lost = f"{serve(tmp_path)}/a/site/book/deep/gone.html"
    page.route(lost, lambda route: route.fulfill(body=(SITE / "404.html").read_text("utf-8"), content_type="text/html"))
    page.goto(lost)
    assert page.evaluate("document.querySelector('link[href*=\"site.css\"]').sheet.cssRules.length") > 100
    page.get_by_role("link", name="Start at the front page").click()
    expect(page).to_have_url(f"{serve(tmp_path)}/a/site/book/index.html")
    page.close()


@pytest.fixture
def stranded(published, browser, serve):
    """A chapter of the published site for a reader whose browser reaches this site and no other."""
    context = browser.new_context()
    context.route("**/*", lambda route: route.continue_() if "127.0.0.1" in route.request.url else route.abort())
    context.route("**/thebe/thebe.css", lambda route: route.fulfill(body="", content_type="text/css"))
    context.route("**/thebe/index.js", lambda route: route.fulfill(body=STRANDED, content_type="text/javascript"))
    page = context.new_page()
    page.goto(f"{serve(published)}/{CHAPTER}")
    page.wait_for_selector("body[data-filled]", state="attached")
    yield page
    context.close()


def test_live_code_without_a_network_says_so_and_leaves_no_dead_button(stranded):
    cells = stranded.locator(".cell_input")
    before = cells.all_inner_texts()
    stranded.evaluate("startLiveCode()")
    said = stranded.get_by_role("status").filter(has_text="could not start")
    expect(said).to_contain_text("no server answers.")
    expect(said).to_contain_text("work without it")
    assert cells.all_inner_texts() == before
    assert not stranded.locator("[data-executable], pre + button:not(.copybtn)").count()


def test_live_code_shows_each_figure_where_it_stands_whose_code_is_folded_below_it(stranded):
    """Thebe gives the first source the first output; a fold holds several sources, under the figure of the last."""
    sources, pictured = stranded.evaluate("""() => {
      liveCells();
      const marked = (kind) => [...document.querySelectorAll(`[data-${kind}]`)];
      const drawn = marked("output").map((one) => !!one.querySelector("img"));
      return [marked("executable").map((one) => one.textContent), drawn];
    }""")
    assert pictured == [bool(re.search(r"^(dp\.(explore|play)|plt\.show)\(", code, re.M)) for code in sources]
    assert sum(pictured) >= 3 and stranded.locator("details .cell_input + .cell_input").count()


def test_jupyterlite_without_a_network_says_so_before_it_is_opened(stranded):
    stranded.locator('a[href*="lite/lab/index.html"]').first.evaluate("link => link.click()")
    expect(stranded.get_by_role("status").first).to_contain_text("JupyterLite’s Python comes from cdn.jsdelivr.net")
    assert stranded.url.endswith(CHAPTER)


def test_a_lab_that_goes_leaves_the_others_marks_and_takes_its_own(published, offline_context):
    page = offline_context().new_page()
    page.goto((published / CHAPTER).as_uri())
    page.wait_for_selector("body[data-filled]", state="attached")
    for lab in (FIRST, GONE, THIRD):
        page.evaluate("lab => progress.add(lab)", lab)
    done = page.locator(".admonition.lab", has=page.locator(".quiz-done:visible"))
    assert done.evaluate_all("boxes => boxes.map(box => box.id)") == [FIRST, THIRD]
    assert f"done 2 of this chapter's {len(LABS) - 1} labs" in page.locator(".quiz-count").last.inner_text()
