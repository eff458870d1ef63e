#pragma once

#include <string>

#include "app/config/config.h"

namespace app {

/// Says why viewers never get the largest pictures that the settings allow. Empty if they do.
std::string never_reached(const StreamConfig& stream);

}  // namespace app
