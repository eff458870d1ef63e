#pragma once

namespace base {

/// Whether this process has `capability` (CAP_*, capabilities(7)) in its effective set.
bool holds_capability(int capability);

}  // namespace base
