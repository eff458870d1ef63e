#pragma once

#include <span>

namespace transcoder {

/// Prints GStreamer's version, and those of the elements that there are (transcoder/process/
/// ingest_probe.h). GStreamer brings its list of plugins up to date. Returns an exit code.
int probe(std::span<char*> elements);

}  // namespace transcoder
