# Every target sets up what it needs in .venv; only Python 3.11+ and make have to be there.
PYTHON ?= python3
BIN := .venv/bin
SOURCES := src tests bench tools
AXE := build/axe/node_modules/axe-core/axe.min.js

.PHONY: demo test test-plain check format bench bench-ratings soak pictures papers screenshots api-page docs clean

demo: .venv/installed
	$(BIN)/askance demo

test: .venv/installed $(AXE)
	$(BIN)/pytest -n 2 --dist worksteal
	$(MAKE) test-plain

# The same mathematics with the compiler off: slow, so only the tests that say they hold there.
test-plain: .venv/installed
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 2 --dist worksteal -q tests/plain

check: .venv/installed
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy

format: .venv/installed
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

bench: .venv/installed-bench
	$(BIN)/python -m bench
	$(MAKE) bench-ratings

# The peers of the ratings need an environment of their own, of some 6 GB.
bench-ratings: .venv-ratings/installed
	.venv-ratings/bin/python -m bench ratings

soak: .venv/installed $(AXE)
	$(BIN)/pytest -n 2 -m soak --soak

# What looks for barriers in pages, for tests alone; those that need it say so where it cannot be had.
$(AXE):
	@npm install --prefix build/axe --no-save --no-audit --no-fund --silent axe-core@4.14.0 || \
		echo "axe-core could not be fetched with npm; the tests that need it will say so"

# The pictures of the documentation, which are kept: drawing them takes a minute.
pictures: .venv/installed
	$(BIN)/python tools/make_pictures.py

# The pages about the papers, from what `askance reproduce` has stored in `reproduced`.
papers: .venv/installed
	$(BIN)/python tools/make_papers.py reproduced

# Every page, light and dark, on a phone and on a wide screen, in build/screenshots; those of the tutorial are kept.
screenshots: .venv/installed
	$(BIN)/python tools/make_screenshots.py --keep

# The reference of the live service's API, from its own schema.
api-page: .venv/installed
	$(BIN)/python tools/make_api.py

docs: .venv/installed-docs
	$(BIN)/sphinx-build -W -b html docs build/docs

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "askance needs Python 3.11 or later; say which with: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[plots,parquet,live,postgres,spark,dask,ray,dev]'
	@touch $@

.venv/installed-bench: .venv/installed
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[bench]' || \
		echo "some peers could not be installed; the table will leave them out"
	@touch $@

.venv-ratings/installed: .venv/bin/python pyproject.toml
	.venv/bin/python -m venv .venv-ratings
	.venv-ratings/bin/pip install --quiet --editable '.[bench-ratings]' || \
		.venv-ratings/bin/pip install --quiet --editable .
	@touch $@

.venv/installed-docs: .venv/installed
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[docs]'
	@touch $@

clean:
	rm -rf .venv .venv-ratings build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
