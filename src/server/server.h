#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "base/units.h"
#include "media/packet.h"
#include "server/address.h"
#include "server/cors.h"
#include "server/handler.h"

namespace server {

/// Built-in defaults, the same as in config/symcast.toml.
struct Settings {
  std::vector<Endpoint> listen;
  int threads = 0;  ///< event loops; 0: one per CPU
  int max_viewers = 10000;
  int max_viewers_per_address = 1000;
  base::ByteCount max_header{8192};                         ///< larger: 431
  base::Duration header_timeout = std::chrono::seconds{5};  ///< slower: closed
  base::Duration queue = std::chrono::seconds{1};           ///< media time a viewer may be behind
  base::Duration stall_timeout = std::chrono::seconds{10};  ///< nothing read for so long: closed
  std::vector<Network> admin_allow;                         ///< who may read admin pages
  std::vector<Origin> cors_allow;                           ///< whose pages may use the media

  // A player of segments loads over two or three connections, and browsers over six at most.
  static constexpr int kConnectionsPerViewer = 6;
  // Beside the viewers: requests for pages, and connections that have not asked yet.
  static constexpr int kOtherConnections = 1000;
  static constexpr int kOtherPerAddress = 100;
  int max_connections() const { return kConnectionsPerViewer * max_viewers + kOtherConnections; }
  int max_connections_per_address() const {
    return kConnectionsPerViewer * max_viewers_per_address + kOtherPerAddress;
  }
  bool operator==(const Settings&) const = default;
};

/// Binds to each endpoint and listens; dual-stack for [::]. Throws base::SystemError with the
/// endpoint.
std::vector<base::UniqueFd> listen_on(const std::vector<Endpoint>& endpoints);

/// Event loops that these settings make: `threads`, or one per CPU.
int loop_count(const Settings& settings);

struct Request {
  std::string path;
  std::string query;
  Address address;
  bool gzip = false;  ///< a body in that coding is understood
};

struct Page {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::string cache_control = "no-store";
  std::vector<std::string> fields{};  ///< further ones: "Name: value"
  bool media = false;                 ///< pages of other origins may use it: Settings::cors_allow
};

enum class Access { kPublic, kAdmin };  ///< kAdmin: 403 for clients outside admin_allow

/// HTTP/1.x on N event loops: GET /NAME.ts (.flv, .mp4) streams, everything else is a page. Packets
/// come from any thread by publish(); nothing here waits for a slow viewer.
class Server {
 public:
  struct State {
    std::uint64_t connections = 0;          ///< accepted, total
    std::uint64_t connections_refused = 0;  ///< closed at once: too many
    std::uint64_t accept_failures = 0;      ///< after each, accepting paused
    std::uint64_t joined = 0;               ///< viewers, total
    std::uint64_t packets_lost_in_handover = 0;
    std::uint64_t bytes_sent = 0;  ///< media responses
    std::uint64_t frames_dropped = 0;
    std::uint64_t sounds_dropped = 0;
    std::uint64_t gops_dropped = 0;
    std::uint64_t discards = 0;          ///< of unsent pictures, by observers
    std::uint64_t padding_bytes = 0;     ///< of bytes_sent
    std::uint64_t frames_forgotten = 0;  ///< beyond SentFrames::kBound: their delay is unknown
    std::uint64_t switches = 0;
    std::vector<std::uint64_t> responses;  ///< by status: index = HTTP status code
    std::vector<std::uint64_t> left;       ///< by LeaveReason
  };

  Server(Settings settings, Handler& handler);
  ~Server();  ///< stops

  /// Before start(). Called on any loop thread, which waits for it: quick, and thread-safe.
  void add_page(std::string path, Access access, std::function<Page(const Request&)> handler);

  /// Starts the loops; `listening` as from listen_on().
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
  /// Moves a viewer to `channel` at pts `at`: every picture before it from the old channel, every
  /// one from it on from the new, where it must be (or be followed by) a keyframe: until it comes
  /// he stays with the old one. The newest move of a viewer counts. Thread-safe.
  void move_viewer(ViewerId viewer, media::ChannelId channel, media::Pts at);

  State state() const;  ///< thread-safe
  /// Whether every loop has run its timer within 5 s of `now`: else one hangs, or starves. Counts
  /// from start(); false some time after stop(). Thread-safe.
  bool alive(base::Time now) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace server
