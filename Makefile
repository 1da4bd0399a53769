# Every goal does its own set-up on a Debian 12 machine, as root or through sudo, and is quick the second time.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PRODUCT_SOURCES := $(shell find src runtime record dynamorio optimizer compiler formats include cmake CMakeLists.txt pyproject.toml README.md \
    -name __pycache__ -prune -o -print)
# The compiler is part of the wheel where LLVM is installed. `make demo` does without, but leaves one that is there.
COMPILER := $(if $(wildcard /usr/lib/llvm-19/lib/cmake/llvm),ON,OFF)
WHEEL := build/wheel$(if $(filter ON,$(COMPILER)),-with-compiler).stamp
# One more than there are cores, since tests also wait. Those that share what is costly to make stay together
# (tests/conftest.py). What measures has the machine to itself.
PYTEST := .venv/bin/python -m pytest --durations=10
SIDE_BY_SIDE := -n $(shell expr $$(nproc) + 1) --dist loadgroup -m 'not alone and not long'
# The files that have such tests: to collect all takes ten seconds of one core.
ALONE := $(shell grep -rl --include='test_*.py' 'mark\.alone' tests)
# Every folder with a suite.
SUITES := $(patsubst src/malloom/bench/%/suite.py,%,$(wildcard src/malloom/bench/*/suite.py))
# The preset of the fast build; that of `make soak` has more tests.
RELEASE := release
# How long `make soak` fuzzes each decoder.
FUZZ_SECONDS := 600

.PHONY: help setup build wheel native firmware demo test bench soak gallery format

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

setup:
	@setup/packages.sh $(PACKAGES)
	@setup/dynamorio.sh >/dev/null & dynamorio=$$!; setup/python.sh $(PACKAGES); wait $$dynamorio

$(WHEEL): $(PRODUCT_SOURCES) setup/wheel.sh
	@echo "Building malloom"
	@setup/wheel.sh $(COMPILER)
	@touch $@

build: setup  ## build malloom and install it: .venv/bin/malloom; and allocators that it tries
	@$(MAKE) wheel
	@setup/allocators.sh

# By a make of its own, which sees what the set-up has installed.
wheel: $(WHEEL)
	@test -x .venv/bin/malloom || { rm $(WHEEL); exec $(MAKE) wheel; }

# Builds that run at the same time, so that no core waits while one of them configures or links. The wheel comes before the
# fast build, which then finds most objects in the cache.
BUILDS = "$(MAKE) wheel && setup/native.sh $(RELEASE)" "setup/native.sh checked" "setup/native.sh threads" \
    "setup/mimalloc.sh build/release/peers/mimalloc-3.so >/dev/null && \
        setup/mimalloc.sh .venv/lib/malloom/allocators/mimalloc-3.so >/dev/null"

native: setup  ## build malloom, the workloads, allocators to compare with, and the C++ tests, fast and checked
	@setup/side_by_side.sh $(BUILDS)

firmware: PACKAGES := firmware
firmware: build  ## build the simulated core, and the firmware's programs for every board
	@setup/firmware.sh

demo: PACKAGES := demo
demo: setup  ## record, plan, run and measure two programs, with verdicts
	@$(MAKE) wheel $(if $(wildcard build/wheel-with-compiler.stamp),,COMPILER=OFF)
	@setup/native.sh workloads traverse
	@setup/demo.sh

test: PACKAGES := test
test: setup  ## all tests, with formatting, lint and types
	@setup/side_by_side.sh $(BUILDS) "setup/firmware.sh simulated_core chunk_core window_core riscv_core" setup/hardware.sh
	@$(PYTEST) $(SIDE_BY_SIDE)
	@$(PYTEST) -m alone $(ALONE)

bench: PACKAGES := bench
bench: build  ## all benchmark suites
	@setup/native.sh release
	@setup/mimalloc.sh build/release/peers/mimalloc-3.so >/dev/null
	@setup/firmware.sh simulated_core chunk_core window_core peers
	@status=0; for suite in $(SUITES); do \
	    .venv/bin/malloom bench $$suite --json build/bench-$$suite.json --markdown build/bench-$$suite.md || status=1; \
	done; exit $$status

soak: PACKAGES := soak
soak: RELEASE := thorough
soak: native firmware  ## long randomised runs: fuzzed decoders and heaps, then the tests at length, about two hours
	@setup/native.sh fuzz
	@for fuzzer in record/stream/event_codec record/stream/access_codec runtime/heaps/bins/bins; do \
	    build/fuzz/tests/$${fuzzer}_fuzzer -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=build/fuzz/; \
	done
	@setup/native.sh llvm-22
	@MALLOOM_LLVM=22 .venv/bin/python -m pytest -n $(shell nproc) tests/compiler/test_cases.py
	@MALLOOM_SOAK=1 $(PYTEST) $(SIDE_BY_SIDE) --hypothesis-profile=soak
	@$(PYTEST) -m long

gallery: PACKAGES := test
gallery: setup  ## take the pictures of malloom's pages in docs/gallery anew
	@$(MAKE) wheel $(if $(wildcard build/wheel-with-compiler.stamp),,COMPILER=OFF)
	@setup/native.sh release traverse
	@rm -rf build/gallery && mkdir -p build/gallery
	@PYTHONPATH=tests .venv/bin/python -m end_to_end.gallery $(CURDIR)/build/gallery

format: setup  ## format and fix all sources in place
	@git ls-files '*.cpp' '*.h' '*.c' '*.def' | grep -v '\.def$$' | xargs clang-format-19 -i
	@.venv/bin/ruff format .
	@.venv/bin/ruff check --fix .
