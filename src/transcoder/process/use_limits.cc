#include "transcoder/process/use_limits.h"

#include <fmt/format.h>

namespace transcoder {

namespace {

std::int64_t megabytes(base::ByteCount size) { return size.bytes() / (1024 * 1024); }

}  // namespace

std::string UseLimits::too_much_memory() const {
  return fmt::format("its process uses more memory than source.memory allows ({} MB)",
                     megabytes(limits_.memory));
}

std::optional<std::string> UseLimits::excess(const ProcessUse& use, base::Time now) {
  if (use.memory > most_memory()) return too_much_memory();
  if (use.threads > limits_.threads) {
    return fmt::format("its process runs {} threads; at most {} are allowed", use.threads,
                       limits_.threads);
  }
  if (!begin_ || now - *begin_ > kCpuWindow) {
    const double cpus = begin_ ? base::seconds(use.cpu - cpu_) / base::seconds(now - *begin_) : 0;
    begin_ = now;
    cpu_ = use.cpu;
    if (cpus > limits_.cpus) {
      return fmt::format("its process uses {:.1f} CPUs; source.cpu allows {:.1f}", cpus,
                         limits_.cpus);
    }
  }
  return std::nullopt;
}

}  // namespace transcoder
