#include "transcoder/child/probe.h"

#include <gst/gst.h>

#include <cstdlib>
#include <iostream>

#include "transcoder/child/confinement.h"

namespace transcoder {

int probe(std::span<char*> elements) {
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
  const auto isolation = confine("file:/dev/null", {});
  if (isolation.files) std::cout << "+files\n";
  if (isolation.system_calls) std::cout << "+system_calls\n";
  std::cout.flush();
  return EXIT_SUCCESS;
}

}  // namespace transcoder
