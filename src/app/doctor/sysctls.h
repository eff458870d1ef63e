#pragma once

#include <fstream>
#include <iterator>
#include <string>
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

 private:
  std::string directory_;
};

}  // namespace app
