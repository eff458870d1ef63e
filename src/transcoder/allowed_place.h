#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/address.h"
#include "base/result.h"

namespace transcoder {

/// A place that a source may open besides its own host and public addresses (source.allow): a
/// network, a host or a folder. A value.
class AllowedPlace {
 public:
  /// "10.0.0.0/8", "192.0.2.1", "cdn.example" or "/srv/media".
  static base::Result<AllowedPlace> parse(std::string_view text);

  const std::string& text() const { return text_; }
  /// nullopt if it is a host or a folder.
  const std::optional<base::Network>& network() const { return network_; }
  bool is_folder() const { return text_.starts_with('/'); }
  bool is_host() const { return !network_ && !is_folder(); }  ///< text() is in lower case
  bool operator==(const AllowedPlace&) const = default;

 private:
  AllowedPlace(std::string text, std::optional<base::Network> network)
      : text_{std::move(text)}, network_{network} {}

  std::string text_;
  std::optional<base::Network> network_;
};

}  // namespace transcoder
