# Everything that is done with this tree. The work is CMake's; see CMakePresets.json.
#
#   make run       install what is needed, build, serve the test picture (ARGS="--source cam=rtsp://...")
#   make test      install what is needed, build, all tests
#   make lint      format, include directions, clang-tidy, sizes
#   make asan      the tests under AddressSanitizer and UndefinedBehaviorSanitizer
#   make tsan      the tests under ThreadSanitizer
#   make bench     the benchmarks, each as a table
#   make package   the Debian package, in build/package/
#   make install   program, unit, manual and configuration (PREFIX=/usr/local)
#
# DEPS=true leaves out the installation of packages.

DEPS ?= scripts/install-deps
PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
ARGS ?=

# Under a sanitizer a program is several times slower: what measures time and rates is left out.
asan: TIMED = congestion|isolation|lab|players
tsan: TIMED = congestion|isolation|lab|players

.PHONY: run test lint lint-fast asan tsan bench package install clean

run:
	$(DEPS) build run
	cmake --preset release
	cmake --build --preset release
	@echo
	@echo "  http://localhost:8080/live.ts   (ffplay, mpv, VLC)"
	@echo "  http://localhost:8080/          status"
	@echo
	build/release/src/symcast serve $(ARGS)

test:
	$(DEPS) build run test
	cmake --preset dev
	cmake --build --preset dev
	ctest --preset dev

lint: lint-fast
	cmake --preset dev
	scripts/tidy build/dev

lint-fast:
	$(DEPS) build run test
	scripts/lint

asan tsan:
	$(DEPS) build run test
	cmake --preset $@
	cmake --build --preset $@
	ctest --preset $@ --exclude-regex 'integration_($(TIMED))'

bench:
	$(DEPS) build run test
	cmake --preset dev
	cmake --build --preset dev
	build/dev/bench/bench_encoder
	build/dev/bench/retraction
	build/dev/bench/events
	build/dev/bench/fanout

package:
	$(DEPS) build run package
	cmake --preset release
	cmake --build --preset release
	cpack --config build/release/CPackConfig.cmake -B build/package
	@ls build/package/*.deb

install:
	cmake --preset release -B build/install \
	  -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DCMAKE_INSTALL_SYSCONFDIR=$(SYSCONFDIR)
	cmake --build build/install
	cmake --install build/install --strip

clean:
	rm -rf build
