# Every target does its own set-up: it needs Python >= 3.11 with venv, and make.
PYTHON ?= python3
VENV   := .venv
PEERS  := .venv-peers
BIN    := $(VENV)/bin
ARGS   ?=
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
PACKAGES := canvas pictures presence persistence server bots clients/python/tesserae_client
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help serve test quick setup setup-dev peers lint types unit bench format lock wheels clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Tesserae needs Python 3.11 or newer; set PYTHON=python3.11, say")'
	@echo "Making the virtual environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements/runtime.lock pyproject.toml clients/python/pyproject.toml | $(BIN)/python
	@echo "Installing what the server needs (once; about a minute) ..."
	@$(PIP) install --require-hashes --only-binary :all: -r requirements/runtime.lock
	@$(PIP) install --no-deps --no-build-isolation -e . -e clients/python
	@touch $@

$(VENV)/.dev: requirements/dev.lock $(VENV)/.runtime
	@echo "Installing what the checks need (once; about a minute) ..."
	@$(PIP) install --require-hashes --only-binary :all: -r requirements/dev.lock
	@touch $@

setup: $(VENV)/.runtime ## Make the virtual environment, nothing else

setup-dev: $(VENV)/.dev

# Apart from ours, since they pin another version of the AWS library.
$(PEERS)/.made: requirements/peers.lock | $(BIN)/python
	@echo "Installing the programs that play AWS for the tests into $(PEERS) (once; 250 MB) ..."
	@$(PYTHON) -m venv $(PEERS)
	@$(PEERS)/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes \
	  --only-binary :all: -r requirements/peers.lock
	@touch $@

peers: $(PEERS)/.made ## Install what plays AWS, so that no test of the AWS store is skipped

serve: $(VENV)/.runtime ## Start the server; ARGS="--port 9000 ..." passes flags on
	@$(BIN)/tesserae serve $(ARGS)

test: lint types ## Lint, types, import contracts and all tests
	@$(BIN)/python -m pytest --durations=10 -n 2 --dist loadgroup $(ARGS)

quick: $(VENV)/.dev ## Lint, types and unit tests side by side, in under 30 s
	@$(MAKE) --no-print-directory -j 3 lint types unit

unit: $(VENV)/.dev
	@HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest tests/unit -q -n 2 $(ARGS)

lint: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/deptry .

types: $(VENV)/.dev
	@$(BIN)/mypy

bench: $(VENV)/.dev $(PEERS)/.made ## Measure, beside the goals; writes docs/reference/measured.md
	@$(BIN)/python -m bench $(ARGS)

format: $(VENV)/.dev ## Format the code and mend what lint can mend
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

lock: ## Make the lock files anew (needs uv)
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --no-annotate \
	  pyproject.toml requirements/build.in -o requirements/runtime.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --no-annotate \
	  pyproject.toml requirements/build.in --group dev -c requirements/runtime.lock -o requirements/dev.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet --no-annotate \
	  requirements/peers.in -o requirements/peers.lock

wheels: $(VENV)/.dev ## Build both wheels into dist/
	@$(BIN)/python -m build --wheel --no-isolation --outdir dist .
	@$(BIN)/python -m build --wheel --no-isolation --outdir dist clients/python

clean: ## Remove what was built; data/ stays
	rm -rf $(VENV) $(PEERS) dist build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage htmlcov
