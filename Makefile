# Thin wrappers around the presets of CMakePresets.json. Everything below can also be done with cmake and ctest.
#
# Variables (on the command line or in the environment):
#   PRESET             preset for build, demo and test [release]
#   JOBS               number of parallel compile jobs [all cores]
#   FILES              sources that lint checks [all]
#   CMAKE_PREFIX_PATH  path of another LibTorch, e.g. /opt/libtorch [Debian's libtorch-dev]
#   LETHE_SKIP_DEPS=1  do not install missing packages

PRESET ?= release
JOBS ?= $(shell nproc)
FILES ?=

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help build demo demo-seg test test-long asan tsan clang compat format lint gates clean distclean

# Two tests run side by side (cmake/LetheTests.cmake). An empty selection of tests is an error.
CTEST := ctest --output-on-failure --no-tests=error --parallel 2

# Leak detection stays on: programs that link Debian's LibTorch exit without a leak report. To use other options, set
# them: ASAN_OPTIONS=detect_leaks=0 make asan.
ASAN_OPTIONS ?= detect_stack_use_after_return=1:strict_string_checks=1
UBSAN_OPTIONS ?= halt_on_error=1:print_stacktrace=1
# LibTorch and libgomp are not instrumented, so the barriers of OpenMP are invisible and every parallel loop would look
# like a race. Calls from these libraries are therefore ignored, and OpenMP gets one thread. The tests cover our own
# threads.
TSAN_OPTIONS ?= halt_on_error=1:second_deadlock_stack=1:ignore_noninstrumented_modules=1

help: ## Print this list
	@echo "usage: make TARGET [PRESET=release] [JOBS=N] [CMAKE_PREFIX_PATH=/path/to/libtorch]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-10s  %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

build: ## Install missing packages and build everything into build/PRESET
	@scripts/install_deps.sh
	@scripts/configure.sh $(PRESET)
	@cmake --build build/$(PRESET) --parallel $(JOBS)

# Builds only the executable, without the tests.
demo: ## Build the program, then learn and forget on Fashion-MNIST with four methods (runs/demo-*)
	@scripts/install_deps.sh
	@scripts/configure.sh $(PRESET)
	@cmake --build build/$(PRESET) --parallel $(JOBS) --target lethe
	@scripts/demo.sh build/$(PRESET)/bin/lethe

demo-seg: ## Build the program, then learn and forget on synthetic masks with three methods (runs/demo_seg-*)
	@scripts/install_deps.sh
	@scripts/configure.sh $(PRESET)
	@cmake --build build/$(PRESET) --parallel $(JOBS) --target lethe
	@build/$(PRESET)/bin/lethe suite demo_seg --overwrite

test: build ## Build, then run all tests except the long ones
	@$(CTEST) --test-dir build/$(PRESET) --label-exclude '^long$$'

test-long: build ## Build, then run the long tests
	@$(CTEST) --test-dir build/$(PRESET) --label-regex '^long$$'

asan: ## Test core, data, features, losses and stream with the address and undefined-behaviour sanitizers
	@scripts/install_deps.sh
	@scripts/configure.sh asan
	@cmake --build build/asan --parallel $(JOBS) --target lethe_small_tests
	@ASAN_OPTIONS='$(ASAN_OPTIONS)' UBSAN_OPTIONS='$(UBSAN_OPTIONS)' \
	  $(CTEST) --preset asan --label-exclude '^long$$'

tsan: ## Test the loader and the progress line with the thread sanitizer
	@scripts/install_deps.sh
	@scripts/configure.sh tsan
	@cmake --build build/tsan --parallel $(JOBS) --target lethe_small_tests
	@TSAN_OPTIONS='$(TSAN_OPTIONS)' OMP_NUM_THREADS=1 \
	  $(CTEST) --preset tsan --tests-regex 'data/loader|core/progress'

clang: ## Build everything with clang, warnings as errors
	@scripts/install_deps.sh lint
	@scripts/configure.sh clang
	@cmake --build build/clang --parallel $(JOBS)

compat: ## Build and test with the current torch from PyPI (5 GB in build/compat)
	@scripts/install_deps.sh compat
	@JOBS=$(JOBS) scripts/compat.sh

format: ## Format all C++ files in place
	@scripts/install_deps.sh format
	@scripts/check_format.sh --apply

lint: ## Check format and include order, run clang-tidy and cppcheck; FILES="a.cpp b.cpp" limits the last two
	@scripts/install_deps.sh lint
	@scripts/check_format.sh
	@scripts/check_layers.py
	@$(MAKE) build PRESET=release
	@JOBS=$(JOBS) scripts/lint.sh $(FILES)

gates: ## Run lint, asan, tsan, clang, compat and test-long; logs in build/gates (hours on two cores)
	@scripts/gates.sh

clean: ## Remove all build output; keep runs/ and the torch download of compat
	@rm -rf $(filter-out build/compat,$(wildcard build/*)) build/compat/build

distclean: ## Remove build/; keep runs/
	@rm -rf build
