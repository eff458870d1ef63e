#include "app/config/version.h"

namespace app {

const char* const kVersion = SYMCAST_VERSION;

}  // namespace app
