# The commands of this repository. All but clean, neon, musl, windows and wasm first create .venv and install the package
# (editable) and the packages that they need into it.
PYTHON ?= python3
comma := ,
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.ready
LISTING := $(shell find csrc -name '*.c' -o -name '*.h' -o -name '*.inl' -o -name '*.def')
C_FILES := $(shell find csrc tests/c benchmarks/c -name '*.c' -o -name '*.h' -o -name '*.inl')

.PHONY: build test scalar sse2 avx2 nehalem fuzz nightly demo check format bench samples gallery docs determinism neon musl windows wasm sanitize address thread clang fuzz-address fuzz-thread clean

build: $(STAMP)

# Installs the package into .venv (editable), with the packages of the extras $(1) and, where they exist for this Python, those of
# $(2). The lines that show progress are printed, all lines are in build/install.log. Each missing thing is one clear line. A stamp
# is older than any C source that changed, so editing C rebuilds.
define install
	@command -v $(PYTHON) >/dev/null || { echo "box2dpy: python3 (3.10 or newer) is missing; set PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "box2dpy needs Python 3.10 or newer; set PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "box2dpy: the venv module is missing; install python3-venv"; exit 1; }
	@$(PYTHON) -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))' \
		|| { echo "box2dpy: Python.h is missing; install python3-dev"; exit 1; }
	@command -v $${CC:-cc} >/dev/null || command -v gcc >/dev/null || { echo "box2dpy: no C compiler found; install gcc or clang, or set CC"; exit 1; }
	@mkdir -p build
	@echo "box2dpy: installing into $(VENV), with $(1); all output is in build/install.log"
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@for extras in $(1)$(2) $(1); do \
		{ $(PY) -m pip --disable-pip-version-check install -v -e ".[$$extras]" 2>&1 && touch $@; } \
			| tee build/install.log | sed -Eun 's/^ *((box2dpy:|Collecting|Downloading|Installing|Preparing|Building) .*)/\1/p'; \
		test -e $@ && exit 0; \
	done; tail -n 20 build/install.log; echo "box2dpy: the build or the download of its tools failed; the lines above say which"; exit 1
endef

$(STAMP): pyproject.toml setup.py box2dpy/_build.py $(LISTING)
	@rm -f $@
	$(call install,test,$(comma)samples$(comma)plot$(comma)film$(comma)pygame$(comma)gym$(comma)pettingzoo$(comma)wasm)

$(VENV)/.demo: pyproject.toml setup.py box2dpy/_build.py $(LISTING)
	@rm -f $@
	$(call install,film,$(comma)pyglet)

$(VENV)/.samples: pyproject.toml setup.py box2dpy/_build.py $(LISTING)
	@rm -f $@
	$(call install,samples)

$(VENV)/.docs: pyproject.toml setup.py box2dpy/_build.py $(LISTING)
	@rm -f $@
	$(call install,docs)

# One process for each processor, which takes the next file of tests when it is through with one; tests/conftest.py has the order of the
# files. Without pytest-xdist, or with PROCESSES=0, one process runs all tests.
PROCESSES ?= auto
PARALLEL = $(shell $(PY) -c 'import xdist; print("-n $(PROCESSES) --dist loadfile --no-loadscope-reorder")' 2>/dev/null)
test: $(STAMP)
	@echo "box2dpy: running the tests, each dot is one; five to ten minutes on two processors"
	@$(PY) -m pytest $(PARALLEL) tests

# The suite with no kernels wider than these, as on a processor that has no more.
scalar sse2 avx2: $(STAMP)
	@echo "box2dpy: running the tests with B2D_SIMD=$@"
	@B2D_SIMD=$@ $(PY) -m pytest $(PARALLEL) tests

# The suite on an emulated processor without AVX, in two to three hours: Python, what Python starts, and the C tests. A script that starts
# the emulator takes the place of the interpreter. What only reads sources, compiles or draws is left out, and what is marked as slow.
# numpy's BLAS is told its processor, which it does not recognise.
NEHALEM = $(CURDIR)/$(VENV)/bin/nehalem
nehalem: export B2D_EMULATOR = qemu-x86_64 -cpu Nehalem
nehalem: export OPENBLAS_CORETYPE = Nehalem
nehalem: $(STAMP)
	@command -v qemu-x86_64 >/dev/null || { echo "box2dpy: qemu-x86_64 is missing; install qemu-user"; exit 1; }
	@printf '#!/bin/sh\nexec %s -0 "$$0" %s "$$@"\n' "$$B2D_EMULATOR" $(CURDIR)/$(PY) >$(NEHALEM) && chmod +x $(NEHALEM)
	@$(NEHALEM) -c 'import box2dpy; assert box2dpy.cpu_features() == ("scalar", "sse2"), box2dpy.cpu_features()'
	@$(NEHALEM) -m pytest $(PARALLEL) -m "not slow" tests --ignore tests/lint --ignore tests/samples --ignore tests/typing

