# Everything that is done with this tree. The work is CMake's; see CMakePresets.json.
#
#   make run       install what is needed, build, serve the test picture (ARGS="--source cam=rtsp://...")
#   make test      install what is needed, build, all tests
#   make test-without-ebpf   the tests that differ, in a build without eBPF
#   make test-kernel         the tests of the kernel's side, under Debian 12's kernel (says so and
#                            goes on where that cannot be had)
#   make lint      format, include directions, clang-tidy, sizes
#   make asan      unit tests and its share of the others, under AddressSanitizer and
#                  UndefinedBehaviorSanitizer
#   make tsan      the same with ThreadSanitizer and the other share
#   make bench     the benchmarks, each as a table
#   make papers    what docs/results/papers lacks of the papers' experiments, replayed; hours for all
#   make papers-quick        all of them in minutes; pages in build/papers-quick (ARGS="NAME..." for
#                            some of them)
#   make package   the Debian package, in build/package/
#   make install   program, unit, manual and configuration (PREFIX=/usr/local)
#
# DEPS=true leaves out the installation of packages.

DEPS ?= scripts/install-deps
PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
ARGS ?=

# Under a sanitizer a program is several times slower: what measures time and rates is left out.
TIMED = integration_(browser|congestion|delivery|hints|isolation|netlab|players|segment_)|self_check
# Unit tests run under both; what runs the whole server, for minutes, under the one that tells more:
# AddressSanitizer where requests are read, ThreadSanitizer where encoders come and go.
asan: LEFT_OUT = integration_(events|on_demand|signals|sources)|switching_test
tsan: LEFT_OUT = integration_(api|capabilities|http|routes|segments|top)

.PHONY: run test test-without-ebpf test-kernel lint lint-fast asan tsan bench papers papers-quick package install clean

run:
	$(DEPS) build run
	cmake --preset release
	cmake --build --preset release
	@echo
	@echo "  http://localhost:8080/          player and dashboard"
	@echo "  http://localhost:8080/live.ts   (ffplay, mpv, VLC)"
	@echo
	build/release/src/symcast serve $(ARGS)

test:
	$(DEPS) build run test
	cmake --preset dev
	cmake --build --preset dev
	ctest --preset dev

# The same tree, so that only what differs is compiled; the preset turns eBPF on again.
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
	  $$(find build/dev/tests/unit/tcpinfo -name '*_kernel_test') || [ $$? -eq 77 ]

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
	ctest --preset $@ --exclude-regex '$(TIMED)|$(LEFT_OUT)'

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
