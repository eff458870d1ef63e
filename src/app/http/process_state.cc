#include "app/http/process_state.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace app {

namespace {

double ticks_to_seconds(double ticks) { return ticks / static_cast<double>(sysconf(_SC_CLK_TCK)); }

/// The time at which the system booted, in Unix time.
double boot_time() {
  std::ifstream file{"/proc/stat"};
  for (std::string word; file >> word;) {
    double seconds = 0;
    if (word == "btime" && file >> seconds) return seconds;
  }
  return 0;
}

std::uint64_t count_descriptors() {
  std::error_code error;
  const std::filesystem::directory_iterator folder{"/proc/self/fd", error};
  if (error) return 0;
  return static_cast<std::uint64_t>(std::distance(begin(folder), end(folder)) - 1);  // its own
}

}  // namespace

ProcessState ProcessState::read() {
  ProcessState state;
  std::ifstream file{"/proc/self/stat"};
  std::string line;
  std::getline(file, line);
  // Fields 3 and later follow the name, which is in parentheses and may have spaces.
  std::istringstream fields{line.substr(std::min(line.rfind(')') + 1, line.size()))};
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user = 0;
  double system = 0;
  double start = 0;
  double pages = 0;
  fields >> user >> system;
  for (int field = 16; field < 22; ++field) fields >> skipped;
  if (fields >> start >> state.virtual_bytes >> pages) {
    state.cpu_seconds = ticks_to_seconds(user + system);
    static const double kBoot = boot_time();  // would follow a step of the clock
    state.start_seconds = kBoot + ticks_to_seconds(start);
    state.resident_bytes =
        static_cast<std::uint64_t>(pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
  }
  state.open_descriptors = count_descriptors();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) state.max_descriptors = limit.rlim_cur;
  return state;
}

}  // namespace app
