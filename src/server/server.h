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

/// An HTTP/1.x server on N event loops. GET /NAME.ts (.flv, .mp4) streams, other paths are pages or
/// the Handler's. Any thread may publish() packets; nothing here waits for a slow viewer.
class Server {
 public:
  Server(Settings settings, Handler& handler);
  ~Server();  ///< stops

  /// REQUIRES: start() has not been called.
  void add_page(std::string path, Access access, PageHandler handler);

  /// Starts the loops. `listening`: from listen_on() (server/listen.h).
  void start(std::vector<base::UniqueFd> listening);
  /// The endpoints, with the port that the kernel chose for port 0.
  std::vector<Endpoint> listening() const;
  /// Ends every response and joins the loops. Takes less than a second.
  void stop();

  /// Thread-safe. Ignores a packet without bytes. REQUIRES: packets of one channel come in order,
  /// from one thread.
  void publish(media::ChannelId channel, const media::PacketPtr& packet);
  /// Drops the channel's packets, and ends its viewers with kStreamGone unless they were moved
  /// before. Thread-safe. REQUIRES: no publish() follows, which would open the channel again.
  void close_channel(media::ChannelId channel);
  /// Moves a viewer to `channel` at its first keyframe at or after `at`. The viewer receives the
  /// frames before that keyframe from the old channel, however late the keyframe comes. A newer
  /// move of this viewer replaces an older one. Thread-safe.
  void move_viewer(ViewerId viewer, media::ChannelId channel, media::Pts at);

  ServerState state() const;  ///< thread-safe
  /// Whether every loop has run its timer within 5 s before `now`. If not, a loop hangs or gets no
  /// CPU time. Valid from start() to stop(). Thread-safe.
  bool alive(base::Time now) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace server
