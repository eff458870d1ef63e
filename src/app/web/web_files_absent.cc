#include <span>

#include "app/web/web_files.h"

namespace app {

std::span<const WebFile> web_files() { return {}; }

}  // namespace app
