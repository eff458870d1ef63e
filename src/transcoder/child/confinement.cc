#include "transcoder/child/confinement.h"

#include <cstdio>

#include "transcoder/child/landlock.h"
#include "transcoder/child/readable_files.h"
#include "transcoder/child/system_calls.h"

namespace transcoder {

Isolation confine(const std::string& uri, const std::vector<std::string>& folders) {
  Isolation isolation;
#ifndef SYMCAST_SANITIZED  // whose reports need files and processes
  auto files = readable_files(uri);
  files.insert(files.end(), folders.begin(), folders.end());
  const auto version = allow_reading_only(files);
  isolation.files = bool{version};
  if (!version) std::fprintf(stderr, "files are not confined: %s\n", version.error().c_str());
  // A launch text, which the operator wrote, may use services of this machine, for audio for
  // example.
  const auto error =
      restrict_system_calls(uri.starts_with("gst:") ? Sockets::kAll : Sockets::kByServer);
  isolation.system_calls = error.empty();
  if (!error.empty()) std::fprintf(stderr, "system calls are not confined: %s\n", error.c_str());
#else
  static_cast<void>(uri);
  static_cast<void>(folders);
#endif
  return isolation;
}

}  // namespace transcoder
