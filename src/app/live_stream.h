#pragma once

#include <cstdint>
#include <string>

#include "abr/rate_policy.h"
#include "app/config.h"
#include "app/ladder.h"
#include "app/metrics.h"
#include "server/server.h"
#include "transcoder/stream.h"

namespace app {

/// One configured stream: its transcoder, its ladder of encode groups, and its place among the
/// server's channels. Thread-safe.
class LiveStream {
 public:
  struct State {
    std::string name;
    transcoder::Stream::State media;
    Ladder::State ladder;
  };

  LiveStream(std::uint32_t index, StreamConfig config, server::Server& server, Metrics& metrics);

  void start() { media_.start(); }
  void stop() { media_.stop(); }

  /// There is a picture to show.
  bool has_picture() const { return media_.state().source.format.width > 0; }

  std::uint32_t index() const { return index_; }
  const StreamConfig& config() const { return config_; }
  Ladder& ladder() { return ladder_; }
  Metrics::Stream& metrics() { return metrics_; }
  State state() const { return {config_.media.name, media_.state(), ladder_.state()}; }

 private:
  Ladder::Actions actions();

  const std::uint32_t index_;
  const StreamConfig config_;
  server::Server& server_;
  Metrics::Stream metrics_;
  transcoder::Stream media_;
  Ladder ladder_;
};

}  // namespace app
