#pragma once

#include <string>

namespace transcoder {

/// Why a source cannot play now, as far as that is known without the network: a file that cannot be
/// read, or a protocol that cannot be published by. Empty if nothing is wrong. One line, with how
/// to correct it.
std::string local_problem(const std::string& uri);

/// Also tries what takes time or other resources for a moment: the name of the sender's host, and
/// the UDP port that the source waits on.
std::string source_problem(const std::string& uri);

}  // namespace transcoder
