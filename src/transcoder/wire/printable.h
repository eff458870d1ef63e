#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace transcoder::wire {

/// The first `most` bytes of `text`, for one line of a log: each byte that belongs to no printable
/// character of UTF-8 becomes '?'. The result is unchanged by a second call.
std::string printable(std::string_view text, std::size_t most);

}  // namespace transcoder::wire
