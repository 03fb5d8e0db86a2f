# Everything a reader, a lecturer or a maintainer runs; `make help` lists it. Without make: python -m tools --help.
PYTHON ?= python3
PORT ?= 8000
PAPER ?= A4
# Two processes share the cores; BLAS threads of their own would slow small matrices down many times.
export OPENBLAS_NUM_THREADS ?= 1
BIN := .venv/bin
# What was installed last: pinned versions, or with NEWEST=1 the newest ones, as the weekly run does.
KIND := $(if $(NEWEST),in,txt)
READY := .venv/.book-$(KIND)
DEV := .venv/.dev-$(KIND)
CHAPTERS := $(wildcard book/$(CHAPTER)*.ipynb)
LITE := _build/lite/.ready

.PHONY: help book thebe colab serve pdf check test test-grading test-all lint faults links lighthouse sliders notebooks minutes \
	notebooks-check lowest assignments bench engines plans audits mutants sphinx census visits reviews reviews-check runs pins clean

help:  ## list these targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 18

# uv installs in seconds what takes pip minutes; where it can't (it knows no configuration of pip's), pip does.
define install
	@echo "installing $(1)"
	@$(BIN)/uv pip install -q --python $(BIN)/python $(2) || $(BIN)/python -m pip install -q $(2)
endef

.venv/.uv: requirements-uv.txt
	@$(PYTHON) tools/check_python.py
	@echo "making .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --disable-pip-version-check -q --require-hashes -r requirements-uv.txt
	@touch $@

$(READY): .venv/.uv requirements.$(KIND) pyproject.toml
	$(call install,what the book needs,-r requirements.$(KIND) -e .)
	@rm -f .venv/.book-* .venv/.dev-*
	@touch $@

$(DEV): $(READY) requirements-dev.$(KIND)
	$(call install,what tests and tools need,-r requirements.$(KIND) -r requirements-dev.$(KIND) -e .)
	@touch $@

# JupyterLite is part of the site: chapters that run in the reader's browser.  It takes seconds; a site that gets it later
# has to write all pages again.
book: $(READY) $(LITE)  ## build the site in _build/html (executes the chapters whose outputs may change)
	@$(BIN)/python -m tools book