# Interrupted steps, random calls, then the tests that draw random input, with other input in each round; the output says how to repeat
# a failure.
ROUNDS ?= 20
fuzz: $(STAMP)
	@$(PY) -m tests.fuzz.interrupts
	@$(PY) -m tests.fuzz
	@$(PY) -m tests.fuzz.snapshots
	@if command -v clang >/dev/null; then $(PY) -m tests.fuzz.libfuzzer snapshot && $(PY) -m tests.fuzz.libfuzzer recording; \
		else echo "box2dpy: clang is missing, libFuzzer is left out"; fi
	@for round in $$(seq $(ROUNDS)); do \
		$(PY) -m pytest --hypothesis-profile=random $$(grep -rlE '^from hypothesis' --include='test_*.py' tests) || exit 1; \
	done

# What takes too long for every commit, hours in all. Its figures belong into docs/results.md.
nightly: fuzz determinism scalar sse2 avx2 nehalem neon sanitize fuzz-address fuzz-thread
	@B2D_SWEEPS=all $(PY) -m pytest $(PARALLEL) tests
	@$(PY) -m tests.fuzz 10000000 1000000
	@$(PY) -m tests.fuzz.libfuzzer snapshot 1000000
	@$(PY) -m tests.fuzz.libfuzzer recording 1000000
	@$(PY) -m pip --disable-pip-version-check install --quiet -e '.[ray,frozen,project,docs]'
	@$(PY) -m pytest tests/examples tests/lint/test_project.py tests/lint/test_search.py
	@$(PY) examples/ray_rollouts.py --on processes --compare 1 2
	@$(PY) examples/lunar_lander_ppo.py
	@$(PY) -m benchmarks quality
	@$(PY) -m benchmarks compat --seeds 400 --passes 1
	@$(PY) -m benchmarks lab

check: $(STAMP)
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(VENV)/bin/clang-format --dry-run -Werror $(C_FILES)
	@$(PY) -m mypy --strict

format: $(STAMP)
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .
	@$(VENV)/bin/clang-format -i $(C_FILES)

bench: $(STAMP)
	@$(PY) -m pip --disable-pip-version-check install --quiet -e '.[bench]'
	@$(PY) -m benchmarks --peer pyb2d3 --peer pymunk

# The window; NAME=arch opens one sample. pyglet, imgui-bundle, PyOpenGL and pillow come with the extra.
samples: $(VENV)/.samples
	@$(PY) -m samples $(NAME)

gallery: $(VENV)/.demo
	@$(PY) -m samples gallery

# The documentation site, in build/site; no network is needed once the extra is installed. Warnings are errors (with --quiet they
# would not be seen).
docs: $(VENV)/.docs
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict
	@echo "box2dpy: the site is in build/site; python -m http.server -d build/site serves it with its search"

# Needs numpy, cffi and pillow, and opens a window where there are pyglet and a screen.
demo: $(VENV)/.demo
	@$(PY) -m benchmarks.demo

# One hash: every combination of options on whole scenes (tens of minutes), then every compiler and level on the C core alone.
determinism: $(STAMP)
	@$(PY) tests/golden/matrix.py
	@B2D_ALL_BUILDS=1 $(PY) -m pytest tests/golden/test_driver.py tests/golden/test_wasm.py

# The C core of another platform against the native build: for aarch64 under qemu-user, with musl, and for Windows with mingw
# under wine. They need no Python package.
neon musl windows:
	@$(PYTHON) tests/golden/driver.py $@

# The core for web pages, box2dpy/_page/box2dpy.wasm: clang, wasm-ld and the C library of WASI are all it needs.
wasm:
	@$(PYTHON) box2dpy/_page/build.py

