#include "server/counters.h"

#include <vector>

namespace server {

namespace {

template <std::size_t kCount>
void add_all(std::vector<std::uint64_t>& sums, const std::array<Counter, kCount>& counters) {
  sums.resize(kCount);
  for (std::size_t i = 0; i < kCount; ++i) sums[i] += counters[i].value();
}

}  // namespace

void Counters::add_to(ServerState& state) const {
  add_all(state.responses, responses);
  add_all(state.too_slow, too_slow);
  add_all(state.left, left);  // read before `joined`, which it must not exceed
  state.joined += joined.value();
  state.connections += connections.value();
  state.connections_refused += connections_refused.value();
  state.trusted_proxy_requests += trusted_proxy_requests.value();
  state.unknown_proxy_requests += unknown_proxy_requests.value();
  state.requests_slowed += requests_slowed.value();
  state.responses_delayed += responses_delayed.value();
  state.writing += std::chrono::nanoseconds{writing_ns.value()};
  state.bytes_sent += bytes_sent.value();
  state.frames_dropped += frames_dropped.value();
  state.audio_frames_dropped += audio_frames_dropped.value();
  state.gops_dropped += gops_dropped.value();
  state.discards += discards.value();
  state.padding_bytes += padding_bytes.value();
  state.frames_forgotten += frames_forgotten.value();
  state.switches += switches.value();
}

}  // namespace server
