#pragma once

#include <string>

namespace transcoder {

/// Whether a source's URI is "file:PATH" or "file://HOST/PATH".
bool is_file(const std::string& uri);

/// The URI of a file in GStreamer's form: absolute and with escapes. Throws std::runtime_error with
/// the reason, and how to correct it, if the file cannot be read.
std::string file_uri(const std::string& uri);

}  // namespace transcoder
