"""The back matter that isn't a notebook: the census, the glossary, and the pages for lecturers."""

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from chapters.chapter_notebook import BOOK, read

import dp_helpers as dp
from grading.source import find
from tools import minutes
from tools.check_release import drafts

ROOT = BOOK.parent
CHAPTERS = sorted(path.stem for path in BOOK.glob("[0-9][0-9]-*.ipynb") if f"book/{path.stem}" not in drafts())


def text(name):
    return (BOOK / f"{name}.md").read_text(encoding="utf-8")


def run(name, monkeypatch):
    """Run the cells of a Markdown page where the site's build runs them, and return what they leave."""
    monkeypatch.chdir(BOOK)
    source = "\n".join(
        re.findall(r"^```\{code-cell\} ipython3\n(?::tags:[^\n]*\n)?(.*?)^```$", text(name), re.S | re.M)
    )
    namespace = {}
    exec(compile(source, name, "exec"), namespace)
    return namespace


def test_back_matter_is_in_order():
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8").split("Back matter")[1]
    expected = "keep in-150-lines judge plan review one-release field labs figures trust running census"
    expected += " notation glossary errata libraries lecturers lecture sources contributing api bibliography"
    assert re.findall(r"file: book/([\w-]+)$", toc, re.M) == expected.split()


# The page to keep

CALL = re.compile(r"`((?:dp\.|next\()[^`]*\([^`]*\))`")


def test_the_calls_of_the_page_to_keep_run():
    rng = np.random.default_rng(0)
    given = {
        "dp": dp, "rng": rng, "ε": 1.0, "δ": 1e-5, "Δ": 1, "ρ": 0.5, "σ": 4.0, "q": 0.01, "k": 10, "l": 0, "u": 10,
        "x": np.array([2, 3, 5, 5]), "f": 4, "kinds": [2, 3, 5], "names": ["a", "b"], "scores": [1, 2],
        "answers": [1, 9], "t": 5, "np": np, "b": 2.0, "visits": dp.load_visits(), "pages": ["news", "sport"], "L0": 3,
        "a": 10,
    }  # fmt: skip
    calls = CALL.findall(text("keep"))
    assert len(calls) > 20
    for call in calls:
        assert eval(call, given) is not None, call


def test_the_formulas_of_the_page_to_keep_are_the_packages():
    epsilon, beta, rho, delta = 0.7, 0.05, 0.02, 1e-6
    assert dp.laplace_accuracy(scale=1 / epsilon, confidence=1 - beta) == pytest.approx(math.log(1 / beta) / epsilon)
    assert dp.zcdp_to_dp(rho, delta=delta) < rho + 2 * math.sqrt(rho * math.log(1 / delta))
    assert dp.zcdp_gaussian(sigma=3.0) == pytest.approx(1 / (2 * 3.0**2))
    scale, sigma = 7.0, 3.0
    assert dp.laplace_accuracy(scale=scale, confidence=0.95) == pytest.approx(3.0 * scale, rel=0.01)
    assert dp.gaussian_accuracy(sigma=sigma, confidence=0.95) == pytest.approx(1.96 * sigma, rel=0.01)
    beyond = math.exp(-4.1) * (1 + 4.1 / 2)  # how often a difference of two Laplace draws is more than 4.1 scales
    assert beyond == pytest.approx(0.05, rel=0.02)
    grown = math.exp(epsilon)
    one, many = dp.RandomizedResponse.from_epsilon(epsilon), dp.UnaryEncoding.optimized(range(20), epsilon)
    error = math.sqrt(grown) / (grown - 1)
    assert one.truth == pytest.approx(grown / (1 + grown)) or one.truth == pytest.approx((grown - 1) / (grown + 1))
    assert math.sqrt(one.variance(1, 0.3)) == pytest.approx(error)
    assert math.sqrt(many.variance(1, 0)) == pytest.approx(2 * error)


def test_the_page_to_keep_says_what_an_epsilon_does_to_a_guess(monkeypatch):
    """By the odds: they grow by e^ε at most.  What is printed is rounded up, and nobody becomes certain."""
    guesses = run("keep", monkeypatch)["guesses"]
    for column, said in guesses.items():
        for before, after in zip((0.01, 0.5), said, strict=True):
            odds = before / (1 - before) * math.exp(float(column))
            assert 0 <= float(after) / 100 - odds / (1 + odds) <= 0.001 and float(after) < 100
    assert {"0.1", "1", "10"} <= set(guesses.columns)


