#pragma once

#include <string>

#include "transcoder/source.h"
#include "transcoder/wire/message.h"

namespace transcoder {

/// Writes an event of the process of `stream` into our log. The names are ours, so that a process
/// cannot write lines of others.
void log_note(const std::string& stream, const wire::Note& note);

/// How a source's process is confined, where this is not what it should be.
void log_isolation(const Isolation& isolation);

}  // namespace transcoder
