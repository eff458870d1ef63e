#include "base/cpus.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "base/control_group.h"

namespace base {

namespace {

constexpr double kFewest = 0.01;

double cpus_in_mask() {
  cpu_set_t mask;
  if (::sched_getaffinity(0, sizeof mask, &mask) == 0) return CPU_COUNT(&mask);
  return std::max(1u, std::thread::hardware_concurrency());  // more than 1024 CPUs
}

std::optional<double> limit_of(const std::filesystem::path& group) {
  std::ifstream file{group / "cpu.max"};
  std::string line;
  std::getline(file, line);
  return parse_cpu_max(line);
}

}  // namespace

double usable_cpus() {
  double cpus = cpus_in_mask();
  for (const auto& level : ControlGroup::own().levels()) {
    cpus = std::min(cpus, limit_of(level).value_or(cpus));
  }
  return std::max(cpus, kFewest);
}

int cpu_threads() { return static_cast<int>(std::ceil(usable_cpus())); }

std::optional<double> parse_cpu_max(std::string_view text) {
  std::istringstream words{std::string{text}};
  double quota = 0;
  double period = 0;
  if (!(words >> quota >> period) || quota <= 0 || period <= 0) return {};
  return quota / period;
}

}  // namespace base
