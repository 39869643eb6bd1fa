# `make demo` and `make test` do everything on a fresh machine: Python 3.11+, pip, make, gcc.
PYTHON ?= python3
BIN := .venv/bin
export OMP_NUM_THREADS ?= 1

.PHONY: demo test check benchmark setup clean

setup: .venv/.ready

.venv/.ready: pyproject.toml requirements.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --requirement requirements.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

demo: setup
	PATH="$(CURDIR)/$(BIN):$$PATH" sh scripts/demo.sh

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: check
	$(BIN)/pytest -n 2

benchmark: setup
	$(BIN)/python -m benchmarks --data "$${STEPWRITE_DATA:?is not set: the folder that holds sigmorphon2016/}"

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache
