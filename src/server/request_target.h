#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "media/container.h"

namespace server {

/// A stream in one container, sent as an endless response. A value.
struct StreamTarget {
  std::string stream;
  media::Container container = media::Container::kMpegTs;
};

/// The target of a request. The path is percent-decoded once and compared exactly, never
/// normalised: "//x", "/./x" and "/y/../x" are not "/x". A value.
struct RequestTarget {
  std::string path;
  std::string query;  ///< after '?', undecoded

  /// Parses origin form ("/x?y") or absolute form ("http://host/x?y"; also "https:", in any case).
  /// Returns an error for anything else, for a bad escape, and for an escaped control character,
  /// '/' or '\'.
  static base::Result<RequestTarget> parse(std::string_view text);

  /// The stream, if the path is "/NAME.ts", "/NAME.flv" or "/NAME.mp4". NAME has 1 to 64 letters,
  /// digits, '-', '_' and '.', and does not begin with '.'.
  std::optional<StreamTarget> stream() const;
};

/// The authority of an absolute form ("http://AUTHORITY/x"), or "".
std::string_view authority_of(std::string_view target);

/// The host of "HOST", "HOST:PORT", "[IPv6]" or "[IPv6]:PORT", without brackets.
std::string_view host_name(std::string_view authority);

}  // namespace server
