# Everything a person or CI does with this project. `make help` lists it.
.DEFAULT_GOAL := help
.PHONY: help setup demo test check bench soak clean

BIN := .venv/bin

help: ## This list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.venv/.ready: pyproject.toml scripts/setup.sh
	@sh scripts/setup.sh

setup: .venv/.ready ## Make .venv with loopwright and its tools

demo: .venv/.ready ## The main job: find and fix the faults of an example project
	@$(BIN)/loopwright demo

test: .venv/.ready ## All tests
	@$(BIN)/python -m pytest

check: .venv/.ready ## Format, lint, types, architecture
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest tests/test_architecture.py

bench: .venv/.ready ## Speed, as ratios measured in one run
	@$(BIN)/python -m bench

soak: .venv/.ready ## Long random runs
	@$(BIN)/python -m bench.soak

clean: ## Remove the environment and all caches
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
