#pragma once

#include <filesystem>
#include <string>

namespace transcoder {

/// Whether a source's URI is "file:PATH" or "file://HOST/PATH".
bool is_file(const std::string& uri);

/// The absolute path of a file's URI, whether it exists or not. Throws std::runtime_error if it is
/// none.
std::filesystem::path file_path(const std::string& uri);

/// The URI of a file in GStreamer's form: absolute and with escapes. Throws std::runtime_error with
/// the reason, and how to correct it, if the file cannot be read.
std::string file_uri(const std::string& uri);

}  // namespace transcoder
