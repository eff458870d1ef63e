#include "tcpinfo/ebpf/libbpf_log.h"

#include <bpf/libbpf.h>
#include <linux/capability.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/capabilities.h"

namespace tcpinfo {

namespace {

// libbpf's callback has no argument of its own.
std::string first_warning;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

int keep(libbpf_print_level level, const char* format, va_list arguments) noexcept {
  if (level != LIBBPF_WARN || !first_warning.empty()) return 0;
  std::array<char, 512> text{};
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
  first_warning = text.data();
  // The verifier's log has many lines; the first one names the error.
  first_warning.resize(std::min(first_warning.find('\n'), first_warning.size()));
  return length;
}

const char* name(int capability) {
  switch (capability) {
    case CAP_BPF:
      return "CAP_BPF";
    case CAP_PERFMON:
      return "CAP_PERFMON";
    default:
      return "CAP_NET_ADMIN";
  }
}

/// The capabilities of `needs` that we do not hold, like "CAP_BPF and CAP_PERFMON".
std::string missing(std::initializer_list<int> needs) {
  std::string names;
  for (const int capability : needs) {
    if (base::holds_capability(capability)) continue;
    names += (names.empty() ? "" : " and ") + std::string{name(capability)};
  }
  return names;
}

int silence(libbpf_print_level, const char*, va_list) noexcept { return 0; }

}  // namespace

LibbpfLog::LibbpfLog() {
  first_warning.clear();
  libbpf_set_print(keep);
}

LibbpfLog::~LibbpfLog() { libbpf_set_print(silence); }

std::string LibbpfLog::explain(int error, std::initializer_list<int> needs) const {
  if (error == EPERM || error == EACCES) {
    // If we hold them, the verifier refused, or another program excludes ours.
    if (const std::string names = missing(needs); !names.empty()) return "needs " + names;
  }
  if (!std::filesystem::exists("/sys/kernel/btf/vmlinux")) {
    return "this kernel has no BTF; eBPF needs one built with CONFIG_DEBUG_INFO_BTF";
  }
  const std::string what = std::strerror(error);
  return first_warning.empty() ? what : what + ": " + first_warning;
}

}  // namespace tcpinfo
