#pragma once

#include <span>
#include <string_view>

namespace app {

/// One file of the page (web/), embedded in the program.
struct WebFile {
  std::string_view
      path;  ///< of its URL; "/" or below /assets/, where it changes with what it holds
  std::string_view content_type;
  std::string_view bytes;
  std::string_view gzip;  ///< the same, compressed; empty: it is hardly smaller
};

/// Empty where the page was not built: that needs npm (SYMCAST_WEB).
std::span<const WebFile> web_files();

}  // namespace app
