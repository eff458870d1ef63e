#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/config/config.h"
#include "app/config/config_reader.h"

/// Checks that involve more than one key, or the machine.
namespace app {

/// A stream, with the places of its keys and of its [[stream]] block for error messages.
struct PlacedStream {
  StreamConfig config;
  Places inherited;  ///< of keys outside [[stream]]
  Places own;        ///< of keys in the block, and of flags for this stream
  std::string place;

  bool has(std::string_view key) const { return own.contains(key) || inherited.contains(key); }
};

void check_daemon(const Config& config, const Places& places, ConfigReader& reader);

/// `offered`: congestion controls that can be used; empty if that is unknown.
void check_streams(const std::vector<PlacedStream>& streams,
                   const std::vector<std::string>& offered, ConfigReader& reader);

}  // namespace app
