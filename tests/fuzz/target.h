#pragma once

#include <vector>

#include "fuzz/input.h"

/// Defines the fuzz target NAME, a function of `fuzz::Input input`. It checks (check.h) what holds
/// for any bytes. The same bytes have to do the same each time: no clock, no random numbers, and
/// nothing left behind.
#define FUZZ_TARGET(name)                                                                        \
  static void fuzz_##name(fuzz::Input input);                                                    \
  [[maybe_unused]] static const bool name##_is_listed = fuzz::list_target({#name, fuzz_##name}); \
  static void fuzz_##name([[maybe_unused]] fuzz::Input input)

namespace fuzz {

struct Target {
  const char* name;
  void (*run)(Input);
};

/// The targets that this program is linked with.
inline std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

inline bool list_target(Target target) {
  targets().push_back(target);
  return true;
}

}  // namespace fuzz
