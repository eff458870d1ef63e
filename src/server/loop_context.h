#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "media/packet.h"
#include "server/connection_log.h"
#include "server/counters.h"
#include "server/event_loop.h"
#include "server/group_channel.h"
#include "server/handler.h"
#include "server/output_account.h"
#include "server/page_table.h"
#include "server/places.h"
#include "server/request_pace.h"
#include "server/response_turns.h"
#include "server/settings.h"
#include "server/slots.h"
#include "server/turn_queue.h"
#include "server/viewer_socket.h"
#include "server/write_merging.h"

namespace server {

class Connection;
class ViewerSession;

/// The state that all loops of a server share. Each member is constant while they run, or
/// thread-safe.
struct LoopShared {
  LoopShared(Settings s, Handler& h)
      : settings{std::move(s)},
        handler{h},
        pages{AdminAccess{settings.admin_allow, settings.admin_hosts}},
        connections{settings.max_connections(), settings.max_connections_per_address(),
                    all_proxies(settings)},
        viewers{{.in_all = settings.max_viewers,
                 .per_address = settings.max_viewers_per_address,
                 .rate = settings.min_rate,
                 .proxies = all_proxies(settings)}},
        output{unread_limit(settings), all_proxies(settings)} {}

  const Settings settings;
  Handler& handler;
  PageTable pages;
  Slots connections;
  Places viewers;
  OutputAccount output;
  std::atomic<ViewerId> last_viewer{0};
  ProxyLog proxy_log;
};

/// One a second for each viewer that an address may have.
inline double request_rate(const Settings& settings) {
  return std::max<double>(RequestPace::kMinPerSecond, settings.max_viewers_per_address);
}

/// The state that all connections of one loop share. Used on its thread.
struct LoopContext {
  LoopShared& shared;
  EventLoop& loop;
  Counters& counters;
  const int index;  ///< number of the loop, from 0
  std::map<media::ChannelId, std::unique_ptr<GroupChannel>> channels{};
  std::unordered_map<ViewerId, ViewerSession*> sessions{};
  std::unordered_map<Connection*, StreamingResponse::Wait>
      waiting{};                      ///< those whose response has nothing to send now
  TurnQueue<Connection> stateful{};   ///< those with a ConnectionState
  std::vector<Connection*> closed{};  ///< to be destroyed in the loop's next turn
  ConnectionLog log{};
  WriteMerging merging{};
  RequestPace pace{request_rate(shared.settings), all_proxies(shared.settings)};
  TurnQueue<Connection> held{};     ///< those whose next request has to wait: see RequestPace
  TurnQueue<Connection> crowded{};  ///< those whose response has to wait: see OutputAccount
  ResponseTurns responses{loop, counters.writing_ns};

  /// Creates the channel if there is none: a viewer may move to it before its first packet.
  GroupChannel& channel(media::ChannelId id) {
    auto& channel = channels[id];
    if (!channel) channel = std::make_unique<GroupChannel>(id, merging);
    return *channel;
  }
};

}  // namespace server