$(LITE): $(READY) $(wildcard book/*.ipynb) $(shell find dp_helpers dp_labs slider_figures -type f -not -name '*.pyc' -not -path '*/tests/*') tools/make_lite.py
	@echo "making JupyterLite"
	@$(BIN)/python -m tools.make_lite

thebe: $(READY)  ## fetch Thebe (needs npm): cells that run on the site's pages; then make book
	@$(BIN)/python -m tools.fetch_thebe

colab: $(READY)  ## write chapters for Google Colab into _build/colab (REPOSITORY=https://github.com/…)
	@$(BIN)/python -m tools.make_colab _build/colab $(REPOSITORY)

serve: book  ## show the site at http://127.0.0.1:8000 (PORT=…)
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

pdf: $(DEV) book  ## print the site as _build/pdf/sliding-epsilon.pdf and link to it; SHORT=1: the short edition (needs Chromium or Chrome; PAPER=Letter)
	$(BIN)/python -m tools.pdf.make_pdf _build/pdf/sliding-epsilon$(if $(SHORT),-short).pdf --paper $(PAPER) $(if $(SHORT),--short)
	@$(if $(SHORT),,touch _build/pdf/.ready)
	@$(if $(SHORT),,$(MAKE) --no-print-directory book)

check: $(DEV)  ## package, labs and the chapters' anatomy in minutes; CHAPTER=05: that chapter in full
	@$(BIN)/python -m tools check $(CHAPTER)

test: $(DEV) book  ## the book's tests: package, labs, every printed output, the site in a browser
	@$(BIN)/python -m tools test

test-grading: $(DEV)  ## the assignments' tests and their grader's: its sandbox, a whole term, what students try (needs bubblewrap)
	@$(BIN)/python -m tools test-grading

test-all: $(DEV) book .venv-nbgrader/.ready  ## both in full: all ε, all pages, nbval, the real census, which is fetched
	@$(BIN)/python -m tools test-all

lint: $(DEV)  ## ruff on package, tests, tools and notebooks; mypy on packages and judges
	@$(BIN)/python -m tools lint

faults: $(DEV) book  ## plant mistakes one by one in a copy and see that a test notices (ten minutes; tests/faults/)
	@$(BIN)/python -m tests.faults.plant

links: $(READY)  ## follow every link of the book to another site
	@$(BIN)/python -m tools links

lighthouse: book  ## measure four pages with Lighthouse as a phone meets them (needs Node and Chromium; 5 minutes)
	$(BIN)/python -m tools.measure.lighthouse

sliders: $(DEV) book  ## measure every slider of the site, from a move to the picture (needs Chromium; 20 minutes)
	$(BIN)/python -m tools.measure.slider_speed

notebooks: $(DEV)  ## format and execute every chapter (CHAPTER=05: one) in place, and write its outputs, as nothing else may
	$(BIN)/python -m tools.run_notebooks $(CHAPTERS)

minutes: $(READY)  ## write into every chapter how long it takes, and execute none; `make notebooks` does so, too
	@$(BIN)/python -m tools.minutes

notebooks-check: $(DEV)  ## execute every chapter without writing; DP_CENSUS=path/to/adult.data runs them on that file
	FIGURE_VENUE=notebook DP_CENSUS=$(abspath $(DP_CENSUS)) \
	    $(BIN)/python -m pytest -q -n 2 --dist loadfile --nbval-lax $(CHAPTERS)

assignments: $(DEV)  ## write the course assignments, for students and lecturers, to _build/assignments
	$(BIN)/python -m grading release

# The same versions as in requirements.txt, so that nbgrader comes to the same marks.
.venv-nbgrader/.ready: grading/requirements-nbgrader.txt requirements.txt pyproject.toml $(READY)
	@echo "making .venv-nbgrader, for test-all"
	@$(PYTHON) -m venv .venv-nbgrader
	@grep -h == requirements.txt requirements-dev.txt > .venv-nbgrader/pins.txt
	@$(BIN)/uv pip install -q --python .venv-nbgrader/bin/python -c .venv-nbgrader/pins.txt -r $< -e . \
	    || .venv-nbgrader/bin/python -m pip install -q -c .venv-nbgrader/pins.txt -r $< -e .
	@touch $@

# What the wheel says that it needs, at the lowest versions; the tests' own tools are new.
.venv-lowest/.ready: pyproject.toml $(READY)
	$(PYTHON) -m venv .venv-lowest
	$(BIN)/uv pip install -q --python .venv-lowest/bin/python --resolution lowest-direct -e .
	$(BIN)/uv pip install -q --python .venv-lowest/bin/python \
	    pytest pytest-timeout pytest-xdist hypothesis nbformat nbclient ipykernel mpmath scikit-learn
	@touch $@

# All tests of the package; old libraries call each other by names of which new ones warn.
LOWEST := $(wildcard tests/package/test_*.py)
lowest: .venv-lowest/.ready  ## test the package at the lowest versions that pyproject.toml allows
	.venv-lowest/bin/python -m pytest -q -n auto -W ignore::DeprecationWarning $(LOWEST)

.venv-bench/.ready: benchmarks/requirements.txt pyproject.toml $(READY)
	$(PYTHON) -m venv .venv-bench
	$(BIN)/uv pip install -q --python .venv-bench/bin/python -r benchmarks/requirements.txt -e . \
	    || .venv-bench/bin/python -m pip install -q -r benchmarks/requirements.txt -e .
	@touch $@

bench: .venv-bench/.ready  ## measure the package beside its peers (2 GB, 10 minutes); writes benchmarks/README.md
	PYTHONPATH=. .venv-bench/bin/python benchmarks/run.py

# Each engine has an environment of its own: their versions of pandas and NumPy exclude each other.
.venv-engines/%/.ready: benchmarks/engines/requirements-%.txt $(READY)
	$(PYTHON) -m venv .venv-engines/$*
	$(BIN)/uv pip install -q --python .venv-engines/$*/bin/python -r $< \
	    || .venv-engines/$*/bin/python -m pip install -q -r $<
	@touch $@

ENGINES := opendp pipelinedp tumult
engines: $(ENGINES:%=.venv-engines/%/.ready)  ## answer one query by four engines, to ten million rows (needs Java 17; a quarter of an hour)
	PYTHONPATH=. $(BIN)/python benchmarks/engines/run.py

plans: $(ENGINES:%=.venv-engines/%/.ready) $(DEV)  ## run the programs that "Plan a release" writes, by all four libraries (needs Java 17)
	$(BIN)/python -m pytest -q tests/site/test_planner.py -k programs

.venv-audits/.ready: audits/requirements.txt audits/smartnoise_faults.py pyproject.toml $(READY)
	$(PYTHON) -m venv .venv-audits
	$(BIN)/uv pip install -q --upgrade --python .venv-audits/bin/python -r audits/requirements.txt -e . \
	    || .venv-audits/bin/python -m pip install -q --upgrade -r audits/requirements.txt -e .
	for release in 1.0.5 1.0.6; do \
	    $(BIN)/uv pip install -q --no-deps --target .venv-audits/smartnoise-synth-$$release smartnoise-synth==$$release \
	        || .venv-audits/bin/python -m pip install -q --no-deps --target .venv-audits/smartnoise-synth-$$release \
	            smartnoise-synth==$$release || exit 1; \
	done
	@touch $@

audits: .venv-audits/.ready  ## audit releases of public libraries (2 GB, a quarter of an hour); writes the tables of book/libraries.md
	.venv-audits/bin/python audits/run.py
	.venv-audits/bin/python audits/faults.py

mutants: $(DEV)  ## change the package in small ways and see whether a test notices (hours; MUTANTS='dp_helpers.selection*': some)
	$(BIN)/uv pip install -q --python $(BIN)/python mutmut==3.8.1
	$(BIN)/mutmut run $(if $(MUTANTS),'$(MUTANTS)')

# The way out of Jupyter Book 1: the same sources, the newest parts.
.venv-sphinx/.ready: requirements-sphinx.in requirements.in $(READY)
	$(PYTHON) -m venv .venv-sphinx
	grep -v '^jupyter-book' requirements.in > .venv-sphinx/parts.in
	$(BIN)/uv pip install -q --upgrade --python .venv-sphinx/bin/python -r $< -r .venv-sphinx/parts.in -e .
	@touch $@

sphinx: .venv-sphinx/.ready  ## build the book strictly with plain Sphinx and the newest versions; in _build/sphinx/html
	.venv-sphinx/bin/python -m sphinx -n -W --keep-going -q . _build/sphinx/html

census: $(READY)  ## make the embedded census again from its tables of counts
	$(BIN)/python -m tools.make_census

visits: $(READY)  ## make the embedded visits again from their laws
	$(BIN)/python -m tools.make_visits

reviews: $(READY)  ## audit the changes to review again; writes reviews/runs.csv
	$(BIN)/python -m reviews

reviews-check: $(READY)  ## audit the changes to review, and many drawn versions, for answers that are wrong (some minutes)
	$(BIN)/python -m reviews.check

runs: $(READY)  ## attack chapter 2's tables and train the models of chapters 12, 21 and 23 again (some minutes); writes dp_helpers/data/runs/
	env -u DP_CENSUS $(BIN)/python -m tools.make_coarse_runs
	env -u DP_CENSUS $(BIN)/python -m tools.make_training_runs
	env -u DP_CENSUS $(BIN)/python -m tools.make_modern_runs
	env -u DP_CENSUS $(BIN)/python -m tools.make_group_runs

pins: $(READY)  ## pin the newest versions of what the .in files ask for; PACKAGE=numpy: of this package alone
	@$(BIN)/python -m tools.make_pins $(PACKAGE)

clean:  ## remove everything that was built (the environment stays)
	rm -rf _build mutants .pytest_cache .ruff_cache .hypothesis