# For lecturers

QUIZ = re.compile(r"^(:{4,})\{admonition\}[^\n]*\n:class: quiz\n(.*?)^\1$", re.S | re.M)


def wrong_choices(path):
    """Return the wrong choices of all questions of a chapter."""
    prose = "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    for _, body in QUIZ.findall(prose):
        choices, reasons = (re.findall(r"^\d+\. (.+)$", part, re.M) for part in body.split("{dropdown}"))
        yield from (choice for choice, reason in zip(choices, reasons, strict=True) if not reason.startswith("Right"))


def test_what_tempts_is_a_wrong_choice_of_the_chapter():
    parts = re.split(r"^\*\*\{ref\}`chapter-(\d+)`\*\*$", text("lecture"), flags=re.M)[1:]
    asked = {
        int(number): re.findall(r"^- “(.+?)” \S", part, re.M)
        for number, part in zip(parts[::2], parts[1::2], strict=True)
    }
    assert list(asked) == [int(path[:2]) for path in CHAPTERS]
    for path in CHAPTERS:
        tempting = asked[int(path[:2])]
        assert len(tempting) == 3 and set(tempting) <= set(wrong_choices(path)), path


# The census


def test_the_published_table_is_that_of_the_census(monkeypatch):
    page = run("census", monkeypatch)
    ours = page["ours"].loc[page["real"].index, page["real"].columns]
    assert (ours == page["real"]).all(axis=None) and page["real"].to_numpy().sum() == 32561


def test_pairs_are_no_farther_than_the_page_says(monkeypatch):
    monkeypatch.chdir(BOOK)
    pairs = pd.read_csv(ROOT / "tests" / "census_reference_tvd.csv")
    assert (pairs["tvd"] < 0.001).mean() > 0.5  # "most pairs agree as well, or nearly"
    largest = pairs.sort_values("tvd").tail(10)
    banded = {"Age", "Hours per week", "Capital Gain", "Capital Loss"}
    assert all(banded & set(pair) for pair in largest[["a", "b"]].to_numpy().tolist())
    assert (pairs["tvd"] <= 1.25 * pairs["bootstrap"]).all()


def test_the_page_says_what_the_datasheet_says():
    datasheet = (ROOT / "dp_helpers" / "data" / "README.md").read_text(encoding="utf-8")
    page = text("census")
    for fact in ["32,561", "76 tables", "10.24432/C5XW20", "CC BY 4.0", "31 December 2024", "DP_CENSUS"]:
        assert fact in datasheet and fact in page
    assert "Of the tables, 31\nare exact" in page and "31 of the tables are exact" in datasheet


# The libraries


def test_the_audited_libraries_keep_what_they_promise_and_the_page_prints_it(monkeypatch):
    page = run("libraries", monkeypatch)
    audits = page["audits"]
    assert (audits["proven"] <= audits["claimed"])[audits["covered"]].all()  # "No interval showed anything"
    seen = audits[audits["fine_zero"].notna()]
    assert set(seen["query"]) == {"sum", "mean"} and set(seen["package"]) == {"opendp", "diffprivlib"}
    given_away = (seen["fine_one"] == 0) & (seen["fine_zero"] > 0.005)
    assert given_away.tolist() == (seen["package"] == "diffprivlib").tolist()
    fair = seen[~given_away]
    assert (fair["fine_zero"] / fair["fine_one"] < np.e).all()
    assert set(audits["relation"]) == {"add/remove", "replace-one"} and audits["version"].notna().all()
    assert {"count", "sum", "mean", "quantile", "histogram", "noisy max", "training step"} == set(audits["query"])
    assert pd.to_datetime(audits["date"]).notna().all() and (audits["trials"] >= 1_000).all()
    assert (audits["delta"] > 0).tolist() == (audits["query"] == "training step").tolist()
    other, held = page["twice"].sort_values("covered")["proven"]
    assert held <= 1 < 4 < other  # "much less than ε = 1" of protection
    assert len(audits) * (1 - 0.9999) < 0.003  # "99.7%"


