#pragma once

#include <string>
#include <string_view>

#include "base/log.h"

namespace base::log {

/// An event as it is written, without time and level. Fields without a key are left out. Control
/// characters of a value, and bytes that are no UTF-8, are written as \xNN: a terminal would obey
/// the former, and anybody may have sent them. A pure function.
std::string line(std::string_view event, Fields fields);

/// `text`, of several lines, with its other control characters, and bytes that are no UTF-8, as
/// \xNN. A pure function.
std::string printable(std::string_view text);

}  // namespace base::log
