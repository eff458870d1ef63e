#pragma once

#include <span>
#include <string_view>

namespace app {

/// One file of the web page (web/), embedded in the program.
struct WebFile {
  std::string_view path;  ///< in the URL: "/", or below /assets/ with a hash of the content
  std::string_view content_type;
  std::string_view bytes;
  std::string_view gzip;  ///< compressed `bytes`; empty if hardly smaller
};

/// Empty if the page was not built, which needs npm (SYMCAST_WEB).
std::span<const WebFile> web_files();

}  // namespace app
