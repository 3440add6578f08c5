# make setup   everything needed, into .venv          make soak    the long tests
# make run     start SnakeStudio                      make bench   measure speed
# make test    all checks that a commit must pass     make gallery render the gallery's images
# make wheel   wheels with compiled engines, in dist  make lint / format / clean
# make bundle  a SnakeStudio without Python, in dist  make release all files of a release
# make smoke   test the bundle on a minimal Debian    make studies run the shipped studies
# make docs    the documentation site, in build/docs

.DEFAULT_GOAL := help
SHELL := /bin/bash
bin := .venv/bin
scene := scenes/obstacle_aided.toml
sources := snakestudio tests packaging

# Tests draw on a virtual screen with Mesa's software renderer, never on the user's display.
test_env := env -u WAYLAND_DISPLAY -u DISPLAY LIBGL_ALWAYS_SOFTWARE=1 QT_QPA_PLATFORM=xcb
step = @printf '\n=== %s\n' '$(1)'; $(2)

checks := ruff-check ruff-format typos docstrings mypy import-contracts
engines := $(patsubst snakestudio/engines/%/kind.py,%,$(wildcard snakestudio/engines/*/kind.py))
compiled := $(addprefix compile-,$(engines))

.PHONY: help setup run docs site test before_tests soak bench gallery studies wheel bundle smoke release lint format clean $(checks) $(compiled)

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

setup:
	@bash packaging/setup.sh

run: setup
	@if $(bin)/python packaging/has_display.py; then \
	    exec $(bin)/snakestudio --play $(scene); \
	else \
	    echo "No display (DISPLAY and WAYLAND_DISPLAY name none that answers): running the scene without a window."; \
	    mkdir -p out; \
	    exec $(bin)/snakestudio run $(scene) --csv out/obstacle_aided.csv --video out/obstacle_aided.mp4; \
	fi

lint: $(checks)

docs: setup site
	@echo "build/docs/index.html"

$(checks) $(compiled): | setup

# The site is checked when its pages change, or the package, whose docstrings it contains. Sphinx rebuilds all
# pages, because it does not warn about pages that it reuses from its last run.
site: build/docs/.complete

build/docs/.complete: $(shell find docs packaging/site snakestudio resources scenes -type f -not -name '*.pyc') CHANGELOG.md pyproject.toml | setup
	$(call step,documentation,$(bin)/sphinx-build --quiet --fresh-env --write-all --fail-on-warning --keep-going --nitpicky --conf-dir packaging/site --doctree-dir .cache/doctrees docs build/docs)
	@touch $@

ruff-check:
	$(call step,ruff check,$(bin)/ruff check $(sources))

ruff-format:
	$(call step,ruff format --check,$(bin)/ruff format --check $(sources))

typos:
	$(call step,typos,$(bin)/typos)

# It warns about the section "Signals" of Qt objects.
docstrings:
	$(call step,numpydoc lint,find snakestudio -name '*.py' -exec env PYTHONWARNINGS=ignore $(bin)/numpydoc lint {} +)

mypy:
	$(call step,mypy --strict,$(bin)/mypy)

import-contracts:
	$(call step,import contracts,$(bin)/lint-imports --cache-dir .cache/import_linter)

# Each engine is compiled once, before all test processes would start to compile it.
$(compiled): compile-%:
	$(call step,compile $*,$(bin)/snakestudio warm-up $* > /dev/null)

# Long steps run before short ones, so that neither of two cores waits for the other at the end.
before_tests: ruff-check ruff-format typos $(compiled) docstrings mypy import-contracts site

# Two steps run at a time; the output of each is shown when it ends, and the others continue after a failure.
two_at_a_time := -j 2 --keep-going $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

# Workers of studies lower their priority (study/worker.py); tests must do so, too, or leave them hardly any time.
# make test PYTEST_ARGS="tests/model -x"
test: setup
	@$(MAKE) --no-print-directory $(two_at_a_time) before_tests
	$(call step,pytest,$(test_env) nice -n 10 $(bin)/python -m pytest -n 3 --dist loadfile $(PYTEST_ARGS))

soak: setup
	$(call step,soak tests,$(test_env) SNAKESTUDIO_SOAK=1 $(bin)/python -m pytest -m "soak or fuzz" --timeout=0 $(PYTEST_ARGS))

bench: setup
	$(call step,benchmarks,$(test_env) $(bin)/python -m tests.benchmarks $(BENCH_ARGS))

gallery: setup
	$(call step,pictures of the gallery,$(bin)/python packaging/gallery.py $(GALLERY_ARGS))

# make studies STUDIES=third_pipe
studies: setup
	$(call step,shipped studies,$(bin)/python packaging/studies.py $(STUDIES))

wheel bundle:
	@bash packaging/$@.sh dist/$@

# On a minimal Debian without Python; needs root, debootstrap and iproute2.
smoke:
	@bash packaging/smoke.sh --suite bookworm dist/bundle/*.deb out/smoke

release:
	@bash packaging/release.sh

format: setup
	@$(bin)/ruff check --fix $(sources)
	@$(bin)/ruff format $(sources)

# Removes all generated files except .venv.
clean:
	rm -rf .cache out build dist .hypothesis
	find $(sources) -name __pycache__ -type d -prune -exec rm -rf {} +
