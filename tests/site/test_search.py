"""The search: what explains a thing comes first, a find opens at its section, both spellings find both."""

import json
import math
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from site_pages import SITE

from tools.book_site.search import other_names

QUESTIONS = json.loads(Path(__file__).with_name("search_questions.json").read_text(encoding="utf-8"))


# By the search page's own parts, without its rows: all questions at once.
FIND = """(questions) => {
  const index = MiniSearch.loadJS(SEARCH_INDEX, finder.INDEX);
  const finds = (question) => finder.search(index, SECTIONS, question).slice(0, 40).map((id) => SECTIONS[id]);
  return questions.map((question) => finds(question).map(([address, , title]) => [address, title]));
}"""


@pytest.fixture(scope="module")
def find(browser, serve):
    """Return of each of several questions what the page would find, in this order: address and title."""
    page = browser.new_page()
    page.goto(f"{serve(SITE)}/search.html?q=noise")
    page.wait_for_selector("#search-results > li")
    yield lambda questions: dict(zip(questions, page.evaluate(FIND, list(questions)), strict=True))
    page.close()


@pytest.fixture
def search(visit):
    """Search for something by hand; return what is shown: title, place, words, address."""

    pages = {}

    def look_for(query, address=None):
        page = pages.setdefault(address, pages.get(address) or visit("search", address=address))
        page.get_by_role("searchbox", name="Search the book").fill("")
        expect(page.get_by_role("status")).to_be_empty()
        page.get_by_role("searchbox", name="Search the book").fill(query)
        expect(page.get_by_role("status")).not_to_be_empty()
        return page.locator("#search-results > li").evaluate_all(
            """rows => rows.map((row) => ({
                title: row.querySelector("a").textContent, place: row.querySelector("span").textContent,
                words: row.querySelector("p").textContent,
                address: row.querySelector("a").href.split("/").slice(-2).join("/")}))"""
        )

    return look_for


