#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "abr/settings.h"
#include "base/log.h"
#include "base/units.h"
#include "server/address.h"
#include "server/server.h"
#include "transcoder/settings.h"

/// What an operator can choose: config/symcast.toml, key by key.
namespace app {

/// A congestion control for the clients of one network; the first rule that matches wins.
struct NetworkRule {
  server::Network network;
  std::string congestion_control;
  bool operator==(const NetworkRule&) const = default;
};

struct TcpSettings {
  std::string congestion_control;            ///< empty: the kernel's default
  std::vector<NetworkRule> networks;         ///< [[tcp.network]]
  base::ByteCount notsent_lowat{16 * 1024};  ///< least; a group's frame size when that is larger
  double pacing = 0;                         ///< SO_MAX_PACING_RATE / rate; 0: no limit
};

/// One [[stream]]: inherits [video], [audio], [encoder], [rate], [groups], [itcp] and [tcp], and
/// may override any of their keys.
struct StreamConfig {
  transcoder::StreamSettings media;
  abr::Settings control;
  TcpSettings tcp;
};

struct Config {
  server::Settings server;
  std::vector<StreamConfig> streams;  ///< at least one
  base::log::Level log_level = base::log::Level::kInfo;
  std::string trace_directory;  ///< empty: no trace
};

/// A configuration that cannot be used: "FILE:LINE:COLUMN: what is wrong and how to mend it".
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// No file, no flags: the built-in source as `live` on [::]:8080.
Config default_config();

/// Throws ConfigError, with the place and the nearest valid key.
Config load_config(const std::string& path);

}  // namespace app
