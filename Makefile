# `make demo` and `make test` do everything on a fresh machine: Python 3.11+, pip, make, gcc.
PYTHON ?= python3
BIN := .venv/bin
export OMP_NUM_THREADS ?= 1

.PHONY: demo test test-cluster test-page check coverage docs pytest requirements faults fuzz wheel benchmark benchmark-service setup clean

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

# Not with --quiet, which hides warnings even from --strict.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

pytest: setup
	$(BIN)/pytest -n 2 -m "not cluster"

test: check docs pytest

# Instead of `make pytest`: the same tests, somewhat slower, and which lines they reach.
coverage: setup
	$(BIN)/pytest -n 2 -m "not cluster" --cov

test-cluster: setup
	$(BIN)/pip install --quiet ray==2.60.0
	$(BIN)/pytest -p no:xdist tests/experiments/test_cluster.py tests/bulk/test_bulk_cluster.py

# `make test` runs these, too, where there is a browser; here it is an error if there is none.
test-page: setup
	@command -v chromedriver >/dev/null || { echo "install chromium and chromium-driver first"; exit 1; }
	$(BIN)/pytest -p no:xdist tests/service/test_page.py

# Resolve with torch's CPU build (see README: PIP_EXTRA_INDEX_URL), which needs no CUDA and no Triton.
# Its local version, +cpu, is dropped, so that the pins install from any index.
requirements: setup
	$(BIN)/pip install --quiet pip-tools==7.6.2
	CUSTOM_COMPILE_COMMAND="make requirements" $(BIN)/pip-compile --quiet --extra dev \
		--allow-unsafe --strip-extras --annotation-style line \
		--no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
		--output-file requirements.txt pyproject.toml requirements.in
	sed -i -e '/^stepwrite/d' -e 's/^torch==\([0-9.]*\)+cpu */torch==\1  /' requirements.txt
	@! grep -E '^(cuda|nvidia|triton)' requirements.txt

faults: setup
	$(BIN)/python -m scripts.faults --out results/faults.json

fuzz: setup
	$(BIN)/python -m scripts.fuzz

# The same bytes from the same commit: SOURCE_DATE_EPOCH is the time of all files in it.
wheel: setup
	$(BIN)/python scripts/build_wheel.py dist

benchmark-service: setup
	$(BIN)/python -m benchmarks.service

benchmark: setup
	$(BIN)/python -m benchmarks --data "$${STEPWRITE_DATA:?is not set: the folder that holds sigmorphon2016/}"

clean:
	rm -rf .venv build dist site .coverage .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +  # Numba's caches are there, too
