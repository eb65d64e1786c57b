# A thin front for the presets of CMakePresets.json. Everything below can be done with cmake and ctest alone.
#
# Variables (on the command line or in the environment):
#   PRESET             the preset that build, demo and test use [release]
#   JOBS               compilers at once [all cores]
#   FILES              limits lint to these sources [all]
#   CMAKE_PREFIX_PATH  where another LibTorch lives, e.g. /opt/libtorch [Debian's libtorch-dev]
#   LETHE_SKIP_DEPS=1  do not look for missing packages

PRESET ?= release
JOBS ?= $(shell nproc)
FILES ?=

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help build demo demo-seg test test-long asan tsan clang compat format lint clean distclean

# Tests run one after the other: each uses all cores. An empty selection is a mistake, not a success.
CTEST := ctest --output-on-failure --no-tests=error --parallel 1

# Leak detection stays on: a program that links Debian's LibTorch ends without a leak report.
# Options of your own replace these: ASAN_OPTIONS=detect_leaks=0 make asan.
ASAN_OPTIONS ?= detect_stack_use_after_return=1:strict_string_checks=1
UBSAN_OPTIONS ?= halt_on_error=1:print_stacktrace=1
# LibTorch and libgomp are not instrumented, so the barriers of OpenMP are invisible and every parallel loop would look
# like a race: calls from inside them are left out, and OpenMP gets one thread. Our own threads are what is tested.
TSAN_OPTIONS ?= halt_on_error=1:second_deadlock_stack=1:ignore_noninstrumented_modules=1

help: ## Print this list
	@echo "usage: make TARGET [PRESET=release] [JOBS=N] [CMAKE_PREFIX_PATH=/path/to/libtorch]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-10s  %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

build: ## Install what is missing and build everything into build/PRESET
	@scripts/install_deps.sh
	@scripts/configure.sh $(PRESET)
	@cmake --build build/$(PRESET) --parallel $(JOBS)

# The program alone, without the tests. Its table must be the last thing that is printed: nothing may follow it here.
demo: ## Build the program, then learn and forget on Fashion-MNIST with four methods (runs/demo-*)
	@scripts/install_deps.sh
	@scripts/configure.sh $(PRESET)
	@cmake --build build/$(PRESET) --parallel $(JOBS) --target lethe
	@build/$(PRESET)/bin/lethe suite demo --overwrite

demo-seg: ## Build the program, then learn and forget on drawn masks with three methods (runs/demo_seg-*)
	@scripts/install_deps.sh
	@scripts/configure.sh $(PRESET)
	@cmake --build build/$(PRESET) --parallel $(JOBS) --target lethe
	@build/$(PRESET)/bin/lethe suite demo_seg --overwrite

test: build ## Build, then run all tests but the long ones
	@$(CTEST) --test-dir build/$(PRESET) --label-exclude '^long$$'

test-long: build ## Build, then run the long tests
	@$(CTEST) --test-dir build/$(PRESET) --label-regex '^long$$'

asan: ## Tests of core, data, features and losses under the address and undefined-behaviour sanitizers
	@scripts/install_deps.sh
	@scripts/configure.sh asan
	@cmake --build build/asan --parallel $(JOBS) --target lethe_small_tests
	@ASAN_OPTIONS='$(ASAN_OPTIONS)' UBSAN_OPTIONS='$(UBSAN_OPTIONS)' \
	  $(CTEST) --preset asan --label-exclude '^long$$'

tsan: ## Tests of loader and progress under the thread sanitizer
	@scripts/install_deps.sh
	@scripts/configure.sh tsan
	@cmake --build build/tsan --parallel $(JOBS) --target lethe_small_tests
	@TSAN_OPTIONS='$(TSAN_OPTIONS)' OMP_NUM_THREADS=1 \
	  $(CTEST) --preset tsan --tests-regex 'data/loader|core/progress'

clang: ## Build everything with clang, warnings as errors
	@scripts/install_deps.sh lint
	@scripts/configure.sh clang
	@cmake --build build/clang --parallel $(JOBS)

compat: ## Build and test against the current torch of PyPI (5 GB in build/compat)
	@scripts/install_deps.sh compat
	@JOBS=$(JOBS) scripts/compat.sh

format: ## Format all C++ files in place
	@scripts/install_deps.sh format
	@scripts/check_format.sh --apply

lint: ## Format, layers, clang-tidy and cppcheck; FILES="a.cpp b.cpp" limits the last two
	@scripts/install_deps.sh lint
	@scripts/check_format.sh
	@scripts/check_layers.py
	@$(MAKE) build PRESET=release
	@JOBS=$(JOBS) scripts/lint.sh $(FILES)

clean: ## Remove what was built; runs/ and the download of compat stay
	@rm -rf $(filter-out build/compat,$(wildcard build/*)) build/compat/build

distclean: ## Remove all of build/; runs/ stay
	@rm -rf build
