#include "transcoder/child/confinement.h"

#include <cstdio>

#include "transcoder/child/landlock.h"
#include "transcoder/child/readable_files.h"
#include "transcoder/child/system_calls.h"

namespace transcoder {

Isolation confine(const std::string& uri) {
  Isolation isolation;
#ifndef SYMCAST_SANITIZED  // whose reports need files and processes
  const auto version = allow_reading_only(readable_files(uri));
  isolation.files = bool{version};
  if (!version) std::fprintf(stderr, "files are not confined: %s\n", version.error().c_str());
  const auto error = restrict_system_calls();
  isolation.system_calls = error.empty();
  if (!error.empty()) std::fprintf(stderr, "system calls are not confined: %s\n", error.c_str());
#else
  static_cast<void>(uri);
#endif
  return isolation;
}

}  // namespace transcoder
