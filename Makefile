# Two commands: `make run` and `make test`. Everything they need they install themselves, from hashed lock files.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MESSAGE ?= What is 17.5 % of 2,340, and what time is it in Tokyo when it is 9:30 in Berlin?
TESTS ?=

.DEFAULT_GOAL := help
.PHONY: help run serve test check lock bench clean

help: ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

run: $(VENV)/run.stamp ## set up and send MESSAGE="..." through the whole pipeline
	@$(BIN)/shortlist ask --trace $(ARGS) -- "$$MESSAGE"

serve: $(VENV)/run.stamp ## set up and run the service
	@$(BIN)/shortlist serve $(ARGS)

test: $(VENV)/dev.stamp ## set up and run every test; TESTS="-k toon" for some
	@$(BIN)/python -m pytest $(TESTS)

check: $(VENV)/dev.stamp ## set up and run every check that is not a test
	@.ci/checks $(BIN)

bench: $(VENV)/dev.stamp ## measure (about ten minutes); writes benchmarks/README.md
	@$(BIN)/python -m benchmarks

lock: $(VENV)/uv.stamp ## resolve the dependencies anew
	@.ci/lock $(BIN)/uv

clean: ## remove the environment
	rm -rf $(VENV)

export MESSAGE

$(VENV)/uv.stamp: .ci/bootstrap.lock
	@.ci/setup $(PYTHON) $(VENV) bootstrap

$(VENV)/run.stamp: $(VENV)/uv.stamp requirements.lock pyproject.toml
	@.ci/setup $(PYTHON) $(VENV) run

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements-dev.lock
	@.ci/setup $(PYTHON) $(VENV) dev
