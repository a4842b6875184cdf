# Everything begins with `make demo` or `make test`: each does its whole set-up (Debian, Python 3.11 with venv, git).
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PACKAGES := pyproject.toml $(wildcard packages/*/pyproject.toml)
# What `pip install nav-eval[demo]` brings of ours.
OURS := -e packages/nav-eval-sdk -e . -e packages/nav-eval-worlds -e packages/nav-eval-baselines \
  -e packages/nav-eval-extras

# A test run starts some hundred Python processes: each would compile our sources again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test check room lint types kernels rewritten suite docs protocol soak fuzz audit bench release requirements clean

# CPU seconds for each target of `make fuzz`.
FUZZ_SECONDS ?= 1800

help:
	@echo "make demo    set up and run the demonstration"
	@echo "make test    set up and run every check and test (what CI runs)"
	@echo "make check   formatter, linter, types, import rules; with ROOM=metrics (or any folder of tests/) its tests too"
	@echo "make docs    the reference pages from the code, then the documentation site into site/"
	@echo "make protocol what is made of the proto files and the structures of the wire, after a change of them"
	@echo "make soak    the long checks; figures go to benchmarks/results/"
	@echo "make fuzz    every decoder fuzzed for FUZZ_SECONDS (1800) CPU seconds"
	@echo "make release wheels, sdists, SBOM and sums into dist/, the site into site/, each tried as users will"
	@echo "make audit   asks a vulnerability service about the dependencies"
	@echo "make bench   the measurements behind every performance claim (benchmarks/cold_start.py apart: it downloads)"

# Nothing is compiled ahead: a quarter of these packages is ever imported.
$(VENV)/run.stamp: requirements/run.txt $(PACKAGES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements/run.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps $(OURS)
	touch $@

$(VENV)/test.stamp: requirements/test.txt requirements/apt-test.txt $(PACKAGES)
	$(PYTHON) -m venv $(VENV)
	sh requirements/apt-install.sh requirements/apt-test.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements/test.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps $(OURS) -e packages/nav-eval-server
	touch $@ $(VENV)/run.stamp

demo: $(VENV)/run.stamp
	$(BIN)/nav-eval demo

test: lint
	$(MAKE) -j 2 types kernels rewritten
	$(MAKE) suite

check: lint types $(if $(ROOM),room)

# A room is a package: metrics, engine/render, server, ... Its tests are in the folder of the same name.
room: $(VENV)/test.stamp
	$(BIN)/python -m pytest -q -n 2 -m "not soak" tests/$(ROOM)

lint: $(VENV)/test.stamp
	$(BIN)/ruff format --check src packages tests benchmarks examples
	$(BIN)/ruff check src packages tests benchmarks examples
	$(BIN)/lint-imports

types: $(VENV)/test.stamp
	$(BIN)/mypy

# Else the first tests compile them one by one, and wait for each other.
kernels: $(VENV)/test.stamp
	-$(BIN)/nav-eval doctor --warm

# Else each worker of the suite compiles every test. What is wrong with one is said there.
rewritten: $(VENV)/test.stamp
	-$(BIN)/python -m pytest -q --collect-only >/dev/null 2>&1

# Four for two cores: what serves, waits and is killed leaves one of them idle.
# Who steals work takes half of what the other has left, so neighbours, which share fixtures, stay together.
suite: $(VENV)/test.stamp
	$(BIN)/python -m pytest -q -n 4 --dist worksteal -m "not soak"

docs: $(VENV)/test.stamp
	PYTHONPATH=tests $(BIN)/python -m documentation.reference
	$(BIN)/zensical build --strict -f mkdocs.yml

# From the proto files and the structures: descriptor sets, openapi.json, the reference pages.
protocol: $(VENV)/test.stamp
	cd packages/nav-eval-sdk/src/nav_eval_sdk/protocol && \
	  $(abspath $(BIN))/python -m grpc_tools.protoc -I. --descriptor_set_out=inference.binpb inference.proto health.proto && \
	  $(abspath $(BIN))/python -m grpc_tools.protoc -I. --include_imports --descriptor_set_out=simulator.binpb simulator.proto
	$(BIN)/python -m nav_eval_sdk.protocol.openapi
	PYTHONPATH=tests $(BIN)/python -m documentation.reference

soak: $(VENV)/test.stamp
	sh requirements/apt-install.sh requirements/apt-soak.txt
	$(BIN)/python -m pytest -q -m soak
	$(BIN)/python -m pytest -q -m "hypothesis and not soak" --hypothesis-profile=other

fuzz: $(VENV)/test.stamp
	cd tests && NUMBA_BOUNDSCHECK=1 NAV_EVAL_CACHE=$(abspath $(VENV))/fuzz-cache \
	  nice -n 19 $(abspath $(BIN))/python -m fuzz --seconds $(FUZZ_SECONDS)

audit: $(VENV)/test.stamp
	$(BIN)/python requirements/audit.py

bench: $(VENV)/test.stamp
	for script in $(filter-out benchmarks/cold_start.py benchmarks/yardstick.py benchmarks/worlds_of_graphs.py benchmarks/evidence_%,$(wildcard benchmarks/*.py)); do \
	  $(BIN)/python $$script | tee benchmarks/results/$$(basename $$script .py).txt; \
	done

release: $(VENV)/test.stamp
	$(MAKE) docs
	$(BIN)/python requirements/release.py

requirements:
	uv lock
	uv export -q --no-emit-workspace --no-default-groups --group build --no-header -o requirements/run.txt
	uv export -q --all-packages --no-emit-workspace --no-default-groups --group build --group test --group docs --group check --no-header -o requirements/test.txt
	uv export -q --no-emit-workspace --no-default-groups --only-group build --no-header -o docker/requirements-build.txt
	uv export -q --no-emit-workspace --no-default-groups --extra gl --extra ktx2 --extra mujoco --extra sign --no-header -o docker/requirements-evaluator.txt
	uv export -q --no-emit-workspace --no-default-groups --package nav-eval-server --extra postgres --no-header -o docker/requirements-competition.txt
	uv export -q --no-emit-workspace --no-default-groups --package nav-eval-sdk --all-extras --no-header -o docker/requirements-agent.txt

clean:
	rm -rf $(VENV) dist build
