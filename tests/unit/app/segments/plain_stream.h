#pragma once

#include <chrono>
#include <variant>

#include "app/stream/live_stream.h"
#include "server/handler.h"

namespace app {

/// Of a server that nobody connects to.
class NoHandler : public server::Handler {
  std::variant<server::Admission, server::Refusal> admit(const server::ViewerRequest&,
                                                         base::Time) override {
    return server::Refusal{};
  }
};

/// A stream without audio whose source is not started: the test makes the segments, of 2 s.
inline StreamConfig plain_stream() {
  StreamConfig config;
  config.media.name = "live";
  config.media.source.uri = "test:?size=192x108";
  config.media.encoder.keyframe_interval = std::chrono::seconds{2};
  config.media.audio.enabled = false;
  return config;
}

}  // namespace app
