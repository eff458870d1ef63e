#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

#include "fuzz/target.h"

// The functions that libFuzzer calls in its own main(). One program has one target.

namespace {

// Processor time of one input, which takes milliseconds. libFuzzer's own limit is of time that
// passes, which on a busy machine may be the time of others.
constexpr itimerval kLimit{.it_interval = {}, .it_value = {.tv_sec = 2, .tv_usec = 0}};
constexpr itimerval kNoLimit{};

void on_limit(int /*signal*/) {
  constexpr std::string_view kText = "does not hold: an input takes less than 2 s\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  std::signal(SIGVTALRM, on_limit);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ::setitimer(ITIMER_VIRTUAL, &kLimit, nullptr);
  fuzz::targets().front().run(fuzz::Input{data, size});
  ::setitimer(ITIMER_VIRTUAL, &kNoLimit, nullptr);
  return 0;
}
