#pragma once

#include <chrono>
#include <string>

namespace segments {

/// RFC 3339, as HLS and xs:dateTime have it, to the millisecond begun: "2009-02-13T23:31:30.042Z".
std::string utc_text(std::chrono::system_clock::time_point time);

}  // namespace segments
