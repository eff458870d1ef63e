#pragma once

#include <string>
#include <vector>

#include "app/config.h"
#include "app/config_reader.h"

/// What no single key can tell: checks of values against each other and against the machine.
namespace app {

/// A stream with the places of its keys and of its own [[stream]] block, for errors.
struct PlacedStream {
  StreamConfig config;
  Places places;
  std::string place;
};

void check_daemon(const Config& config, const Places& places, ConfigReader& reader);

/// `offered`: congestion controls that the kernel knows; empty: it does not say.
void check_streams(const std::vector<PlacedStream>& streams,
                   const std::vector<std::string>& offered, ConfigReader& reader);

}  // namespace app
