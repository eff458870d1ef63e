#pragma once

#include <cstddef>
#include <cstdint>

namespace abr {

/// The kernel's congestion controls between which a connection can change.
enum class CongestionControl : std::uint8_t { kCubic, kBbr };
inline constexpr std::size_t kCongestionControlCount = 2;

/// As in the kernel and in labels of metrics.
constexpr const char* name(CongestionControl control) {
  return control == CongestionControl::kBbr ? "bbr" : "cubic";
}

}  // namespace abr
