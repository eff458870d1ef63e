#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "netlab/link.h"
#include "packet.h"
#include "tcp_receiver.h"
#include "tcp_sender.h"
#include "video_session.h"

namespace sim {

/// Flows that share one bottleneck, each with its own round trip, in virtual time:
///
///   senders ──▶ [ bottleneck: netlab::Link ] ──▶ receivers
///      ▲                                             │
///      └──── a link for each flow: round trip ◀──────┘
///
/// The way back has the whole round trip, so data that arrives late has queued or was sent late.
/// One thread; the same seed repeats the run.
class Simulation {
 public:
  /// Loads pages, each by a new connection. Their sizes are log-normal, as those of web pages are;
  /// the pauses between them are exponential.
  struct Web {
    base::ByteCount size;    ///< the median
    base::Duration pause{};  ///< the mean
  };
  struct Flow {
    std::string congestion_control = "cubic";  ///< as for make_congestion_control()
    base::Duration round_trip = std::chrono::milliseconds{40};
    base::Duration start{};
    base::Duration stop = base::Duration::max();    ///< for bulk flows
    std::optional<VideoSession::Settings> video{};  ///< nullopt: a bulk flow, or
    std::optional<Web> web{};                       ///< one that loads pages
    bool eager = true;                              ///< see TcpReceiver
    netlab::LinkSettings acks{};                    ///< way back; its delay is ignored
  };
  /// A change of the bottleneck. `at`: time since the start.
  struct Change {
    base::Duration at;
    netlab::LinkSettings settings;
  };

  /// The bottleneck's delay is ignored. `schedule` is in order of time.
  Simulation(const netlab::LinkSettings& bottleneck, std::vector<Change> schedule,
             const std::vector<Flow>& flows, std::uint64_t seed);
  /// Runs until `length` after the start.
  void run(base::Duration length);

  /// nullptr for a bulk flow, and before the flow has started.
  VideoSession* session(std::size_t flow) { return running_[flow].session.get(); }
  const TcpSender& sender(std::size_t flow) const { return running_[flow].sender; }
  const netlab::Link<Segment>& bottleneck() const { return bottleneck_; }

  /// Not zero, which means "never" in many places.
  static constexpr base::Time kStart{std::chrono::hours{1}};

 private:
  struct Running {
    Flow settings;
    TcpSender sender;
    TcpReceiver receiver;
    netlab::Link<Ack> back;
    std::mt19937_64 random;
    std::unique_ptr<VideoSession> session{};
    std::optional<base::Time> next_page{};  ///< in a pause
    bool started = false;
  };

  base::Time next_time() const;
  void step(base::Time now);
  void step(std::size_t flow, base::Time now);
  void deliver(const Segment& segment, base::Time now);
  bool tell_sender(Running& flow, base::Time now);
  void send(Running& flow, base::Time now);
  void start(std::size_t flow, base::Time now);
  void feed_bulk(Running& flow, base::Time now);
  void load_pages(Running& flow, base::Time now);

  netlab::Link<Segment> bottleneck_;
  const std::vector<Change> schedule_;
  std::size_t changed_ = 0;
  std::vector<Running> running_;
  const std::uint64_t seed_;
};

}  // namespace sim
