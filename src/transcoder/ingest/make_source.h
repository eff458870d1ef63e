#pragma once

#include <memory>
#include <string>

#include "transcoder/settings.h"
#include "transcoder/source.h"

namespace transcoder {

/// Throws std::runtime_error with a one-line text if the source's URI can never work.
void check_uri(const SourceSettings& settings);

/// Makes the source for a URI: "test:" here, all others with `others`. REQUIRES: check_uri()
/// passes. Source::Listener::on_end() reports failures that may pass (a missing file, a host that
/// is down).
std::unique_ptr<Source> make_source(const std::string& stream, const SourceSettings& settings,
                                    const VideoSettings& limits, const MakeSource& others);

/// Whether the source waits for a sender (UDP, SRT listener) instead of connecting to one. It is
/// then no failure that nothing arrives at first.
bool waits_for_sender(const std::string& uri);

}  // namespace transcoder
