#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "abr/ladder/operating_points.h"
#include "abr/settings.h"
#include "base/log.h"
#include "base/units.h"
#include "segments/settings.h"
#include "server/address.h"
#include "server/cors.h"
#include "server/settings.h"
#include "tcpinfo/congestion_event.h"
#include "transcoder/settings.h"

/// The operator's settings: the keys of config/symcast.toml.
namespace app {

/// Special settings for the clients of one network.
struct NetworkRule {
  server::Network network;
  /// If empty, the next matching rule that names one applies, or the stream's own. May be
  /// kAutomaticControl.
  std::string congestion_control;
  int initcwnd = 0;  ///< segments; 0 leaves the route unchanged
  bool operator==(const NetworkRule&) const = default;
};

/// TCP_RTO_MAX of the kernel's tcp.h.
inline constexpr base::Duration kKernelsRtoMax = std::chrono::seconds{120};

/// A congestion control that each connection chooses (abr::CongestionChoice).
inline constexpr std::string_view kAutomaticControl = "auto";

struct TcpSettings {
  std::string congestion_control{kAutomaticControl};  ///< empty for the kernel's default
  std::vector<NetworkRule> networks;                  ///< [[tcp.network]]
  base::ByteCount notsent_lowat{16 * 1024};           ///< minimum; one frame if that is larger
  double ssthresh_hint = 1;  ///< VideoRateSsthresh / whole rate; 0 gives no hint
  int initial_window = 0;    ///< segments; 0 keeps the kernel's
  /// Least time of the retransmission timer beyond the round trip; zero keeps the kernel's. Linux
  /// receivers delay an acknowledgement by up to 40 ms (TCP_DELACK_MIN; decision 15).
  base::Duration rto_min = std::chrono::milliseconds{40};
  /// Maximum to which that timer doubles; kKernelsRtoMax leaves it as it is.
  base::Duration rto_max = std::chrono::seconds{1};
  double pacing = 0;  ///< SO_MAX_PACING_RATE / whole rate; 0 sets no limit
};

/// One [[stream]]: inherits [video], [audio], [encoder], [source], [rate], [control], [itcp],
/// [groups], [scaling], [segments] and [tcp], and may override any of their keys.
struct StreamConfig {
  transcoder::StreamSettings media;
  abr::Settings control;
  TcpSettings tcp;
  abr::PointSettings points;
  segments::Settings segments;
};

/// Kernel features, requested once at start.
struct KernelSettings {
  std::optional<tcpinfo::EventSource> events;  ///< nullopt for the best available
  bool congestion_controls = true;             ///< adds ours to the kernel's
  bool operator==(const KernelSettings&) const = default;
};

/// Limits what each event loop spends on measuring its viewers' connections: 1.7 % and 1 % of a
/// core, because a sample with its decision takes 0.84 µs and an ACK timestamp 5 µs
/// (bench/telemetry). Nine tenths are granted in turn. They suffice for 200 and 30 viewers at
/// 30 frames/s in private groups, which need per frame:
struct TelemetrySettings {
  int samples_per_second = 20'000;        ///< three: at the frame, its ACK and before the next
  int ack_timestamps_per_second = 2'000;  ///< two: of the frame's head and tail
  bool operator==(const TelemetrySettings&) const = default;
};

/// Segments at a rate the player asks for. One of 2 s at 720p takes about 0.5 s of CPU time.
struct OnDemandSettings {
  double cpu = 0.1;  ///< share of all CPUs
  bool operator==(const OnDemandSettings&) const = default;
};

/// The web page for viewers.
struct PageSettings {
  std::string title = "symcast";
  std::string logo;                   ///< path of an image; empty for symcast's own
  bool technical = true;              ///< shows what is of interest to engineers
  std::vector<server::Origin> embed;  ///< sites that may show it in an iframe
  bool operator==(const PageSettings&) const = default;
};

struct Config {
  server::Settings server;
  PageSettings page;
  std::vector<StreamConfig> streams;  ///< at least one
  KernelSettings kernel;
  base::log::Level log_level = base::log::Level::kInfo;
  std::string trace_directory;  ///< empty if traces are off
  std::string state_directory;  ///< empty for systemd's, if there is one
  /// Viewers that have their own metrics; the others count in totals only. An event loop writes
  /// them in 8 µs each, so in 32 ms for the maximum of 4,000.
  int metrics_max_viewers = 100;
  TelemetrySettings telemetry;
  OnDemandSettings on_demand;
};

/// The rules with an initcwnd, one per network: all streams share the machine's routes.
std::vector<NetworkRule> route_rules(const Config& config);

/// Which of the secrets that a configuration names as ${NAME} are needed; others stay ${NAME}.
enum class Secrets {
  kValues,          ///< all
  kReadableValues,  ///< all but systemd's credentials if only the service may read them
  kNames,           ///< none
};

/// Command-line flags, which override the file.
struct Overrides {
  std::vector<std::string> listen = {};   ///< replaces server.listen unless empty
  std::vector<std::string> sources = {};  ///< NAME=URI: adds a stream, or replaces its source
  std::optional<std::string> policy = {};
  std::optional<std::string> congestion_control =
      {};  ///< for every viewer; overrides network rules
  std::optional<std::string> trace_directory = {};
  std::optional<std::string> log_level = {};
  Secrets secrets = Secrets::kValues;
};

/// A configuration that cannot be used. what() has one line for each error, "FILE:LINE:COLUMN: the
/// mistake and how to fix it", or "--FLAG: ..." for the command line. Secrets in the text are
/// masked.
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(const std::string& text);
};

/// Without file and flags: the built-in source as `live` on [::]:8080.
Config default_config();

/// The congestion controls that a configuration may name: the kernel's, and those that we add to it
/// through eBPF. Whether eBPF allows that is known only when the server starts.
std::vector<std::string> available_congestion_controls();

/// Reads the file (an empty path gives the built-in defaults) and conf.d/*.toml beside it, then
/// applies the overrides. Throws ConfigError with all errors found. A congestion control that is
/// not in `offered` is an error, unless `offered` is empty.
Config load_config(const std::string& path, const Overrides& overrides = {},
                   const std::vector<std::string>& offered = available_congestion_controls());

}  // namespace app
