#pragma once

#include <chrono>
#include <string>

namespace segments {

/// The format of RFC 3339, as used by HLS and xs:dateTime, with milliseconds (rounded down):
/// "2009-02-13T23:31:30.042Z".
std::string utc_text(std::chrono::system_clock::time_point time);

}  // namespace segments
