#pragma once

#include <cstddef>
#include <cstdint>

namespace base {

/// Asks the CPU to fetch `bytes` from `address` on into its cache, and does not wait for it. The
/// address may be invalid or null.
inline void prefetch(const void* address, std::size_t bytes = 1) {
  constexpr std::size_t kCacheLine = 64;
  const auto begin = reinterpret_cast<std::uintptr_t>(address);  // not all of it need be an object
  for (std::size_t offset = 0; offset < bytes; offset += kCacheLine) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): pointer arithmetic is defined in an object only.
    __builtin_prefetch(reinterpret_cast<const void*>(begin + offset));
  }
}

}  // namespace base
