# Thin: the build itself is in CMakeLists.txt. Every target works on its own after `git clone`.
.POSIX:
.PHONY: help demo build test python install-python bench bench-peers bench-steps bench-motions install format ci clean

PREFIX = /usr/local
PYTHON_DIRECTORY = lib/python3/dist-packages
DESTDIR =
JOBS = $$(nproc)
DATA = ../shared/data/friction
LIMIT = 20

help:
	@echo "make demo      build, show what the program does, and draw a motion"
	@echo "make build     build the program and the libraries: build/release/delassus"
	@echo "make test      build and run the tests"
	@echo "make python    build the Python package: build/release/python"
	@echo "make install-python  install it under PREFIX ($(PREFIX)), in PYTHON_DIRECTORY"
	@echo "make bench     build and run the benchmarks"
	@echo "make bench-peers  compare with Siconos on the FCLIB files of DATA ($(DATA))"
	@echo "make bench-steps  compare time integration with Siconos"
	@echo "make bench-motions  compare integration through events with scipy and SUNDIALS"
	@echo "make install   install under PREFIX ($(PREFIX)); DESTDIR stages"
	@echo "make format    format the C files"
	@echo "make ci        everything that is checked before a merge"
	@echo "make clean     remove build/"
	@echo
	@echo "Missing Debian packages are installed when that needs no password, and named otherwise."

demo:
	@scripts/install-dependencies build
	@mkdir -p build
	@echo "Building build/release/delassus; build/demo.log has the lines. The first time takes minutes."
	@{ cmake --preset release -DDELASSUS_TESTS=OFF && \
	  cmake --build --preset release --parallel $(JOBS); } >build/demo.log 2>&1 || \
	  { tail -40 build/demo.log; exit 1; }
	@scripts/demo

build:
	@scripts/install-dependencies build
	@cmake --preset release -DDELASSUS_TESTS=OFF >/dev/null
	@cmake --build --preset release --parallel $(JOBS)

test:
	@scripts/install-dependencies build test
	@cmake --preset release -DDELASSUS_TESTS=ON >/dev/null
	@cmake --build --preset release --parallel $(JOBS)
	@ctest --preset release --parallel $(JOBS)

python:
	@scripts/install-dependencies build python
	@cmake --preset release -DDELASSUS_TESTS=OFF >/dev/null
	@cmake --build --preset release --parallel $(JOBS) --target python

install-python:
	@scripts/install-dependencies build python
	@cmake --preset release -DDELASSUS_TESTS=OFF -DCMAKE_INSTALL_PREFIX="$(PREFIX)" \
	  -DDELASSUS_PYTHON_DIRECTORY="$(PYTHON_DIRECTORY)" >/dev/null
	@cmake --build --preset release --parallel $(JOBS) --target python
	@DESTDIR="$(DESTDIR)" cmake --install build/release --component python

bench:
	@scripts/install-dependencies build
	@cmake --preset release -DDELASSUS_TESTS=OFF >/dev/null
	@cmake --build --preset release --parallel $(JOBS) --target all bench
	@for b in build/release/bench/bench_*; do if [ -x "$$b" ]; then "$$b" || exit 1; fi; done

bench-peers:
	@scripts/install-dependencies build
	@scripts/install-dependencies peers || true
	@cmake --preset release -DDELASSUS_TESTS=OFF >/dev/null
	@cmake --build --preset release --parallel $(JOBS) \
	  --target siconos_friction bench_solve draw_profiles
	@bench/peers/run build/release "$(DATA)" "$(LIMIT)"

bench-steps:
	@scripts/install-dependencies build
	@scripts/install-dependencies peers || true
	@cmake --preset release -DDELASSUS_TESTS=OFF >/dev/null
	@cmake --build --preset release --parallel $(JOBS) --target bench_steps
	@bench/peers/run-steps build/release

bench-motions:
	@scripts/install-dependencies build
	@scripts/install-dependencies peers || true
	@cmake --preset release -DDELASSUS_TESTS=OFF >/dev/null
	@cmake --build --preset release --parallel $(JOBS) --target motions
	@bench/peers/run-motions build/release

install:
	@scripts/install-dependencies build
	@cmake --preset release -DDELASSUS_TESTS=OFF -DCMAKE_INSTALL_PREFIX="$(PREFIX)" >/dev/null
	@cmake --build --preset release --parallel $(JOBS)
	@DESTDIR="$(DESTDIR)" cmake --install build/release

format:
	@scripts/install-dependencies ci
	@git ls-files '*.c' '*.cpp' '*.h' | xargs clang-format -i

ci:
	@.ci/run

clean:
	rm -rf build
