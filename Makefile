# What to do, for whom: `make help`. Needs GNU make 4.2 or newer.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SOURCE ?= live
PROFILE ?= quick
SOURCES := live reference
PROFILES := smoke quick standard full
ifneq ($(SOURCE),$(or $(firstword $(filter $(SOURCES),$(SOURCE))),none))
$(error SOURCE=$(SOURCE) is unknown; allowed: $(SOURCES))
endif
ifneq ($(PROFILE),$(or $(firstword $(filter $(PROFILES),$(PROFILE))),none))
$(error PROFILE=$(PROFILE) is unknown; allowed: $(PROFILES))
endif

# What is compiled is kept: hundreds of processes read it.
unexport PYTHONDONTWRITEBYTECODE

# Python: the active conda environment (looked at again whenever conda changed it), otherwise .venv.
ifeq ($(filter-out base,$(CONDA_DEFAULT_ENV)),)
BIN := .venv/bin
READY := .venv/.ready
else
BIN := $(CONDA_PREFIX)/bin
READY := .venv/.ready-conda-$(notdir $(CONDA_DEFAULT_ENV))
$(READY): $(wildcard $(CONDA_PREFIX)/conda-meta/history)
endif
PYTHON := $(BIN)/python

TOOLS = $(dir $(PYTHON))
LIBRARY := $(shell find lib/perfstudies -name __pycache__ -prune -o -type f -print 2>/dev/null)
SYSTEMS := $(shell find systems -name target -prune -o -type f -print 2>/dev/null)
PUBLISHED := $(shell find data/raw/published -type f 2>/dev/null)
NOTEBOOKS := $(sort $(shell find notebooks -name '.?*' -prune -o -name '*.ipynb' -print 2>/dev/null))
# Those of no study come last: they read what the others store.
ACROSS := $(wildcard notebooks/*.ipynb)
NOTEBOOKS := $(filter-out $(ACROSS),$(NOTEBOOKS)) $(ACROSS)
# Those that take longest first: none should be left to run alone.
LONGEST := aaa/02-pools aaa/06-open-questions aaa/01-response-times step/07-logging-cost aaa/03-timers
REPORTS := $(sort $(patsubst notebooks/%.ipynb,reports/%.html,$(NOTEBOOKS)))
LONGEST := $(filter $(LONGEST:%=reports/%.html),$(REPORTS))
REPORTS := $(LONGEST) $(filter-out $(LONGEST),$(REPORTS))

BUILT := systems/target/built
JAVA_TESTED := systems/target/tested
CHOICE := data/processed/choice
COMPILED := data/processed/compiled

# What the notebooks read. Only live runs need Java, and MariaDB where it can be had; these make none.
ifeq ($(filter-out pages docs lab lint verify notebooks,$(MAKECMDGOALS)),)
JAVA :=
RUNS :=
else ifeq ($(SOURCE),live)
JAVA := java
RUNS := $(BUILT) $(COMPILED)
else
JAVA :=
RUNS := $(shell find data/raw/reference -type f 2>/dev/null)
endif

# Installing and building go side by side. Measuring and rendering is one call of perfstudies, which does both in turn.
MAKEFLAGS += --jobs=$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
# Testing and building are two Mavens in one folder; what is removed is not rendered meanwhile.
ifneq ($(filter test clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

.PHONY: help setup systems java browser reports pages docs lint test verify lab notebooks record lock benchmarks clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "  make reports/step/01-time-breakdown.html   Render one notebook"
	@echo "  make reports/paper.pdf SOURCE=reference    Print what was done and found, as a paper"
	@echo
	@echo "  SOURCE=$(SOURCE)   where the runs come from: $(SOURCES)"
	@echo "  PROFILE=$(PROFILE)  how much is measured: $(PROFILES)"

reports: $(JAVA) reports/index.html ## Measure what is missing, render every notebook to reports/ (main job)
	@echo "$(words $(REPORTS)) reports are up to date: reports/index.html (SOURCE=$(SOURCE) PROFILE=$(PROFILE))"

pages: $(READY) ## Render pages of the outputs that the notebooks store, in seconds, to reports/pages/
	$(BIN)/perfstudies pages

docs: reports/docs/index.html ## Build the documentation's site: guides, statistics, columns, the library's interface

reports/docs/index.html: $(wildcard docs/*) $(LIBRARY) | $(READY)
	$(PYTHON) -m sphinx --quiet --jobs auto docs $(@D)
	@echo "The documentation is up to date: $@"

lint: $(READY) ## Check style, formatting, imports and types
	$(TOOLS)ruff check lib tests benchmarks notebooks
	$(TOOLS)ruff format --check lib tests benchmarks notebooks
	$(TOOLS)lint-imports
	$(TOOLS)mypy
	@echo "Nothing to complain about"

test: java browser lint $(JAVA_TESTED) $(BUILT) ## Run lint, then all tests, of Java, Python and notebooks
	$(PYTHON) -m pytest

verify: $(READY) ## Check everything recorded against its checksums
	$(BIN)/perfstudies verify

setup: $(JAVA) $(READY) ## Set up what is missing (SOURCE=reference: Python alone)

systems: java $(BUILT) ## Build the Java systems under test

lab: $(READY) ## Open the notebooks in JupyterLab, for this machine only
	$(PYTHON) -m jupyterlab --ServerApp.ip=127.0.0.1 --LabApp.default_url=/lab/tree/notebooks/start.ipynb \
	    $(if $(filter 0,$(shell id -u)),--allow-root)

notebooks: $(READY) ## Refresh the outputs stored in the notebooks, from the recorded runs
	@for file in $(NOTEBOOKS); do $(BIN)/perfstudies render --store "$$file"; done

record: java $(BUILT) $(READY) ## Measure at profile standard and store it as the recorded runs
	$(BIN)/perfstudies measure --profile standard --record
	$(BIN)/perfstudies verify --write
	$(BIN)/perfstudies simulate --profile standard --record
	$(BIN)/perfstudies record-calls
	$(BIN)/perfstudies verify --write

benchmarks: java $(BUILT) $(READY) ## Time the lab itself against its peers
	@for file in benchmarks/*.py; do echo "$$file"; $(PYTHON) "$$file"; done

lock: ## Move requirements.lock to the newest versions (needs uv)
	uv pip compile pyproject.toml --group build --upgrade --quiet --output-file requirements.lock \
	    --universal --fork-strategy fewest --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

clean: ## Remove what is rendered and derived; raw data stay
	@mkdir -p reports data/processed
	find reports data/processed -mindepth 1 ! -path reports/README.md ! -path data/processed/README.md -delete

browser: | $(JAVA) $(READY)
	@setup/browser.sh

java:
	@setup/java.sh
	@setup/mariadb.sh
	@setup/haproxy.sh
	@setup/nginx.sh

# Holds the folder that Python was installed for. Remade when this is another: a copy must not run the original's code.
ifneq ($(file <$(READY)),$(CURDIR))
.PHONY: $(READY)
endif
$(READY): requirements.lock pyproject.toml setup/python.sh | $(JAVA)
	@setup/python.sh $@

# What numba compiles takes a minute, which measuring and rendering would wait for; here it goes beside building.
$(COMPILED): $(wildcard lib/perfstudies/models/*.py lib/perfstudies/load/rate/*.py) | $(READY)
	@$(BIN)/perfstudies compile
	@mkdir -p $(@D)
	@touch $@

$(BUILT): $(SYSTEMS) | java
	@echo "Building the systems with Maven (the first time downloads their libraries)"
	@mvn -q -B -f systems/pom.xml package -DskipTests
	@mkdir -p $(@D)
	@touch $@

$(JAVA_TESTED): $(SYSTEMS) | java
	@echo "Building and testing the systems with Maven"
	@mvn -q -B -f systems/pom.xml verify
	@mkdir -p $(@D)
	@touch $@ $(BUILT)

# Holds what the reports were last rendered from. Remade only when that is something else now.
ifneq ($(file <$(CHOICE)),$(SOURCE) $(PROFILE))
.PHONY: $(CHOICE)
endif
$(CHOICE):
	@mkdir -p $(@D)
	@echo "$(SOURCE) $(PROFILE)" >$@

# Asked for all reports, make removes those that are out of date, and the index's recipe renders them in one call: that
# takes two thirds of the time of one each, and lists each live one when its study is measured. Asked for one, make has that
# one rendered.
TOGETHER := $(filter reports reports/index.html,$(MAKECMDGOALS))
RENDER = $(BIN)/perfstudies reports --source $(SOURCE) --profile $(PROFILE)

# These show what the studies' notebooks store, or what those that were rendered found.
GATHERED := $(filter reports/findings.html reports/machines.html reports/paper.html reports/start.html,$(REPORTS))
ifeq ($(SOURCE),reference)
$(GATHERED): $(filter-out $(ACROSS),$(NOTEBOOKS))
else ifneq ($(TOGETHER),)
$(GATHERED): $(filter-out $(ACROSS:notebooks/%.ipynb=reports/%.html),$(REPORTS))
endif

reports/%.html: notebooks/%.ipynb $(RUNS) $(PUBLISHED) $(LIBRARY) $(wildcard CITATION.cff) requirements.lock $(CHOICE) | $(READY)
	$(if $(TOGETHER),@rm -f $@,$(RENDER) $<)

# Of any report: reports/paper.pdf is the one to print.
reports/%.pdf: reports/%.html | $(READY) browser
	$(BIN)/perfstudies pdf $<

reports/index.html: $(REPORTS) $(LIBRARY) | $(READY)
	$(RENDER) $(patsubst reports/%.html,notebooks/%.ipynb,$(filter $(REPORTS),$?))

# The reports that could be rendered stay listed when another could not.
.PRECIOUS: reports/index.html