# Address and undefined-behaviour sanitizers over the suite, the thread sanitizer over what uses threads. The C tests are built
# with the sanitizer themselves, so they run without the preload; what only reads sources, compiles or draws is left out. Reports go to build/report.PID: pytest hides stderr.
sanitize: address thread clang
SANITIZED_TEST = $(CURDIR)/$(VENV)/bin/pytest -p no:cacheprovider
# With the C++ runtime: else the sanitizer, loaded before it, does not know how extensions such as matplotlib's throw.
PRELOAD = LD_PRELOAD="$$($${CC:-gcc} -print-file-name=lib$(1).so) $$($${CC:-gcc} -print-file-name=libstdc++.so)"
address: export ASAN_OPTIONS = detect_leaks=0 log_path=$(CURDIR)/build/report
address: export UBSAN_OPTIONS = print_stacktrace=1 log_path=$(CURDIR)/build/report
address: $(STAMP)
	B2D_TEST_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1 -O1" \
		$(SANITIZED_TEST) tests/unit tests/golden/test_driver.py -k "not clang"
	B2D_SANITIZE=address,undefined B2D_ASSERTS=1 $(PY) -m pip --disable-pip-version-check install --quiet \
		--upgrade --no-deps --target build/address .
	cd build && $(call PRELOAD,asan) PYTHONPATH=$(CURDIR)/build/address $(SANITIZED_TEST) ../tests \
		--ignore ../tests/lint --ignore ../tests/unit --ignore ../tests/golden/test_driver.py \
		--ignore ../tests/samples
thread: export TSAN_OPTIONS = halt_on_error=1 second_deadlock_stack=1 suppressions=$(CURDIR)/tests/tsan_suppressions.txt log_path=$(CURDIR)/build/report
thread: $(STAMP)
	B2D_TEST_CFLAGS="-fsanitize=thread -fno-omit-frame-pointer -g1 -O1" \
		$(SANITIZED_TEST) tests/unit/test_c_base.py tests/unit/test_c_broadphase.py tests/golden/test_driver.py \
		-k "not clang and not agree_with_brute_force"
	B2D_SANITIZE=thread B2D_ASSERTS=1 $(PY) -m pip --disable-pip-version-check install --quiet \
		--upgrade --no-deps --target build/thread .
	cd build && $(call PRELOAD,tsan) PYTHONPATH=$(CURDIR)/build/thread $(SANITIZED_TEST) ../tests \
		--ignore ../tests/lint --ignore ../tests/unit --ignore ../tests/samples -k "thread or worker or scheduler or chaos or parallel or executor or test_staged_step or test_buffers or test_recording or test_snapshot or test_state or batch"

# Random calls of every kind under one sanitizer, in two to five hours each; the package that `address` or `thread` installs is
# built again when the code has changed. Reports go to build/report.PID.
SANITIZED_CALLS ?= 1000000
SANITIZED_SEED ?= 1
fuzz-address: export ASAN_OPTIONS = detect_leaks=0 allocator_may_return_null=1 log_path=$(CURDIR)/build/report
fuzz-address: export UBSAN_OPTIONS = print_stacktrace=1 log_path=$(CURDIR)/build/report
fuzz-thread: export TSAN_OPTIONS = halt_on_error=1 second_deadlock_stack=1 suppressions=$(CURDIR)/tests/tsan_suppressions.txt log_path=$(CURDIR)/build/report
fuzz-address fuzz-thread: fuzz-%: $(STAMP)
	B2D_SANITIZE=$(if $(filter thread,$*),thread,address$(comma)undefined) B2D_ASSERTS=1 $(PY) -m pip --disable-pip-version-check \
		install --quiet --upgrade --no-deps --target build/$* .
	mkdir -p build/$*-tests && cp -r tests build/$*-tests/
	cd build/$*-tests && $(call PRELOAD,$(if $(filter thread,$*),tsan,asan)) PYTHONPATH=$(CURDIR)/build/$* \
		$(CURDIR)/$(PY) -m tests.fuzz $(SANITIZED_CALLS) $(SANITIZED_SEED)

# The C tests and the golden driver under the sanitizers of clang, which report more undefined behaviour than those of gcc.
clang: $(STAMP)
	@command -v clang >/dev/null || { echo "box2dpy: clang is missing, its sanitizers are left out"; exit 1; }
	CC=clang B2D_TEST_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1 -O1" \
		$(SANITIZED_TEST) tests/unit tests/golden/test_driver.py -k "not clang"

clean:
	rm -rf build dist *.egg-info box2dpy/_core*.so box2dpy/_page/box2dpy.wasm $(VENV)
