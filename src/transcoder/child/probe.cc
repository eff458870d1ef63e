#include "transcoder/child/probe.h"

#include <gst/gst.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "transcoder/child/confinement.h"
#include "transcoder/child/self_limits.h"

namespace transcoder {

namespace {

/// Of another process like a source's, which has no thread of GStreamer then, and no capability of
/// root.
Isolation probe_isolation() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    give_up_capabilities();
    const auto isolation = confine("file:/dev/null", {});
    ::_exit(static_cast<int>(isolation.files) << 1 | (isolation.system_calls ? 1 : 0));
  }
  int status = 0;
  if (pid < 0 || ::waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return {};
  const int code = WEXITSTATUS(status);
  return {.files = FileBarrier{static_cast<std::uint8_t>(code >> 1)},
          .system_calls = (code & 1) != 0};
}

}  // namespace

int probe(std::span<char*> elements) {
  const auto isolation = probe_isolation();
  GError* error = nullptr;
  if (gst_init_check(nullptr, nullptr, &error) == FALSE) {
    std::cout << (error != nullptr ? error->message : "gst_init failed") << std::endl;
    g_clear_error(&error);
    return EXIT_FAILURE;
  }
  guint major = 0;
  guint minor = 0;
  guint micro = 0;
  guint nano = 0;
  gst_version(&major, &minor, &micro, &nano);
  std::cout << "GStreamer " << major << '.' << minor << '.' << micro << '\n';
  for (const char* element : elements) {
    if (GstElementFactory* factory = gst_element_factory_find(element)) {
      std::cout << element << '\n';
      gst_object_unref(factory);
    }
  }
  if (isolation.files != FileBarrier::kNone) {
    std::cout << "+files=" << name(isolation.files) << '\n';
  }
  if (isolation.system_calls) std::cout << "+system_calls\n";
  std::cout.flush();
  return EXIT_SUCCESS;
}

}  // namespace transcoder
