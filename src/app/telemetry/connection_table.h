#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "app/telemetry/viewer_table.h"
#include "server/address.h"
#include "server/handler.h"

namespace app {

/// A viewer's TCP connection. Players of HLS and DASH have several.
struct ViewerConnection {
  server::Endpoint peer;  ///< the viewer, or the proxy before them
  server::ViewerId viewer = 0;
  std::string stream;
  std::string format;  ///< ts, flv, mp4, hls, dash
};

/// The open connections of all viewers. Thread-safe.
class ConnectionTable {
 public:
  /// `id`: unique among the IDs of viewers and connections. `fd`: the connection's socket; the
  /// table asks it for its peer.
  void put(server::ViewerId id, int fd, const ViewerTelemetry& viewer);
  void remove(server::ViewerId id);
  std::vector<ViewerConnection> list() const;

 private:
  mutable std::mutex mutex_;
  std::map<server::ViewerId, ViewerConnection> connections_;  // GUARDED_BY(mutex_)
};

}  // namespace app
