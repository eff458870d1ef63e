# Shortcuts for working with this tree. CMake does the work; see CMakePresets.json.
#
#   make run       build and serve the test picture (ARGS="--source cam=rtsp://...")
#   make test      build and run all tests
#   make test-long run all tests, those of players for a minute each, and all cases of pulled HLS
#   make test-without-ebpf   run the tests that differ in a build without eBPF
#   make test-kernel         run the tests of the kernel interfaces under Debian 12's kernel (skipped
#                            with a message if that kernel is not available)
#   make lint      check format, include directions, sizes, and run clang-tidy
#   make asan      run the unit tests, and the tests that send requests, under AddressSanitizer and
#                  UndefinedBehaviorSanitizer
#   make tsan      run the tests of threads under ThreadSanitizer
#   make fuzz      search for bytes that break what reads them, TIME=60 seconds for each target
#                  (TARGET=request for one; MERGE=1 to add the new inputs to tests/fuzz/corpus)
#   make fuzz-quick  the same for up to 20,000 inputs each, nearly the same ones each time
#   make bench     run the benchmarks, which print tables
#   make papers    replay the papers' experiments missing in docs/results/papers; takes hours
#   make papers-quick  replay all of them in minutes, into build/papers-quick (ARGS="NAME..." for
#                  some)
#   make site      make a web site of the documents, in build/site/html/
#   make package   make the Debian package, in build/package/
#   make image     make an OCI image of the package, build/image/symcast.tar (as root)
#   make install   install program, unit, manual and configuration (PREFIX=/usr/local)
#
# Most targets first install the packages they need; DEPS=true skips that.

DEPS ?= scripts/install-deps
PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
ARGS ?=
TIME ?= 60

.PHONY: run test test-long test-without-ebpf test-kernel lint lint-fast asan tsan asan-build tsan-build fuzz fuzz-quick bench papers papers-quick site package image install clean

run:
	$(DEPS) build run
	cmake --preset release
	cmake --build --preset release
	build/release/src/symcast serve $(ARGS)

test test-long:
	$(DEPS) build run test
	cmake --preset dev
	cmake --build --preset dev
	$(if $(findstring long,$@),SYMCAST_TEST_LONG=1) ctest --preset dev

# Uses the same build tree, so that only differing files are compiled. The next run of the preset
# turns eBPF on again.
test-without-ebpf:
	$(DEPS) build run test
	cmake --preset dev -DSYMCAST_BPF=OFF
	cmake --build --preset dev
	ctest --preset dev -L unit
	ctest --preset dev -R 'integration_(capabilities|congestion|events|http)'

test-kernel:
	$(DEPS) build run test kernel
	cmake --preset dev
	cmake --build --preset dev
	tests/kernels/boot linux-image-amd64 \
	  $$(find build/dev/tests/unit -name '*_kernel_test') || [ $$? -eq 77 ]

lint: lint-fast
	cmake --preset dev
	scripts/tidy build/dev

lint-fast:
	$(DEPS) build run test
	scripts/lint

asan-build tsan-build: %-build:
	$(DEPS) build run test
	cmake --preset $*
	cmake --build --preset $*

asan tsan: %: %-build
	ctest --preset $*

fuzz fuzz-quick:
	$(DEPS) build run test
	cmake --preset asan
	cmake --build --preset asan --target fuzzers
	scripts/fuzz $(if $(findstring quick,$@),--quick,--time $(TIME)) $(if $(MERGE),--merge) $(TARGET)

bench:
	$(DEPS) build run test
	cmake --preset dev
	cmake --build --preset dev
	build/dev/bench/encoder
	build/dev/bench/retraction
	build/dev/bench/policies --quick
	build/dev/bench/events
	build/dev/bench/delivery
	build/dev/bench/hints
	build/dev/bench/telemetry
	build/dev/bench/players
	build/dev/bench/fanout

papers papers-quick:
	$(DEPS) build run test papers
	cmake --preset dev
	cmake --build --preset dev
	build/dev/bench/papers $(if $(findstring quick,$@),--quick) $(ARGS)

site:
	$(DEPS) site
	scripts/build-site

package:
	$(DEPS) build run package
	cmake --preset release
	cmake --build --preset release
	cpack --config build/release/CPackConfig.cmake -B build/package
	@ls build/package/*.deb

image: package
	$(DEPS) image
	packaging/oci/build-image build/package/symcast_*.deb build/image/symcast.tar

install:
	cmake --preset release -B build/install \
	  -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DCMAKE_INSTALL_SYSCONFDIR=$(SYSCONFDIR)
	cmake --build build/install
	cmake --install build/install --strip

clean:
	rm -rf build
