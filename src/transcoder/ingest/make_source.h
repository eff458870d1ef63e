#pragma once

#include <memory>
#include <string>

#include "transcoder/settings.h"
#include "transcoder/source.h"

namespace transcoder {

/// The source for a URI, by its scheme. Throws std::runtime_error, one line, when the URI can
/// never work; what may change (a missing file, a host that is down) is told by on_end.
std::unique_ptr<Source> make_source(const SourceSettings& settings, const VideoSettings& limits);

/// Whether the source waits for someone to send to it (UDP, SRT listener) rather than asking for
/// pictures: nobody sending yet is then no failure.
bool waits_for_sender(const std::string& uri);

}  // namespace transcoder
