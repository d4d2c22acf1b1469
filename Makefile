# Everything a person or CI does with this project. `make help` lists it.
.DEFAULT_GOAL := help
.PHONY: help setup tools demo test-fast test test-all coverage browser check web bench soak screenshots clean

BIN := .venv/bin
SPREAD := --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder --durations 10

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.venv/.ready: pyproject.toml scripts/setup.sh
	@sh scripts/setup.sh

.venv/.tools: .venv/.ready
	@sh scripts/setup.sh tools

setup: .venv/.ready ## Make .venv with loopwright alone

tools: .venv/.tools ## Add what its tests and checks need; the targets below do that themselves

demo: .venv/.ready ## The main job: find and fix the faults of an example project
	@$(BIN)/loopwright demo

test-fast: .venv/.tools ## The quick tests, in a minute or two: after each change
	@$(BIN)/python -m pytest --tier fast $(SPREAD)

test: .venv/.tools ## Those and the most telling of the slow ones, in a few minutes: before each commit
	@$(BIN)/python -m pytest --tier standard $(SPREAD)

test-all: .venv/.tools ## All tests, also of the dashboard in Chromium and with the agents people use
	@$(BIN)/python -m pytest --tier all $(SPREAD)

coverage: .venv/.tools ## Which lines and branches of the source `make test` runs
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest --tier standard $(SPREAD)
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report

browser: .venv/.tools ## The tests of the dashboard in Chromium alone
	@$(BIN)/python -m pytest tests/browser

check: .venv/.tools ## Format, lint, types, architecture, built page
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/vulture
	@$(BIN)/python -m pytest tests/test_architecture.py
	@$(BIN)/python -m pytest tests/server/test_assets.py -k 'not building_again'

web: ## Build the dashboard's page from web/ into the package (needs Node)
	@cd web && npm ci && npm run check && npm test && npm run build

bench: .venv/.tools ## Speed, as ratios measured in one run
	@$(BIN)/python -m bench

soak: .venv/.tools ## Long random runs
	@$(BIN)/python -m bench.soak

screenshots: .venv/.tools ## Pictures of the dashboard at work, into docs/images
	@$(BIN)/python scripts/browser_screenshots.py

clean: ## Remove the environment and all caches
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
