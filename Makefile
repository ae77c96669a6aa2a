# Everything a newcomer needs. `make run` and `make test` set up what is missing.
PYTHON ?= python3
UV := $(shell command -v uv 2>/dev/null || echo .tools/bin/uv)
BIN := .venv/bin
export PYTHONUTF8 := 1

.PHONY: setup run test lint unit bench docs clean

setup: .venv/.ready ## install everything into .venv

.tools/bin/uv:
	$(PYTHON) -m venv .tools
	.tools/bin/pip install --quiet --disable-pip-version-check uv

.venv/.ready: pyproject.toml constraints.txt | $(UV)
	$(UV) venv --quiet --allow-existing --python $(PYTHON) .venv
	$(UV) pip install --quiet --python $(BIN)/python --constraint constraints.txt --group dev --editable ".[code,images,llm,video]"
	touch $@

run: setup ## check and simulate every example app, and print the verdicts
	$(BIN)/greenrun demo

test: lint unit ## everything that has to pass

lint: setup ## style, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

unit: setup ## the tests, with coverage
	$(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report= -q
	$(BIN)/python tests/coverage_gate.py

bench: setup ## measure beside other tools, check the seeded faults, and write bench/results.md
	$(UV) pip install --quiet --python $(BIN)/python --constraint constraints.txt --group bench
	$(BIN)/python -m bench results

docs: setup ## write the generated pages anew
	$(BIN)/python -m docs_src.generate

clean: ## remove what the targets above made
	rm -rf .venv .tools .pytest_cache .ruff_cache .hypothesis greenrun-debug
