#include "app/telemetry/connection_table.h"

#include <sys/socket.h>

#include <utility>

namespace app {

void ConnectionTable::put(server::ViewerId id, int fd, const ViewerTelemetry& viewer) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) < 0) return;  // it has ended
  ViewerConnection connection{server::Endpoint::of(peer), viewer.id, viewer.stream, viewer.format};
  std::lock_guard lock{mutex_};
  connections_.insert_or_assign(id, std::move(connection));
}

void ConnectionTable::remove(server::ViewerId id) {
  std::lock_guard lock{mutex_};
  connections_.erase(id);
}

std::vector<ViewerConnection> ConnectionTable::list() const {
  std::lock_guard lock{mutex_};
  std::vector<ViewerConnection> all;
  for (const auto& [id, connection] : connections_) all.push_back(connection);
  return all;
}

}  // namespace app
