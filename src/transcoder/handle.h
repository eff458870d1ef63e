#pragma once

#include <memory>

namespace transcoder {

/// Releases a C library's handle with that library's own function `kFree`.
template <auto kFree>
struct Release {
  template <typename T>
  void operator()(T* handle) const {
    kFree(handle);
  }
};

/// Owns a handle of a C library.
template <typename T, auto kFree>
using Handle = std::unique_ptr<T, Release<kFree>>;

}  // namespace transcoder
