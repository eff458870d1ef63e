#include "transcoder/child/confinement.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include "transcoder/child/landlock.h"
#include "transcoder/child/mount_view.h"
#include "transcoder/child/readable_files.h"
#include "transcoder/child/system_calls.h"

namespace transcoder {

namespace {

[[maybe_unused]] FileBarrier confine_files(std::vector<std::string> files,
                                           std::vector<std::string> services) {
  const auto version = allow_reading_only(files);
  if (version) return FileBarrier::kLandlock;
  std::ranges::move(services, std::back_inserter(files));
  const auto error = see_only(files);
  if (error.empty()) return FileBarrier::kMountNamespace;
  std::fprintf(stderr, "files are not confined: %s, and no mount namespace: %s\n",
               version.error().c_str(), error.c_str());
  return FileBarrier::kNone;
}

}  // namespace

Isolation confine(const std::string& uri, const std::vector<std::string>& folders) {
  Isolation isolation;
#ifndef SYMCAST_SANITIZED  // whose reports need files and processes
  auto files = readable_files(uri);
  files.insert(files.end(), folders.begin(), folders.end());
  isolation.files = confine_files(std::move(files), service_folders(uri));
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
