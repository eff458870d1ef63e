#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

/// A file in a directory of a test's own, gone with it.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::string directory = std::filesystem::temp_directory_path() / "symcast-test-XXXXXX";
    directory_ = ::mkdtemp(directory.data());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove_all(directory_); }

  const std::filesystem::path& directory() const { return directory_; }
  std::string path() const { return directory_ / "symcast.toml"; }
  void write(const std::string& text) const { std::ofstream{path()} << text; }
  /// Another file of the directory; `name` may have folders in it.
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((directory_ / name).parent_path());
    std::ofstream{directory_ / name} << text;
  }

 private:
  std::filesystem::path directory_;
};
