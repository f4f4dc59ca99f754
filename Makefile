# Every target sets up what it needs in .venv; only Python 3.11+ and make must be present.
PYTHON ?= python3
BIN := .venv/bin
# Knows dependency groups, and is twice as fast as the pip that comes with Python 3.11.
PIP := 'pip>=25.1'
# Byte code is written on first import instead: compiling all packages takes longer than downloading them.
INSTALL := $(BIN)/pip install --quiet --no-compile --constraint constraints.txt
AXE := build/axe/node_modules/axe-core/axe.min.js
# What shares a server stays together, and what takes longest begins first: see tests/conftest.py.
PYTEST := $(BIN)/pytest -n 2 --no-loadscope-reorder
# Tests start many processes, each of which would otherwise compile every module that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test slow check format docs bench league rules-table raw-files bench-ratings soak pictures papers league-page screenshots api-page clean

demo: .venv/installed
	$(BIN)/askance demo

# What is about machine code runs compiled, the rest with the compiler off, which saves the time to compile.
test: .venv/installed-test $(AXE)
	$(PYTEST) -m compiled
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m plain

# What guards the same things more closely: run before a change is merged.
slow: .venv/installed-test $(AXE)
	$(PYTEST) --slow -m 'slow and compiled'
	NUMBA_DISABLE_JIT=1 $(PYTEST) --slow -m 'slow and plain'

check: .venv/installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/codespell
	$(BIN)/python tools/check_words.py

format: .venv/installed-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: .venv/installed-docs
	$(BIN)/sphinx-build -W -b html docs build/docs

bench: .venv/installed-bench
	$(BIN)/python -m bench
	$(MAKE) bench-ratings

# Who gets the best result from the same number of labels. Takes hours, and goes on from what it has stored.
league: .venv/installed-bench
	$(BIN)/python -m bench.league

# Every update rule with every query rule at equal labels. Goes on from what it has stored; writes the tables and
# diagrams of the documentation.
rules-table: .venv/installed-test
	$(BIN)/python -m bench.rules

# What the defaults reach on raw files; writes the table of the documentation.
raw-files: .venv/installed-test
	$(BIN)/python -m bench.raw_files

bench-ratings: .venv-ratings/installed
	.venv-ratings/bin/python -m bench ratings

# The long versions of the tests.
soak: .venv/installed-test $(AXE)
	$(PYTEST) --soak

# Generated files that are kept in the repository.
pictures: .venv/installed-test
	$(BIN)/python tools/make_pictures.py

papers: .venv/installed-test  # from what `askance reproduce` has stored in `reproduced`
	$(BIN)/python tools/make_papers.py reproduced

league-page: .venv/installed-test  # from what `make league` has stored
	$(BIN)/python tools/make_league.py

screenshots: .venv/installed-test  # of every page, into build/screenshots; those of the tutorial are kept
	$(BIN)/python tools/make_screenshots.py --keep

api-page: .venv/installed-test
	$(BIN)/python tools/make_api.py

# ---- environments: a stamp for each set of packages

.DELETE_ON_ERROR:

# With the pip that is there, if there is one: the pip that comes with venv takes 8 s to install and is outdated.
.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "askance needs Python 3.11 or later; choose one with: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv --without-pip .venv
	$(PYTHON) -m pip --python $@ install --quiet --no-compile $(PIP) || \
		{ $(PYTHON) -m venv .venv && $(BIN)/pip install --quiet --no-compile --upgrade $(PIP); }

.venv/installed: .venv/bin/python pyproject.toml constraints.txt
	$(INSTALL) --editable '.[plots]'
	@touch $@

.venv/installed-test: .venv/installed
	$(INSTALL) --editable '.[all]' --group dev
	@touch $@

.venv/installed-docs: .venv/installed
	$(INSTALL) --editable '.[plots,service]' --group docs
	@touch $@

.venv/installed-bench: .venv/installed-test
	$(INSTALL) --group bench || echo "some peers could not be installed; the table will leave them out"
	@touch $@

# The peers for ratings need 6 GB and an older pandas, so an environment of their own.
.venv-ratings/installed: .venv/bin/python pyproject.toml
	$(BIN)/python -m venv .venv-ratings
	.venv-ratings/bin/pip install --quiet --upgrade $(PIP)
	.venv-ratings/bin/pip install --quiet --editable . --group bench-ratings || \
		.venv-ratings/bin/pip install --quiet --editable .
	@touch $@

# A tool that looks for barriers in pages. Tests that need it say so if npm cannot fetch it.
$(AXE):
	@npm install --prefix build/axe --no-save --no-audit --no-fund --silent axe-core@4.14.0 || \
		echo "axe-core could not be fetched with npm; the tests that need it will say so"

clean:
	rm -rf .venv .venv-ratings build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
