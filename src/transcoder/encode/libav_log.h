#pragma once

#include <string>

namespace transcoder {

/// Sends libav's errors to the log and drops its other messages, for the whole process.
/// Thread-safe; only the first call has an effect.
void capture_libav_log();

/// The text of an error code of libav.
std::string libav_error(int code);

}  // namespace transcoder