def test_what_trackers_report_is_shown_and_what_is_mended_isnt(monkeypatch):
    faults = run("libraries", monkeypatch)["faults"]
    refuted = faults["proven"] > faults["claimed"]
    reported = faults["tracker"].str.startswith("#") | (faults["package"] == "dp_helpers")
    assert refuted.tolist() == (reported & (faults["state"] == "as released")).tolist()
    bits = faults[faults["fine_one"].notna()]
    gives_away = (bits["fine_one"] == 0) & (bits["fine_zero"] > 0.05)
    assert set(bits.loc[gives_away, "package"]) == {"diffprivlib", "dp_helpers"}  # "OpenDP's and Google's pass"
    assert set(bits.loc[~gives_away, "package"]) == {"opendp", "python-dp"}
    assert (faults["trials"] >= 1_000).all() and pd.to_datetime(faults["date"]).notna().all()


def test_the_four_reports_in_a_few_lines(monkeypatch):
    page = run("libraries", monkeypatch)
    assert (page["divisor"](20, 10), page["divisor"](19, 10)) == (10, 9)
    quarter = abs(page["noise"]) < 1 / 4
    assert 0.15 < quarter.mean() < 0.3 and page["count"] == 0 and page["fine"].mean() > 0.1
    sketches = dict(re.findall(r"```python\n(def (\w+).*?)```", text("libraries"), re.S)[i][::-1] for i in range(2))
    given = {"np": np}
    for source in sketches.values():
        exec(source, given)
    assert given["scale_of_squares"](0, 10, 1.0) == 0 < given["scale_of_squares"](-10, 0, 1.0)
    rng, far = np.random.default_rng(25), np.array([0.0, 1.0, 1e6])
    assert given["noisy_covariance"](far, far, (0, 1), 1.0, rng) > 1e9


# The release from the wish to the letter


def test_what_the_release_says_of_itself_holds_for_any_seed(monkeypatch):
    page = run("one-release", monkeypatch)
    assert page["scale"] == 6 and 17 < page["reach"] < 19 and 85 < page["least"] < 87
    assert page["year"].remaining == pytest.approx((0, 0), abs=1e-12)
    assert 3e-6 < 1e-6 * (1 + np.e) <= 4e-6  # what the visits of a week say: one row out, one in
    week, share = page["week"], []
    for seed in range(20):
        rng, few = np.random.default_rng(seed), {"person": "person", "group": "page", "most_groups": 3}
        keys = dp.select_keys(week, **few, epsilon=0.5, delta=1e-6, rng=rng)
        assert len(keys) >= 10
        counts = dp.private_group_counts(week, **few, keys=keys, epsilon=0.5, rng=rng).nlargest(10)
        share.append(counts.sum() / page["true"][counts.index].sum())
        assert len(set(page["true"].nlargest(10).index) - set(counts.index)) <= 2  # "good for an order"
    assert min(share) > 0.7 and max(share) < 0.95  # "not for totals"


# The state of the field


def test_the_field_was_looked_at_within_twelve_months_and_each_line_has_its_date():
    """It turns red by the calendar, and on purpose: the page speaks of today."""
    page = text("field")
    looked = pd.Timestamp(re.search(r"Looked at on (\d+ \w+ \d{4})", page)[1])
    assert looked <= pd.Timestamp.today() + pd.Timedelta(days=1)
    assert looked >= pd.Timestamp.today() - pd.DateOffset(months=12), (
        f"book/field.md was last looked at on {looked:%d %B %Y}. Open what each line cites, correct what changed, "
        "take out what is no longer new, and set the day and the title. If you only want to know whether the rest "
        "holds: pytest -k 'not twelve_months'."
    )
    lines = re.findall(r"^- \*\*.+?(?=^- \*\*|^\n|^#|\Z)", page, re.S | re.M)
    assert len(lines) > 20
    undated = [line for line in lines if not re.search(r"\b(19|20)\d\d\b", re.sub(r"\{cite.*?`.*?`", "", line))]
    # A definition, a law or a place in this book has no date of its own.
    assert not [line for line in undated if "ask a lawyer" not in line]


# The bibliography


def test_every_source_that_is_cited_is_in_the_bibliography():
    known = set(re.findall(r"^@\w+\{([^,]+),", (BOOK / "references.bib").read_text(encoding="utf-8"), re.M))
    cited = {}
    for page in [*BOOK.glob("*.ipynb"), *BOOK.glob("*.md")]:
        for keys in re.findall(r"\{cite:[pt]\}`([^`]+)`", page.read_text(encoding="utf-8")):
            cited |= dict.fromkeys(map(str.strip, keys.split(",")), page.name)
    assert len(cited) > 100
    assert not {key: page for key, page in cited.items() if key not in known}


# The glossary


