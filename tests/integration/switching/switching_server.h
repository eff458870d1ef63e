#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "server/server.h"
#include "transcoder/stream/stream.h"

/// A real server whose viewers change between real encode groups as they are told to:
///
///   test source ─► Stream: 4 groups ─► Server
///                    ▲ retarget, set_point, mend    ▲ move_viewer, discard, pad
///
/// Who moves and relieves them in the product (app::Ladder, app::ViewerControl) makes these calls.
class SwitchingServer {
 public:
  static constexpr std::uint32_t kGroups = 4;

  /// `published` is told of every packet, on its group's thread.
  SwitchingServer(const transcoder::StreamSettings& settings, const server::Endpoint& listen,
                  std::function<void(const media::Packet&)> published);
  ~SwitchingServer();

  /// At the group's next keyframe, which is made soon.
  void move(server::ViewerId viewer, std::uint32_t group);

  server::Server& server() { return server_; }
  transcoder::Stream& stream() { return stream_; }

 private:
  class Observer;
  class Handler;

  std::unique_ptr<Handler> handler_;
  server::Server server_;
  transcoder::Stream stream_;
};