# What students type: names, abbreviations, questions, one letter wrong, both spellings; and where the first hit leads.
FIRST = {
    "budget": "glossary#term-budget",
    "renyi": "glossary#term-Renyi-divergence",
    "clip gradient": "12-dp-sgd#how-far-can-one-person-move-the-sum",
    "shuffle": "glossary#term-shuffle-model",
    "local dp": "glossary#term-local-differential-privacy",
    "opendp": "22-one-person-many-rows#going-deeper-what-if-the-log-outgrows-one-machine",
    "ε": "glossary#term-epsilon",
    "randomised response": "glossary#term-randomised-response",
    "differencing attack": "glossary#term-differencing-attack",
    "tensorflow privacy": "16-efficiency-and-safety#going-deeper-which-library-for-real-data",
    "what is delta": "glossary#term-delta",
    "how to choose epsilon": "24-judging-a-claim#going-deeper-which-do-others-use",
    "k-anonymity attack": "glossary#term-homogeneity-attack",
    "census": "24-judging-a-claim#what-did-the-2020-census-promise",
    "group by": "22-one-person-many-rows#one-person-many-rows",
    "groupby": "22-one-person-many-rows#one-person-many-rows",
    "sql": "22-one-person-many-rows#one-person-many-rows",
    "gdpr": "glossary#term-singling-out",
    "law": "glossary#term-singling-out",
    "hipaa": "glossary#term-de-identification",
    "floating point": "16-efficiency-and-safety#efficiency-and-safety-in-code",
    "privacy budget": "glossary#term-budget",
    "error bars": "23-how-sure-is-it#how-wide-is-the-bracket-of-one-count",
    "fairness": "23-how-sure-is-it#who-pays-for-the-noise",
    "minorities": "23-how-sure-is-it#who-pays-for-the-noise",
    "regulator": "24-judging-a-claim#judging-a-claim",
    "exercises": "labs#all-labs",
    "install": "running#run-it",
    "licence": "trust#may-you-use-it-and-how-do-you-cite-it",
    "slides": "lecture#lecture-with-this-book",
    "which epsilon": "24-judging-a-claim#going-deeper-which-do-others-use",
    "join": "22-one-person-many-rows#what-does-a-join-do",
    "judge a claim": "24-judging-a-claim#which-seven-gaps-must-a-claim-fill",
    "svt": "glossary#term-sparse-vector-technique",
    "laplace vs gaussian": "08-variants#how-much-does-one-answer-give-away",
    "reidentification": "glossary#term-linkage-attack",
    "sensativity": "glossary#term-sensitivity",
    "ldp": "glossary#term-local-differential-privacy",
    "rr": "glossary#term-randomised-response",
    "zcdp": "glossary#term-zero-concentrated-differential-privacy",
    "gausian mechanism": "glossary#term-Gaussian-mechanism",
    "laplas mechanism": "glossary#term-Laplace-mechanism",
    "randomized responce": "glossary#term-randomised-response",
    "neighboring datasets": "03-differential-privacy#what-exactly-is-promised",
    "post-processing": "glossary#term-post-processing",
    "group privacy": "glossary#term-group-privacy",
    "t-closeness": "glossary#term-t-closeness",
    "what is epsilon": "glossary#term-epsilon",
    "report noisy max": "glossary#term-report-noisy-max",
    "pate": "glossary#term-sample-and-aggregate",
    "netflix": "01-de-identification#how-many-people-does-a-set-of-columns-single-out",
    "local sensitivity vs global sensitivity": "glossary#term-global-sensitivity",
    "median": "07-local-sensitivity#who-can-move-a-median",
    "canary": "glossary#term-canary",
    "binary tree mechanism": "19-continual-release#can-eight-days-share-their-noise",
    "anonymisation": "glossary#term-de-identification",
    "f-dp": "glossary#term-f-DP",
    "advanced composition": "glossary#term-advanced-composition",
    "DP": "glossary#term-differential-privacy",
    "membership inference": "glossary#term-membership-inference",
    "∆f": "glossary#term-sensitivity",  # with the sign for an increment
    "‖·‖₁": "glossary#term-L1-and-L2-sensitivity",
    "postprocesing": "glossary#term-post-processing",
    "postprocessing": "glossary#term-post-processing",
    "gaussian differential privacy": "glossary#term-GDP",
    "gdp": "glossary#term-GDP",
    "approximate dp": "glossary#term-approximate-differential-privacy",
    "(ε, δ)": "glossary#term-approximate-differential-privacy",
    "streaming": "glossary#term-continual-release",
    "running total": "glossary#term-continual-release",
    "can noise be averaged away": "04-properties#what-do-two-answers-cost",
    "epsilon 8": "24-judging-a-claim#going-deeper-which-do-others-use",
    "print": "keep#one-page-to-keep",
    "bibtex": "trust#may-you-use-it-and-how-do-you-cite-it",
    "error in the book": "trust#how-do-you-report-a-mistake",
    "report a mistake": "trust#how-do-you-report-a-mistake",
    "is it legal": "glossary#term-singling-out",
    "answers": "lecturers#what-about-solutions",
    "learning rate": "12-dp-sgd#which-settings-would-you-choose",
    "Differenzielle Privatsphäre": "glossary#term-differential-privacy",
    "Datenschutz": "glossary#term-differential-privacy",
    "Empfindlichkeit": "glossary#term-sensitivity",
    "Rauschen": "03-differential-privacy#which-noise-keeps-the-promise",
    "laplace mechanism python code": "03-differential-privacy#which-noise-keeps-the-promise",
    "variance of laplace": "03-differential-privacy#which-noise-keeps-the-promise",
    "delta meaning": "06-approximate-differential-privacy#what-does-permit",
    "randomized response formula": "13-randomized-response#local-dp-i-randomised-response",
    "how to report epsilon": "24-judging-a-claim#which-seven-gaps-must-a-claim-fill",
    "thresholding": "22-one-person-many-rows#which-pages-may-appear",
    "count distinct users": "22-one-person-many-rows#one-person-many-rows",
    "percentile": "05-sensitivity#going-deeper-a-bound-from-a-quantile",
    "prerequisites": "lecturers#what-do-students-need",
    "how much noise do i need": "06-approximate-differential-privacy#how-much-does-normal-noise-need",
    "privacy amplification": "12-dp-sgd#do-you-need-everybody-in-every-step",
    "random number generator": "16-efficiency-and-safety#who-can-predict-the-noise",
    "exponential mechanism median": "09-exponential-mechanism#which-age-is-in-the-middle",
    "reconstruction attack": "glossary#term-reconstruction-attack",
    "utility": "09-exponential-mechanism#how-good-is-the-choice",
    "敏感度": "glossary#term-sensitivity",
    "隐私预算": "glossary#term-budget",
    "OUE": "glossary#term-optimised-unary-encoding",
    "rappor": "glossary#term-RAPPOR",
    "laplace noise": "03-differential-privacy#which-noise-keeps-the-promise",
    "laplace distribution": "03-differential-privacy#which-noise-keeps-the-promise",
    "gaussian noise": "06-approximate-differential-privacy#how-much-does-normal-noise-need",
    "exponential distribution": "09-exponential-mechanism#the-exponential-mechanism",
    "sensitivity of mean": "05-sensitivity#what-is-sensitivity",
    "what does sensitivity mean": "glossary#term-sensitivity",
    "Δf": "glossary#term-sensitivity",
    "ℓ1": "glossary#term-L1-and-L2-sensitivity",
    "l1 sensitivity": "glossary#term-L1-and-L2-sensitivity",
    "e^ε": "glossary#term-epsilon",
    "δ": "glossary#term-delta",
    "top k": "glossary#term-report-noisy-max",
    "llm": "21-training-today#going-deeper-what-do-large-models-do",
    "chatgpt": "21-training-today#going-deeper-what-do-large-models-do",
    "user level": "glossary#term-user-level",
    "apple": "24-judging-a-claim#can-you-judge-4",
    "lora": "glossary#term-LoRA",
    "k anonymity": "glossary#term-k-anonymity",
    "composition": "glossary#term-composition",
    "auditing": "17-auditing#auditing",
    "clipping bound": "05-sensitivity#what-if-nothing-bounds-a-value",
    "moments accountant": "12-dp-sgd#going-deeper-how-does-the-moments-accountant-count",
    "pld": "glossary#term-privacy-loss-distribution",
    "confidence interval": "23-how-sure-is-it#how-wide-is-the-bracket-of-one-count",
    "cheat sheet": "keep#one-page-to-keep",
    "all labs": "labs#all-labs",
    "privacy loss": "glossary#term-privacy-loss",
    "rényi": "glossary#term-Renyi-divergence",
    "quantile": "05-sensitivity#going-deeper-a-bound-from-a-quantile",
    "synthetic data": "glossary#term-synthetic-data",
    "marginals": "glossary#term-marginal",
    "add remove": "glossary#term-add-remove",
    "replace one": "glossary#term-replace-one",
    "linkage attack": "glossary#term-linkage-attack",
    "hashing": "glossary#term-local-hashing",
    "prefix": "glossary#term-prefix-tree",
    "timing attack": "16-efficiency-and-safety#going-deeper-which-library-for-real-data",
    "seed": "16-efficiency-and-safety#who-can-predict-the-noise",
    "lecture slides": "lecture#lecture-with-this-book",
    "errata": "errata#errata-of-well-known-teaching-material",
}


