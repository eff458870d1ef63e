#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "server/server.h"
#include "transcoder/stream/stream.h"

/// A real server whose viewers change between real encode groups on command:
///
///   test source ─► Stream: 4 groups ─► Server
///                    ▲ retarget, set_point, recover ▲ move_viewer, discard, pad
///
/// In symcast, app::Ladder and app::ViewerControl make these calls.
class SwitchingServer {
 public:
  static constexpr std::uint32_t kGroups = 4;

  /// `published` receives every packet, on its group's thread. Unsent frames of a viewer are
  /// discarded when more than `max_queued` of its bytes wait.
  SwitchingServer(const transcoder::StreamSettings& settings, const server::Endpoint& listen,
                  base::ByteCount max_queued, std::function<void(const media::Packet&)> published);
  ~SwitchingServer();

  /// Moves the viewer at the group's next keyframe, which is forced soon.
  void move(server::ViewerId viewer, std::uint32_t group);

  server::Server& server() { return server_; }
  transcoder::Stream& stream() { return stream_; }

 private:
  class Observer;
  class Handler;

  std::unique_ptr<Handler> handler_;
  server::Server server_;
  transcoder::MediaClock media_clock_;
  transcoder::Stream stream_;
};
