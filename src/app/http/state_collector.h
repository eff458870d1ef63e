#pragma once

#include <prometheus/collectable.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/http/process_state.h"
#include "app/segments/on_demand.h"
#include "app/stream/live_stream.h"
#include "app/tcp/final_statistics.h"
#include "app/tcp/known_networks.h"
#include "app/tcp/telemetry_budget.h"
#include "app/telemetry/viewer_table.h"
#include "server/server_state.h"

namespace app {

/// The metrics that are read when scraped, in one function per part of the data path. Thread-safe
/// if `snapshot` is.
class StateCollector : public prometheus::Collectable {
 public:
  struct Snapshot {
    std::vector<LiveStream::State> streams;
    server::ServerState server;
    ProcessState process;
    std::uint64_t max_viewers = 0;
    std::vector<ViewerTelemetry> viewers;  ///< those that have their own series
    std::uint64_t at_one_address = 0;      ///< ProxyWatch::find()
    std::vector<LoopBudgets::State> loops;
    std::uint64_t events_lost = 0;
    FinalStatistics::State ends;
    OnDemand::State on_demand;
    KnownNetworks::State networks;
    std::uint64_t segment_requests_refused = 0;  ///< SegmentService::requests_refused
    std::uint64_t trace_lines_lost = 0;
    std::uint64_t event_lines_lost = 0;
    std::uint64_t traces = 0;                              ///< readers of /api/v1/trace
    std::map<std::string, std::uint64_t> options_refused;  ///< SocketWarnings::counts()
  };

  explicit StateCollector(std::function<Snapshot()> snapshot) : snapshot_{std::move(snapshot)} {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const std::function<Snapshot()> snapshot_;
};

}  // namespace app
