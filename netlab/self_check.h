#pragma once

#include <iosfwd>

namespace netlab {

/// Sends UDP through an emulated path and compares delay, rate, loss and queue with the settings.
/// Prints a line for each; returns whether all are within their stated error.
bool self_check(std::ostream& report);

}  // namespace netlab
