#pragma once

namespace base {

/// From now on the process ends with one line on stderr, that says what to do, if it runs out
/// of memory or no code catches an exception. Then it aborts, so that a core is dumped. Call once.
void explain_termination();

}  // namespace base
