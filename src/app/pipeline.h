#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/controller.h"
#include "app/freed_memory.h"
#include "app/http/api.h"
#include "app/http/state_collector.h"
#include "app/kernel_access.h"
#include "app/tcp/event_dispatch.h"
#include "app/tcp/final_statistics.h"
#include "app/tcp/known_networks.h"
#include "app/tcp/neighbours.h"
#include "app/tcp/socket_warnings.h"
#include "app/tcp/telemetry_budget.h"
#include "app/telemetry/connection_table.h"
#include "app/telemetry/metrics.h"
#include "app/telemetry/proxy_watch.h"
#include "app/telemetry/trace.h"
#include "app/telemetry/viewer_table.h"
#include "app/telemetry/viewer_taps.h"
#include "server/admin_access.h"
#include "server/server.h"
#include "tcpinfo/socket_sampler.h"
#include "transcoder/time/media_clock.h"

namespace app {

/// The whole server: builds its parts in the order of the data path, starts and stops them. Used by
/// one thread.
class Pipeline {
 public:
  /// Throws std::runtime_error or base::SystemError if a part cannot be created.
  Pipeline(Config config, KernelAccess kernel);
  ~Pipeline();  ///< stops

  void start();
  /// Housekeeping that is not done per frame. Call several times per second.
  void tick(base::Time now);
  /// Whether every event loop serves its viewers.
  bool alive(base::Time now) const { return server_.alive(now); }
  /// One line about viewers and streams, see pages::summary().
  std::string summary() const;
  /// Applies the changes that are possible while viewers stay, and logs the others. Throws
  /// std::runtime_error if a stream cannot be created; nothing has changed then.
  void reload(const Config& config);
  void stop();

 private:
  std::shared_ptr<LiveStream> make_stream(const StreamConfig& config);
  std::vector<std::shared_ptr<LiveStream>> start_added(const Config& config);
  void close_channels(LiveStream& stream);
  void remove_missing(const Config& config);
  void reconfigure_kept(const Config& config);
  void add_pages();
  void check_clock(base::Time now);
  void check_proxies(base::Time now);
  std::unique_ptr<server::StreamingResponse> respond_fallback(
      const server::HandlerRequest& request) const;
  std::vector<LiveStream::State> stream_states() const;
  std::vector<LiveStream::Source> stream_sources() const;
  std::vector<ViewerTelemetry> some_viewers() const;
  StateCollector::Snapshot snapshot() const;

  const Config config_;  ///< as read at start
  transcoder::MediaClock media_clock_;
  base::Time clock_checked_{};
  FreedMemory freed_memory_;               ///< used by tick()
  std::atomic<int> metrics_max_viewers_;   ///< a reload changes it
  std::vector<base::UniqueFd> listening_;  ///< until start()
  EventDispatch events_;
  const std::unique_ptr<tcpinfo::CongestionControls> congestion_controls_;  ///< kept loaded
  const tcpinfo::SocketHints hints_;
  FinalStatistics final_statistics_;
  Metrics metrics_;
  ViewerTable viewers_;
  ConnectionTable connections_;
  ProxyWatch proxy_watch_;
  LoopBudgets budgets_;
  std::unique_ptr<Trace> trace_;  ///< null if traces are off
  tcpinfo::SocketSampler sampler_;
  SocketWarnings warnings_;
  KnownNetworks networks_;
  Neighbours neighbours_;
  const server::AdminAccess admin_;
  ViewerTaps taps_;
  Api api_;
  Controller controller_;
  server::Server server_;
  const transcoder::MakeSource make_source_;
  std::uint32_t next_stream_ = 0;
};

}  // namespace app
