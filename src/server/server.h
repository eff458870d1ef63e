#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "base/units.h"
#include "media/packet.h"
#include "server/address.h"
#include "server/handler.h"
#include "server/page.h"
#include "server/server_state.h"
#include "server/settings.h"

namespace server {

/// HTTP/1.x on N event loops: GET /NAME.ts (.flv, .mp4) streams, everything else is a page. Packets
/// come from any thread by publish(); nothing here waits for a slow viewer.
class Server {
 public:
  Server(Settings settings, Handler& handler);
  ~Server();  ///< stops

  /// Before start().
  void add_page(std::string path, Access access, PageHandler handler);

  /// Starts the loops; `listening` as from listen_on() (server/listen.h).
  void start(std::vector<base::UniqueFd> listening);
  /// With the port that the kernel chose for port 0.
  std::vector<Endpoint> listening() const;
  /// Ends every response and joins the loops.
  void stop();

  /// Thread-safe. Packets of one channel come in order, from one thread; one without bytes is none.
  void publish(media::ChannelId channel, const media::PacketPtr& packet);
  /// The channel's viewers are closed with kStreamGone unless moved before; its packets forgotten.
  /// After its last publish(): a later packet would open it again.
  void close_channel(media::ChannelId channel);
  /// Moves a viewer to `channel` at pts `at`: every frame before it from the old channel, every
  /// one from it on from the new, where it must be (or be followed by) a keyframe: until it comes
  /// he stays with the old one. The newest move of a viewer counts. Thread-safe.
  void move_viewer(ViewerId viewer, media::ChannelId channel, media::Pts at);

  ServerState state() const;  ///< thread-safe
  /// Whether every loop has run its timer within 5 s of `now`: else one hangs, or starves. Counts
  /// from start(); false some time after stop(). Thread-safe.
  bool alive(base::Time now) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace server