def test_what_students_type_leads_to_what_teaches_it(find):
    """Of names, abbreviations and slips nearly all lead to their page; most to the very section, at first."""
    places = {
        query: [address.removeprefix("book/").replace(".html", "") for address, _ in found]
        for query, found in find(FIRST).items()
    }
    pages = {query: [place.partition("#")[0] for place in found[:3]] for query, found in places.items()}
    lost = [query for query, place in FIRST.items() if place.partition("#")[0] not in pages[query]]
    assert len(lost) <= 0.1 * len(FIRST), lost
    assert sum(places[query][:1] == [place] for query, place in FIRST.items()) >= 0.6 * len(FIRST)


def test_questions_lead_to_a_page_that_answers_them(find):
    """Sixty-two questions as people type them; their right pages were fixed before anybody had searched."""
    places, found = {}, find([asked["question"] for asked in QUESTIONS])
    for asked in QUESTIONS:
        shown = [f"{address.partition('/')[2]} {title}" for address, title in found[asked["question"]]]
        right = [bool(re.search(asked["right"], one, re.I)) for one in shown]
        places[asked["question"]] = right.index(True) if any(right) else math.inf
    later = {question: place for question, place in places.items() if place}
    assert len(later) <= 0.15 * len(QUESTIONS), later
    assert sum(place > 2 for place in places.values()) <= 0.03 * len(QUESTIONS), later


OF_A_KIND = {
    # Small words that make another question of it.
    "ε": "glossary.html#term-epsilon",
    "what is epsilon": "glossary.html#term-epsilon",
    "which epsilon": "24-judging-a-claim.html",
    # The book's own subject beside what is asked.
    "spark differential privacy": "22-one-person-many-rows.html#going-deeper-what-if-the-log",
    "verifiable differential privacy": "field.html",
    # All of the words before some of them.
    "how many labs": "labs.html",
    "sensitivity of a median": "07-local-sensitivity.html",
    # What the book doesn't teach.
    "snowflake": "field.html|22-one-person-many-rows.html",
    "machine unlearning": "field.html",
}


def test_a_question_of_each_kind_leads_to_its_answer_first(find):
    for asked, found in find(OF_A_KIND).items():
        assert re.search(OF_A_KIND[asked], found[0][0]), asked


def titles(kind):
    """Return the titles of what the search page knows of this kind."""
    script = (SITE / "_static" / "sections.js").read_text(encoding="utf-8")
    return [title for _, one, title, *_ in json.loads(script.partition("=")[2].strip().rstrip(";")) if one == kind]


def test_a_word_more_loses_nothing(find):
    for word in ("composition", "clipping", "histogram", "budget"):
        alone, more = find([word, f"{word} xylophone for everybody in the office"]).values()
        assert {address for address, _ in alone[:5]} <= {address for address, _ in more}, word


