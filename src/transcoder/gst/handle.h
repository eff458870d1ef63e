#pragma once

#include <memory>

namespace transcoder {

/// Owns a handle of a C library, and gives it back with that library's own function.
template <auto kFree>
struct Release {
  template <typename T>
  void operator()(T* handle) const {
    kFree(handle);
  }
};

template <typename T, auto kFree>
using Handle = std::unique_ptr<T, Release<kFree>>;

}  // namespace transcoder
