#pragma once

#include <memory>
#include <string>

#include "transcoder/settings.h"
#include "transcoder/source.h"

namespace transcoder {

/// Makes the source for a URI, by its scheme. Throws std::runtime_error with a one-line text if the
/// URI can never work. Source::Listener::on_end() reports failures that may pass (a missing file, a
/// host that is down).
std::unique_ptr<Source> make_source(const SourceSettings& settings, const VideoSettings& limits);

/// Whether the source waits for a sender (UDP, SRT listener) instead of connecting to one. It is
/// then no failure that nothing arrives at first.
bool waits_for_sender(const std::string& uri);

}  // namespace transcoder