GLOSSARY = text("glossary").split("```{glossary}\n")[1].split("```")[0]


def terms():
    return re.findall(r"^(\S.*)\n.*[\u4e00-\u9fff].*\n((?:  .+\n)+)", GLOSSARY, re.M)


def test_terms_are_alphabetical_and_each_has_its_chinese_name():
    names = [re.sub(r"[^a-z]", "", name.casefold().replace("é", "e")) for name, _ in terms()]
    assert len(names) == len(GLOSSARY.strip().split("\n\n")) >= 45
    assert names == sorted(set(names))


@pytest.mark.parametrize("term", terms(), ids=lambda term: term[0])
def test_a_term_is_short_and_says_where_it_is_taught(term):
    _, meaning = term
    assert re.search(r"→\s+\{ref\}`(chapter-\d+|census)`\n$", meaning)
    sentences = re.split(r"(?<=[.?]) (?!→)", " ".join(meaning.split()))
    assert 1 <= len(sentences) <= 3


BOLD = """
pseudonymised = pseudonymisation; k-anonymous = k-anonymity; generalising = generalisation;
suppressing = suppression; distinct l-diverse = l-diversity;
ε-differentially private = differential privacy; drowned = drowned cell;
(ε, δ)-differentially private = approximate differential privacy; pure = pure differential privacy;
l1 sensitivity = l1 and l2 sensitivity; l2 sensitivity = l1 and l2 sensitivity;
(α, ε)-rdp = rényi differential privacy; ρ-zcdp = zero-concentrated differential privacy; gumbel = gumbel noise;
clip = clipping; differentially private stochastic gradient descent = dp-sgd;
local model = local differential privacy; ε-locally differentially private = local differential privacy;
noise = noise of a coin; she = histogram encoding; the = histogram encoding; optimised local hashing = local hashing;
clamp = clamping; tree = tree of marginals; two-sided geometric noise = geometric noise;
cryptographically secure = cryptographically secure generator; merge = tally; risk = confidence;
clopper and pearson = clopper-pearson limits; square root = square root of a matrix; heavy hitters = heavy hitter;
skellam = skellam noise; canaries = canary; shadow models = shadow model;
l0 = contribution bound; l∞ = contribution bound; invariants = invariant; singled out = singling out
"""
OTHER_FORMS = dict(pair.split(" = ") for pair in " ".join(BOLD.split()).split("; "))
"""Terms that a chapter has in bold in another form than the glossary's."""
EMPHASIS = {"people", "set", "a whole household", "a person with all their visits", "replaced", "bought", "classical"}
EMPHASIS |= {"add", "vote", "sample"}
"""Words that are bold without being terms."""


def bold_terms(chapter):
    """Return the glossary's names of what the chapter has in bold, and other terms as they stand."""
    prose = "\n\n".join(cell.source for cell in read(chapter).cells if cell.cell_type == "markdown")
    taught = re.sub(r"^## (Before you start|Summary)$.*?(?=^## |\Z)", "", prose, flags=re.S | re.M)
    taught = re.sub(r"^```python$.*?^```$", "", taught, flags=re.S | re.M)
    bold = {term.lower() for term in re.findall(r"\*\*([^*\n]+)\*\*", taught)} - EMPHASIS
    return {OTHER_FORMS.get(term, term) for term in bold}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_glossary_has_the_terms_of_a_chapter(chapter):
    assert not bold_terms(chapter) - {name.lower() for name, _ in terms()}


def test_an_entry_leads_to_the_chapter_in_which_its_term_is_bold_first():
    first = {}
    for chapter in CHAPTERS:
        for term in bold_terms(chapter):
            first.setdefault(term, int(chapter[:2]))
    said = {name.lower(): int(found[1]) for name, text in terms() if (found := re.search(r"chapter-(\d+)`\n$", text))}
    assert len(first.keys() & said.keys()) > 100
    assert {name: said[name] for name in first.keys() & said.keys() if said[name] != first[name]} == {}


# The notation


def test_a_symbol_has_one_meaning_in_a_chapter():
    everywhere, somewhere = text("notation").split("## In a subject")
    general = [
        symbol for row in re.findall(r"^\| (\$.+?) \|", everywhere, re.M) for symbol in re.findall(r"\$.+?\$", row)
    ]
    taken = {(symbol, int(name[:2])) for symbol in general for name in CHAPTERS}
    rows = re.findall(r"^\| (\$.+?) \| (.+?) \| .+ \|$", somewhere, re.M)
    assert len(general) == len(set(general)) > 10 and len(rows) > 40
    for symbols, where in rows:
        ends = [[int(end) for end in re.findall(r"chapter-(\d+)", part)] for part in where.split(", ")]
        chapters = {number for part in ends for number in range(part[0], part[-1] + 1)}
        for symbol in re.findall(r"\$.+?\$", symbols):
            meanings = {(symbol, number) for number in chapters}
            assert not meanings & taken, symbol
            taken |= meanings


