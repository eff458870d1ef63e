#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "abr/ladder/operating_points.h"
#include "abr/settings.h"
#include "base/log.h"
#include "base/units.h"
#include "segments/settings.h"
#include "server/address.h"
#include "server/settings.h"
#include "tcpinfo/congestion_event.h"
#include "transcoder/settings.h"

/// What an operator can choose: config/symcast.toml, key by key.
namespace app {

/// What is special to the clients of one network.
struct NetworkRule {
  server::Network network;
  std::string
      congestion_control;  ///< empty: the first further rule that names one, or the stream's
  int initcwnd = 0;        ///< segments; 0: the route stays as it is
  bool operator==(const NetworkRule&) const = default;
};

/// TCP_RTO_MAX of the kernel's tcp.h.
inline constexpr base::Duration kKernelsRtoMax = std::chrono::seconds{120};

struct TcpSettings {
  std::string congestion_control;            ///< empty: the kernel's default
  std::vector<NetworkRule> networks;         ///< [[tcp.network]]
  base::ByteCount notsent_lowat{16 * 1024};  ///< least; a frame's size when that is larger
  double ssthresh_hint = 1;                  ///< VideoRateSsthresh / whole rate; 0: no hint
  int initial_window = 0;                    ///< segments; 0: the kernel's
  /// Of the retransmission timer beyond the round trip; zero: the kernel's. So long a receiver of
  /// Linux holds an acknowledgement back (TCP_DELACK_MIN; decision 15).
  base::Duration rto_min = std::chrono::milliseconds{40};
  /// What it doubles up to; kKernelsRtoMax: the kernel's.
  base::Duration rto_max = std::chrono::seconds{1};
  double pacing = 0;  ///< SO_MAX_PACING_RATE / whole rate; 0: no limit
};

/// One [[stream]]: inherits [video], [audio], [encoder], [source], [rate], [control], [itcp],
/// [groups], [points], [segments] and [tcp], and may override any of their keys.
struct StreamConfig {
  transcoder::StreamSettings media;
  abr::Settings control;
  TcpSettings tcp;
  abr::PointSettings points;
  segments::Settings segments;
};

/// What is asked of the kernel once, at start.
struct KernelSettings {
  std::optional<tcpinfo::EventSource> events;  ///< empty: the best there is
  bool congestion_controls = true;             ///< ours are added to the kernel's
  bool operator==(const KernelSettings&) const = default;
};

/// What each event loop may spend on looking at its viewers' connections: 1.7 and 1 % of a core,
/// for a sample with the decision after it takes 0.84 µs, a mark 5 µs (bench/telemetry). 0.9 of it
/// goes in turn, which is enough for so many viewers of 30 frames/s, had each a group of his own:
struct TelemetrySettings {
  int samples_per_second = 20'000;  ///< 200: at a frame, at its report, and before the next one
  int ack_timestamps_per_second = 2'000;  ///< 30: of a frame's head and of its tail
  bool operator==(const TelemetrySettings&) const = default;
};

/// Segments at a rate of their player's own: of one of 2 s and 720p some 0.5 s of CPU time.
struct OnDemandSettings {
  double cpu = 0.1;  ///< share of all CPUs
  bool operator==(const OnDemandSettings&) const = default;
};

struct Config {
  server::Settings server;
  std::vector<StreamConfig> streams;  ///< at least one
  KernelSettings kernel;
  base::log::Level log_level = base::log::Level::kInfo;
  std::string trace_directory;  ///< empty: no trace
  /// Viewers with metrics of their own; the others count in the totals only. An event loop writes
  /// them: 8 µs each, 32 ms for the 4,000 that there may be.
  int metrics_max_viewers = 100;
  TelemetrySettings telemetry;
  OnDemandSettings on_demand;
};

/// The rules with an initcwnd, those of the same network once: routes are the machine's.
std::vector<NetworkRule> route_rules(const Config& config);

/// What the command line says over the file; empty: nothing.
struct Overrides {
  std::vector<std::string> listen = {};   ///< replaces server.listen
  std::vector<std::string> sources = {};  ///< NAME=URI: adds a stream, or gives one another source
  std::optional<std::string> policy = {};
  std::optional<std::string> congestion_control = {};  ///< of every viewer: no network rules
  std::optional<std::string> trace_directory = {};
  std::optional<std::string> log_level = {};
};

/// A configuration that cannot be used. what() has one line for each error,
/// "FILE:LINE:COLUMN: what is wrong and how to mend it", or "--FLAG: ..." for the command line.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// No file, no flags: the built-in source as `live` on [::]:8080.
Config default_config();

/// What a configuration may name: the congestion controls that the kernel has, and those that we
/// add to it where eBPF allows (whether it does shows when the server starts).
std::vector<std::string> available_congestion_controls();

/// The file (path empty: the built-in defaults), then the overrides. Throws ConfigError with all
/// the errors found. A congestion control outside `offered` is an error, unless that is empty.
Config load_config(const std::string& path, const Overrides& overrides = {},
                   const std::vector<std::string>& offered = available_congestion_controls());

}  // namespace app