OTHER_LANGUAGES = {
    "Gaußmechanismus": "Gaussian-mechanism",
    "mécanisme exponentiel": "exponential-mechanism",
    "differenzielle Privatsphäre": "differential-privacy",
    "k-Anonymität": "k-anonymity",
    "confidentialité différentielle locale": "local-differential-privacy",
}


def test_german_and_french_names_lead_to_their_term(find):
    assert set(other_names()) <= set(titles("term"))
    for query, found in find(OTHER_LANGUAGES).items():
        first = [address for address, _ in found[:2]]
        assert f"book/glossary.html#term-{OTHER_LANGUAGES[query]}" in first, query


def test_chinese_is_found_anywhere_in_a_name(search):
    for words, least in {"噪声": 5, "敏感": 4}.items():
        found = [one for one in search(words) if one["address"].startswith("book/glossary")]
        assert len(found) >= least and all(words in one["words"] for one in found), words


HAN = re.compile(r"[\u4e00-\u9fff]")


def test_excerpts_are_words_and_english_comes_first(search):
    """No label of a theorem stands for its name, and a term's meaning comes before its Chinese name."""
    script = (SITE / "_static" / "sections.js").read_text(encoding="utf-8")
    assert not re.findall(r"\b(?:thm|def|lem|alg|cor|prop)-[a-z-]+", re.sub(r'"book/[^"]*"', "", script))
    for query in ("budget", "laplace", "privacy loss"):
        first = search(query)[0]
        assert first["address"].startswith("book/glossary") and not HAN.search(first["words"][:40]), query


SPELLINGS = {
    "randomised response": "randomized response",
    "generalised": "generalized",
    "neighbour": "neighbor",
    "analyse": "analyze",
    "ε": "epsilon",
    "budgets": "budget",
}


def test_both_spellings_find_the_same(find):
    for spellings in SPELLINGS.items():
        one, other = find(spellings).values()
        assert len(one) > 1 and one == other, spellings


def test_a_find_opens_at_its_section_and_shows_words(search, find):
    found = search("household")
    assert len(found) > 2
    assert [[one["address"], one["title"]] for one in found] == find(["household"])["household"]
    for one in found:
        assert "\\" not in one["words"] and "$" not in one["words"] and one["title"]
        page, _, anchor = one["address"].partition("#")
        assert f'id="{anchor}"' in (SITE / page).read_text(encoding="utf-8"), one["address"]


def sections(page):
    page.get_by_role("searchbox", name="Search the book").fill("noise")
    expect(page.get_by_role("status")).not_to_be_empty()
    return page.evaluate("SECTIONS.map((one) => one[0])")


def test_every_section_of_the_index_is_on_its_page(visit):
    page = visit("search")
    addresses = sections(page)
    assert len(addresses) > 500
    pages = {}
    for address in addresses:
        name, _, anchor = address.partition("#")
        html = pages.setdefault(name, (SITE / name).read_text(encoding="utf-8"))
        assert f'id="{anchor}"' in html, address


def test_it_searches_a_site_of_files(search):
    assert search("laplace", address=SITE.as_uri())[0]["title"] == "Laplace mechanism"


def test_what_is_not_there_is_said(visit):
    page = visit("search")
    page.get_by_role("searchbox", name="Search the book").fill("xylophone")
    expect(page.get_by_role("status")).to_contain_text("Nothing found")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_dialogs_finds_lie_on_a_ground_of_their_own(theme, visit):
    page = visit("book/glossary", theme=theme)
    page.keyboard.press("Control+k")
    ground = "(element) => getComputedStyle(element).backgroundColor"
    assert page.locator("#pst-search-dialog").evaluate(ground) == page.locator("body").evaluate(ground)


def test_the_field_of_every_page_leads_here_and_its_icon_hides_no_letter(visit):
    page = visit("book/glossary")
    page.keyboard.press("Control+k")
    field = page.locator("#pst-search-dialog input")
    icon = page.locator("#pst-search-dialog .fa-magnifying-glass").bounding_box()
    assert icon["x"] + icon["width"] <= field.bounding_box()["x"] + 1
    field.fill("laplace mechanism")
    finds = page.locator("#pst-search-dialog li a")
    expect(finds.first).to_have_text("Laplace mechanism")  # while one types
    assert finds.count() == 8 and finds.first.get_attribute("href").endswith(
        "book/glossary.html#term-Laplace-mechanism"
    )
    field.press("Enter")
    expect(page.locator("#search-results > li a").first).to_have_text("Laplace mechanism")
    page.locator("#search-results > li a").first.click()
    expect(page.locator("dt:target, :target dt").first).to_contain_text("Laplace mechanism")
    assert not page.get_by_text("Hide Search Matches").count()
