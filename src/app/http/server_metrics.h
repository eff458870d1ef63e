#pragma once

#include "app/http/metric_families.h"
#include "app/http/process_state.h"
#include "app/segments/on_demand.h"
#include "app/tcp/final_statistics.h"
#include "app/tcp/known_networks.h"
#include "app/tcp/telemetry_budget.h"
#include "server/server_state.h"

namespace app {

// The metrics of the server, each of one part.

void collect_server(Families& out, const server::ServerState& server);
void collect_process(Families& out, const ProcessState& process);
void collect_loop(Families& out, const LoopBudgets::State& state);
void collect_ends(Families& out, const FinalStatistics::State& ends);
void collect_on_demand(Families& out, const OnDemand::State& state);
void collect_networks(Families& out, const KnownNetworks::State& state);

}  // namespace app
