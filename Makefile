# NPU Camp. The two commands: `make lab` (learn) and `make test` (run every test).
#
#   make lab [WORK=DIR] [LAB_ARGS="--port 9000"] [NPUCAMP_LANG=zh]
#   make test [TEST_ARGS="-k launch"] [TEST_WORKERS=1]
#   make lint     make bench [BENCH_ARGS=--class]
#   make fidelity [CHECK=--check] (predictions beside measurements: docs/fidelity.md)
#   make fuzz [PROGRAMS=10000] (random kernel sources; must never break the simulator)
#   make build (notebooks from sources)   make screenshot (docs/screenshot.png)
#
# PYTHON=python3.12 picks another Python (3.11 or newer) for the environment.

PYTHON ?= python3
LAB_ARGS ?=
TEST_ARGS ?=
TEST_WORKERS ?= auto
BENCH_ARGS ?=
PROGRAMS ?= 10000
CHECK ?=
export WORK NPUCAMP_LANG

BIN := .venv/bin

.PHONY: help environment lab test lint bench fidelity fuzz build screenshot
help:
	@sed -n '1,/^$$/s/^# \{0,1\}//p' Makefile

environment:
	@sh course/npucamp/build/environment.sh "$(PYTHON)"

lab: environment
	@$(BIN)/npucamp lab $(LAB_ARGS)

test: environment
	@$(BIN)/python -m pytest -n $(TEST_WORKERS) --dist loadfile $(TEST_ARGS)

lint: environment
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: environment
	@$(BIN)/python tests/bench/run.py $(BENCH_ARGS)

fidelity: environment
	@$(BIN)/python -m npusim.fidelity $(CHECK)

fuzz: environment
	@$(BIN)/python -m tests.fuzz.run $(PROGRAMS)

build: environment
	@$(BIN)/npucamp build

screenshot: environment
	@$(BIN)/python -m npucamp.build.screenshot docs/screenshot.png
