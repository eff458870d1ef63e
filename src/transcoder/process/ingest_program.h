#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace transcoder {

/// The program of the sources' processes, symcast-ingest. It is opened once, so that a package that
/// replaces it cannot give a running server a program of another version.
class IngestProgram {
 public:
  /// Looks beside this program (a build tree), then in ../libexec/symcast/ (an installation).
  static base::Result<IngestProgram> find();
  /// Looks nowhere else.
  static base::Result<IngestProgram> at(const std::string& path);

  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }  ///< where it was found

 private:
  IngestProgram(std::string path, base::UniqueFd fd) : path_{std::move(path)}, fd_{std::move(fd)} {}

  std::string path_;
  base::UniqueFd fd_;
};

}  // namespace transcoder
