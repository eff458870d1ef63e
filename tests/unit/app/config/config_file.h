#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "test_files.h"

namespace app {

inline const std::vector<std::string> kOfferedControls{"reno", "cubic", "bbr"};

/// Loads a configuration from a string, on a kernel that offers kOfferedControls.
class ConfigFile : public ::testing::Test {
 protected:
  Config load(const std::string& text, const Overrides& overrides = {}) {
    file_.write(text);
    return load_config(file_.path(), overrides, kOfferedControls);
  }

  /// The lines of the error, without the file's name.
  std::vector<std::string> errors(const std::string& text, const Overrides& overrides = {}) {
    try {
      load(text, overrides);
    } catch (const ConfigError& error) {
      std::istringstream lines{error.what()};
      std::vector<std::string> out;
      for (std::string line; std::getline(lines, line);) {
        const bool of_file = line.starts_with(file_.path() + ":");
        out.push_back(of_file ? line.substr(file_.path().size() + 1) : line);
      }
      return out;
    }
    return {};
  }

  TemporaryFile file_;
};

}  // namespace app
