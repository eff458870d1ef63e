#pragma once

namespace app {

/// "0.1.0", from CMakeLists.txt.
extern const char* const kVersion;

}  // namespace app
