#pragma once

#include "app/http/metric_families.h"
#include "app/stream/live_stream.h"

namespace app {

/// The metrics of a stream: its source, its audio, its encode groups and its ladder.
void collect_stream(Families& out, const LiveStream::State& stream);

}  // namespace app
