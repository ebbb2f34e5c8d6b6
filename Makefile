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

$(STAMP): pyproject.toml uv.lock
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip -q
	@test -x $(BIN)/uv || $(BIN)/python -m pip install -q --disable-pip-version-check uv
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/uv sync --quiet --frozen --inexact --active
	@touch $(STAMP)

demo: $(STAMP)
	@$(BIN)/polyclinic demo

test: $(STAMP)
	@$(BIN)/python -m pytest -q

slow: $(STAMP)
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/uv sync --quiet --frozen --inexact --active --extra local --extra hosted
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
