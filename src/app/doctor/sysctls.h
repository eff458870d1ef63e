#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace app {

/// Reads net.ipv4.* of the kernel, or of a test directory in its place.
class Sysctls {
 public:
  explicit Sysctls(std::string directory = "/proc/sys/net/ipv4")
      : directory_{std::move(directory)} {}

  /// The words of the value; empty if it cannot be read.
  std::vector<std::string> words(const std::string& name) const {
    std::ifstream file{directory_ + "/" + name};
    return {std::istream_iterator<std::string>{file}, {}};
  }
  /// One of these words as a number; nullopt if it is not there, or is none.
  std::optional<std::int64_t> number(const std::string& name, std::size_t word = 0) const {
    const auto all = words(name);
    if (word >= all.size()) return std::nullopt;
    const auto& text = all[word];
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

 private:
  std::string directory_;
};

}  // namespace app
