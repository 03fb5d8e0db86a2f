# Everything a reader, a lecturer or a maintainer runs.  Needs Python 3.11, 3.12 or 3.13; `make help` lists it.
PYTHON ?= python3
# The weekly run replaces the pins by the newest versions: make test REQUIREMENTS=requirements.in
REQUIREMENTS ?= requirements.txt
PORT ?= 8000
PAPER ?= A4
# Two processes share the cores; BLAS threads of their own would slow small matrices down many times.
export OPENBLAS_NUM_THREADS ?= 1
BIN := .venv/bin
READY := .venv/.ready
CHAPTERS := $(wildcard book/*.ipynb)
LITE := _build/lite/.ready

.PHONY: help book lite thebe colab serve pdf test lint lighthouse sliders notebooks notebooks-check assignments bench mutants \
	census runs pins clean

help:  ## list these targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 18

$(READY): $(REQUIREMENTS) pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v <= (3, 13) else \
	    "This book needs Python 3.11, 3.12 or 3.13; %s is %d.%d. Try: make PYTHON=python3.12 book" % ("$(PYTHON)", *v))'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check -q -r $(REQUIREMENTS)
	$(BIN)/python -m pip install --disable-pip-version-check -q --no-deps -e .
	@touch $(READY)

# Jupyter Book returns 0 for a page with a warning or a failed cell, unless told otherwise. After a failure the
# pages already read are forgotten: otherwise a second try would not see their warnings again.
# JupyterLite, once it was made, is part of the site, and made again when a chapter or the package changed.
book: $(READY) $(wildcard $(LITE))  ## build the site in _build/html (executes the chapters that changed)
	@$(BIN)/jupyter-book build . -n -W --keep-going -q || { rm -rf _build/.doctrees _build/html; exit 1; }
	@echo "The book is built. Open file://$(CURDIR)/_build/html/index.html or run: make serve"

lite: $(LITE) book  ## put JupyterLite into the site: chapters that run in the reader's browser

$(LITE): $(READY) $(CHAPTERS) $(shell find dp_helpers book/data -type f -not -name '*.pyc') tools/make_lite.py
	@$(BIN)/python tools/make_lite.py

thebe: $(READY)  ## fetch Thebe (needs npm): cells that run on the site's pages; then make book
	@$(BIN)/python tools/fetch_thebe.py

colab: $(READY)  ## write chapters for Google Colab into _build/colab (REPOSITORY=https://github.com/…)
	@$(BIN)/python tools/make_colab.py $(REPOSITORY) _build/colab

serve: book  ## show the site at http://127.0.0.1:8000 (PORT=…)
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

pdf: book  ## print the site as _build/pdf/sliding-epsilon.pdf and link to it (needs Chromium or Chrome; PAPER=Letter)
	$(BIN)/python tools/make_pdf.py _build/pdf/sliding-epsilon.pdf --paper $(PAPER)
	@touch _build/pdf/.ready
	@$(MAKE) --no-print-directory book

# Doctests are looked for in conftest.py, too, and two files of that name in folders without a package clash.
test: lint lite .venv-nbgrader/.ready  ## unit tests, every printed output of the chapters, the site in a browser
	$(BIN)/python -m pytest -n 2 --dist loadfile tests dp_helpers --doctest-modules --ignore tests/site \
	    --ignore-glob '*/conftest.py'
	$(BIN)/python -m pytest -n 2 --dist loadfile --nbval $(CHAPTERS)
	$(BIN)/python -m pytest -n 2 --dist loadfile tests/site

lint: $(READY)  ## ruff on package, tests, tools and notebooks
	$(BIN)/ruff check
	$(BIN)/ruff format --check

lighthouse: book  ## measure four pages with Lighthouse as a phone meets them (needs Node and Chromium; 5 minutes)
	$(BIN)/python tools/lighthouse.py

sliders: book  ## measure every slider of the site, from a move to the picture (needs Chromium; a minute)
	$(BIN)/python tools/slider_speed.py

notebooks: $(READY)  ## execute every chapter in place and write its outputs (the only way to write them)
	$(BIN)/python tools/run_notebooks.py $(CHAPTERS)

notebooks-check: $(READY)  ## execute every chapter without writing; DP_CENSUS=path/to/adult.data runs them on that file
	$(BIN)/python tools/run_notebooks.py --check $(CHAPTERS)

assignments: $(READY)  ## write the course assignments, for students and lecturers, to _build/assignments
	cd assignments && ../$(BIN)/python -m grading release

# The same versions as in requirements.txt, so that nbgrader comes to the same marks.
.venv-nbgrader/.ready: assignments/requirements-nbgrader.txt requirements.txt pyproject.toml
	$(PYTHON) -m venv .venv-nbgrader
	grep == requirements.txt > .venv-nbgrader/pins.txt
	.venv-nbgrader/bin/python -m pip install --disable-pip-version-check -q -c .venv-nbgrader/pins.txt -r $<
	.venv-nbgrader/bin/python -m pip install --disable-pip-version-check -q --no-deps -e .
	@touch $@

.venv-bench/.ready: benchmarks/requirements.txt pyproject.toml
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --disable-pip-version-check -q -r benchmarks/requirements.txt
	.venv-bench/bin/python -m pip install --disable-pip-version-check -q -e .
	@touch $@

bench: .venv-bench/.ready  ## measure the package beside its peers (2 GB, 10 minutes); writes benchmarks/README.md
	.venv-bench/bin/python benchmarks/run.py

mutants: $(READY)  ## change the package in small ways and see whether a test notices (an hour; tests/mutants.md)
	$(BIN)/uv pip install -q --python $(BIN)/python mutmut==3.8.1
	$(BIN)/mutmut run

census: $(READY)  ## make the embedded census again from its tables of counts
	$(BIN)/python tools/make_census.py

runs: $(READY)  ## train chapter 12's models again (a few minutes); writes book/data/training_runs.csv
	env -u DP_CENSUS $(BIN)/python tools/make_training_runs.py

pins: $(READY)  ## pin the newest versions of what requirements.in asks for
	@echo "# Made by 'make pins' from requirements.in. Binder reads this file, too." > requirements.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --fork-strategy fewest --upgrade \
	    --no-annotate --no-header --no-emit-index-url requirements.in >> requirements.txt
	@echo "-e ." >> requirements.txt

clean:  ## remove everything that was built (the environment stays)
	rm -rf _build mutants .pytest_cache .ruff_cache .hypothesis
