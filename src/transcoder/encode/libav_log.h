#pragma once

namespace transcoder {

/// Sends libav's errors to the log and drops the rest of its messages, for the whole process.
/// Thread-safe; does it once.
void capture_libav_log();

}  // namespace transcoder