def test_the_chapters_use_the_symbols():
    for symbols, where in re.findall(r"^\| (\$.+?) \| (.+?) \| .+ \|$", text("notation"), re.M):
        for number in re.findall(r"chapter-(\d+)", where):
            chapter = next(name for name in CHAPTERS if int(name[:2]) == int(number))
            prose = "\n".join(cell.source for cell in read(chapter).cells if cell.cell_type == "markdown")
            formulas = re.sub(r"[{} ]", "", "\n".join(re.findall(r"\$\$.+?\$\$|\$[^$]+\$", prose, re.S)))
            for symbol in re.findall(r"\$([^$]+)\$", symbols):
                assert re.sub(r"[{} ]", "", symbol) in formulas, (symbol, chapter)


# For lecturers


def test_every_chapter_says_how_long_it_takes(monkeypatch):
    table = run("lecturers", monkeypatch)["chapters"]
    rows = {f"{int(title.split()[0]):02}": numbers for title, *numbers in table}
    for name in CHAPTERS:
        reading, short, deeper, labs, *counts = rows[name[:2]]
        stated = minutes.stated(BOOK.joinpath(f"{name}.ipynb").read_text(encoding="utf-8"))
        assert stated == {"whole": reading, "short": short, "labs": labs} | ({"deeper": deeper} if deeper else {})
        assert 20 <= reading <= 120 and 0 <= deeper <= 90 and 20 <= labs <= 180
        assert 3 <= sum(counts) <= 6


def test_assignments_are_those_that_exist():
    table = re.findall(r"^\| (\d+)\. (.+?) \| (.+) \|$", text("lecturers"), re.M)
    sources = [(folder / "source.py").read_text(encoding="utf-8") for folder in find(ROOT / "assignments")]
    assert [row[:2] for row in table] == [re.search(r"# Assignment (\d+): (.+)", source).groups() for source in sources]
    for (*_, chapters), source in zip(table, sources, strict=True):
        needs = re.search(r"You need(.+?)hours?", source, re.S)[1]
        assert set(re.findall(r"chapter-(\d+)", chapters)) <= set(re.findall(r"\d+", needs))


def test_labs_in_class_have_one_star_and_homework_two():
    prose = "\n".join(cell.source for name in CHAPTERS for cell in read(name).cells)
    stars = {name: rule for rule, name in re.findall(r"\} Lab [\d.]+ · (★+) · .*\n:class: lab\n:name: (\S+)", prose)}
    named = 0
    for head, body in re.findall(r"^(\| weeks? \|.*labs.*)\n\|[- |]+\n((?:\|.*\n)+)", text("lecturers"), re.M):
        columns = [part.strip() for part in head.split("|")]
        for row in body.splitlines():
            cells = dict(zip(columns, row.split("|"), strict=True))
            for place, rule in (("labs in class", "★"), ("homework", "★★")):
                labs = re.findall(r"\{ref\}`(lab-[^`]+)`", cells.get(place, ""))
                assert {stars[lab] for lab in labs} <= {rule}, row
                named += len(labs)
    assert named > 40


WEEKS = {"Four": 4, "Eight": 8, "Fourteen": 14}


def syllabi():
    """Return the number of weeks, the chapters of each row and its assignments, for each plan of the page."""
    plans = []
    for name, plan in re.findall(r"^\*\*(\w+) weeks\b(.*?)(?=^\*\*\w+ weeks\b|^## )", text("lecturers"), re.S | re.M):
        head, _, *rows = [
            [part.strip() for part in row.strip("|").split("|")] for row in re.findall(r"^\|.*\|$", plan, re.M)
        ]
        weeks, chapters, given = (
            [row[head.index(name)] for row in rows] for name in (head[0], "chapters", "assignment")
        )
        numbers = [[int(number) for number in re.findall(r"chapter-(\d+)", cell)] for cell in chapters]
        plans.append((WEEKS[name], weeks, numbers, [re.findall(r"\d+", cell) for cell in given]))
    return plans


