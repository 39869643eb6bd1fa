# `make demo` and `make test` do everything on a fresh machine: Python 3.11+, pip, make, gcc.
PYTHON ?= python3
BIN := .venv/bin
export OMP_NUM_THREADS ?= 1

.PHONY: demo test test-cluster test-page check benchmark benchmark-service setup clean

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
	$(BIN)/pytest -n 2 -m "not cluster"

test-cluster: setup
	$(BIN)/pip install --quiet ray==2.60.0
	$(BIN)/pytest -p no:xdist tests/experiments/test_cluster.py

# `make test` runs these, too, where there is a browser; here it is an error if there is none.
test-page: setup
	@command -v chromedriver >/dev/null || { echo "install chromium and chromium-driver first"; exit 1; }
	$(BIN)/pytest -p no:xdist tests/service/test_page.py

benchmark-service: setup
	$(BIN)/python -m benchmarks.service

benchmark: setup
	$(BIN)/python -m benchmarks --data "$${STEPWRITE_DATA:?is not set: the folder that holds sigmorphon2016/}"

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +  # Numba's caches are there, too
