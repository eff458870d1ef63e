#pragma once

namespace base {

/// This process has `capability` (CAP_*, capabilities(7)) in effect.
bool holds_capability(int capability);

}  // namespace base
