#pragma once

namespace base {

/// From now on, an exception that no code catches, such as a lack of memory, ends the process with
/// one line on stderr that says what to do. Then it aborts, so that a core is dumped.
void explain_termination();

}  // namespace base