def needed(chapter):
    """Return the chapters to which "Before you start" refers."""
    prose = "\n\n".join(cell.source for cell in read(chapter).cells if cell.cell_type == "markdown")
    before = re.search(r"^## Before you start$(.*?)(?=^## )", prose, re.S | re.M)[1]
    return {int(number) for number in re.findall(r"\{ref\}`chapter-(\d+)`", before)}


def test_a_syllabus_teaches_what_is_needed_before_it_is_needed():
    table = re.findall(r"^\| (\d+)\. .+? \| (.+) \|$", text("lecturers"), re.M)
    assignments = {number: {int(k) for k in re.findall(r"chapter-(\d+)", chapters)} for number, chapters in table}
    needs = {int(name[:2]): needed(name) for name in CHAPTERS}
    assert sum(map(len, needs.values())) > 30
    for _, _, rows, given in syllabi():
        taught = set()
        for chapters, numbers in zip(rows, given, strict=True):
            taught |= set(chapters)
            for chapter in chapters:
                assert needs[chapter] <= taught, f"chapter {chapter}"
            for number in numbers:
                assert assignments[number] <= taught, f"assignment {number}"


def test_weeks_follow_each_other_and_the_longest_plan_has_all_chapters():
    plans = syllabi()
    assert [number for number, *_ in plans] == sorted(number for number, *_ in plans)
    assert {number for number, *_ in plans} == set(WEEKS.values())
    for number, weeks, rows, _ in plans:
        ends = [[int(end) for end in re.findall(r"\d+", label)] for label in weeks]
        assert [week for pair in ends for week in range(pair[0], pair[-1] + 1)] == list(range(1, number + 1))
        taught = [chapter for row in rows for chapter in row]
        assert len(taught) == len(set(taught))
    assert sorted(taught) == [int(name[:2]) for name in CHAPTERS]


def test_labs_in_a_syllabus_exist():
    rows = "\n".join(re.findall(r"^\| .*\|$", text("lecturers"), re.M))
    named = set(re.findall(r"\{ref\}`(lab-[\w-]+)`", rows))
    prose = "\n".join(cell.source for name in CHAPTERS for cell in read(name).cells)
    assert named and named <= set(re.findall(r"^:name: (lab-\S+)$", prose, re.M))
    assert not re.search(r"\b\d+\.\d\b(?=[,\s|])", rows), "a lab is named, and its number counted"


# Where the sources' demonstrations are


def demonstrations():
    """Return demonstration, number of the chapter, heading of the section and what to look for, for each row."""
    return re.findall(r"^\| ([^|]+) \| \{ref\}`\d+ <chapter-(\d+)>` \| ([^|]+) \| (\S[^|]*) \|$", text("sources"), re.M)


def test_every_demonstration_says_where_it_is():
    rows = re.findall(r"^\| (?!demonstration |--- )", text("sources"), re.M)
    found = demonstrations()
    assert len(rows) == len(found) > 100
    assert {int(number) for _, number, *_ in found} >= {*range(1, 17)}


@pytest.mark.parametrize("row", demonstrations(), ids=lambda row: row[0])
def test_a_demonstration_is_where_the_page_says(row):
    _, number, section, cell = row
    chapter = next(name for name in CHAPTERS if int(name[:2]) == int(number))
    heading, shown = "", {}
    for part in read(chapter).cells:
        if part.cell_type == "markdown":
            for heading in re.findall(r"^## (.+)$", part.source, re.M):
                shown[heading] = ""
        elif heading:
            shown[heading] += (
                f"{part.source}\n{{numref}}`{part.metadata.get('mystnb', {}).get('figure', {}).get('name')}`"
            )
    assert section in shown
    assert (cell if cell.startswith("{numref}") else cell.strip("`")) in shown[section]


def test_the_citation_is_that_of_the_repository():
    citation = Path(ROOT / "CITATION.cff").read_text(encoding="utf-8")
    page = text("lecturers")
    for field in ["title", "version"]:
        value = re.search(rf'^{field}: "?([^"\n]+)"?$', citation, re.M)[1]
        assert value in page
    assert re.search(r"^date-released: (\d{4})", citation, re.M)[1] in page
    assert re.search(r'name: "([^"]+)"', citation)[1] in page


def test_the_front_page_counts_the_chapters():
    assert int(re.search(r"in (\d+) chapters", text("index"))[1]) == len(CHAPTERS)
