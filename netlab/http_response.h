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
  /// Takes bytes of the head; returns how many. The rest is the body.
  std::size_t feed(std::span<const std::uint8_t> bytes);
  bool complete() const { return complete_; }

  int status() const;  ///< 0: not a response
  bool chunked() const;
  /// Value of a header, without surrounding blanks; names in any case.
  std::optional<std::string> header(std::string_view name) const;

 private:
  std::string head_;
  bool complete_ = false;
};

}  // namespace netlab
