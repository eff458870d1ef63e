#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace netlab {

/// The head of an HTTP/1.x response, fed in any pieces.
class HttpResponse {
 public:
  /// Consumes bytes of the head and returns their number. The rest belongs to the body.
  std::size_t feed(std::span<const std::uint8_t> bytes);
  bool complete() const { return complete_; }

  int status() const;  ///< 0 if this is not HTTP
  bool chunked() const;
  /// Value of a header, without surrounding blanks. Names are case-insensitive.
  std::optional<std::string> header(std::string_view name) const;

 private:
  std::string head_;
  bool complete_ = false;
};

}  // namespace netlab
