#pragma once

#include <string>

namespace transcoder {

/// Sends libav's errors to the log and drops the rest of its messages, for the whole process.
/// Thread-safe; does it once.
void capture_libav_log();

/// What libav says of an error code that one of its functions returned.
std::string libav_error(int code);

}  // namespace transcoder
