#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "media/container.h"

namespace server {

/// A stream in one container, as a response that does not end.
struct StreamTarget {
  std::string stream;
  media::Container container = media::Container::kMpegTs;
};

/// What a request asks for. The path is percent-decoded once and compared exactly, never
/// normalised: "//x", "/./x" and "/y/../x" are not "/x".
struct RequestTarget {
  std::string path;
  std::string query;  ///< after '?', undecoded

  /// Origin form ("/x?y") or absolute form ("http://host/x?y"). An error for anything else, for a
  /// bad escape, and for an escaped control character, '/' or '\'.
  static base::Result<RequestTarget> parse(std::string_view text);

  /// "/NAME.ts", "/NAME.flv" or "/NAME.mp4"; NAME: 1 to 64 of letters, digits, '-', '_' and '.',
  /// not beginning with '.'.
  std::optional<StreamTarget> stream() const;
};

}  // namespace server
