#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "abr/ladder/proof.h"
#include "app/segments/playlist_memo.h"
#include "app/segments/sent_video.h"
#include "app/segments/session_rate.h"
#include "app/segments/session_record.h"
#include "app/stream/live_stream.h"
#include "segments/segment_store.h"
#include "segments/target.h"
#include "server/places.h"

namespace app {

/// One player of HLS or DASH. For the stream's ladder it is a viewer like any other, but it loads
/// segments, over any number of connections. Thread-safe.
class SegmentSession {
 public:
  using ViewerId = server::ViewerId;

  struct Start {
    std::string token;
    ViewerId id = 0;
    std::shared_ptr<LiveStream> stream;
    server::Places::Place place;
    server::Client client;
    std::string user_agent;
    std::string format;    ///< "hls", "dash"
    bool resumes = false;  ///< the player has played before, in a session that has ended
    /// The one that the player has had until now; its dates go on. May be null.
    const SegmentSession* former = nullptr;
  };

  /// Joins the ladder. Throws if the ladder cannot open an encoder.
  SegmentSession(Start start, Trace* trace, ViewerTaps& taps, base::Time now);
  ~SegmentSession();
  /// Frees the viewer's place and leaves the ladder. Open connections keep the object alive.
  void end(base::Time now);

  const std::string& token() const { return token_; }
  bool is_dash() const { return plays_chunks_; }
  /// Whether the player has this address and this name.
  bool is_of(const server::Address& address, const std::string& user_agent) const {
    return address_ == address && user_agent_ == user_agent;
  }
  ViewerId id() const { return id_; }
  const server::Address& address() const { return address_; }
  ViewerTelemetry telemetry() const {
    std::lock_guard lock{mutex_};
    return record_.viewer();
  }
  LiveStream& stream() const { return *stream_; }
  std::shared_ptr<LiveStream> shared_stream() const { return stream_; }
  /// Whether another viewer has the session's place (server::Places), so that it has to end.
  bool is_evicted() const {
    std::lock_guard lock{mutex_};
    return place_.lost();
  }
  /// The player has acknowledged `media`, since the last call.
  void took(base::ByteCount media, base::Time now) {
    std::lock_guard lock{mutex_};
    place_.took(media, now);
  }
  /// Keeps a response of the session counted, from the request until the client has it all.
  using ResponseHold = std::shared_ptr<const void>;
  /// As many connections as browsers open to one server. More would let one session take the work
  /// and the kernel's memory of many viewers.
  static constexpr int kMaxResponses = 6;
  /// Null if the session has as many responses as it may have.
  static ResponseHold hold_response(std::shared_ptr<SegmentSession> session);

  base::Time last_activity() const;  ///< when the last request came or data was under way

  void touch(base::Time now);  ///< a request has come
  /// The player is offered one rendition, or the rungs of the ladder.
  void offer(segments::Choice choice);
  bool player_chooses() const;  ///< the player is offered rungs, or has requested one
  /// The player has requested `rendition`. An unknown rung counts as the lowest.
  void play(segments::Rendition rendition, base::Time now);
  segments::Rendition playing() const;  ///< the last rendition requested, except audio

  /// The track that segment `number` is taken from for this player. Decided once, at the first
  /// call. nullopt if no group has begun the segment.
  std::optional<segments::SegmentStore::TrackId> track(segments::Rendition rendition,
                                                       std::uint64_t number);
  /// The segment as far as it has been made; for kAudio, the audio.
  std::optional<segments::Segment> segment(segments::Rendition rendition, std::uint64_t number);

  /// Part `index` of `segment` as it is sent to this player now: of kAuto as SentVideo::next has
  /// it. `live`: the player wants to show it soon after it was made.
  segments::PartPtr part_to_send(segments::Rendition rendition, const segments::Segment& segment,
                                 std::size_t index, bool live, base::Time now);

  /// The oldest segment that video and audio both have, if any. Players wait for the rendition that
  /// starts last.
  std::optional<std::uint64_t> oldest_segment() const;
  /// The oldest segment at the first call.
  std::optional<std::uint64_t> first_segment();

  /// A segment, and how much later than ours its media times are for the player.
  struct Place {
    std::uint64_t number = 0;
    base::Duration later{};
  };
  /// The segment that a player of DASH means by `number`. Usually that one; but the player may
  /// compute it by a clock that ran on while the server was suspended, or was set along with the
  /// server's. Then dash.js places the segment by that clock, too; it asks for the time. A player
  /// that never asks, such as libavformat, goes by the times in the segments.
  Place place(std::uint64_t number) const;
  /// The present time for a player of DASH that asks for it. It passes while the server is
  /// suspended, and nobody sets it.
  std::chrono::system_clock::time_point time(base::Time now);

  /// The date of a pts. It stays what it was for the player when somebody sets the system clock.
  std::chrono::system_clock::time_point date(media::Pts pts) const {
    return stream_->clock().date(pts, date_offset_);
  }

  const std::vector<base::BitRate>& rungs() const { return rungs_; }
  /// Whether the player may show the start of a segment before it has all of it. True for DASH; HLS
  /// players use parts for that.
  bool plays_chunks() const { return plays_chunks_; }
  /// How many complete segments a playlist must list before it is sent.
  std::size_t least_segments() const { return least_segments_; }

  /// Takes a report on one of the player's connections, and updates the ladder.
  void report(ViewerId connection, const SessionRate::ConnectionReport& report,
              const tcpinfo::TcpSample& sample, base::Time now);
  /// The player has received the last frame of a part of this duration at `at`. `awaited`: since
  /// when it has waited for it; nullopt if it has not.
  void delivered(base::Duration part, std::optional<base::Time> awaited, base::Time at);
  /// See abr::TransferPolicy.
  void loaded(base::Duration media, base::Duration waited);
  void event(const tcpinfo::CongestionEvent& event, tcpinfo::EventSource source, base::Time now);
  /// The connection is closed, or has another session.
  void forget(ViewerId connection, const abr::TransferRate& measured);
  abr::TransferRate transfer_rate() const;          ///< SessionRate::transfer_rate
  std::optional<base::BitRate> throughput() const;  ///< SessionRate::throughput
  void add_sent(base::ByteCount amount);
  PlaylistMemo& playlists() { return playlists_; }
  /// CMSD for a response on `connection`.
  segments::CmsdDynamic dynamics(ViewerId connection, base::Time now) const;
  /// Returns the viewer's telemetry. Call several times per second.
  ViewerTelemetry tick(base::Time now);

 private:
  void follow_settings(base::Time now);
  void apply(const abr::Decision& decision, base::Time now);
  abr::Standing standing(base::Time now);
  void recover();
  using TrackId = segments::SegmentStore::TrackId;

  base::BitRate rate_of(segments::Rendition rendition) const;
  bool just_begun(const std::vector<segments::SegmentStore::Holder>& holders,
                  std::uint64_t number) const;
  std::optional<TrackId> choose_track(segments::Rendition rendition, std::uint64_t number) const;

  std::optional<segments::Segment> audio(std::uint64_t number);
  base::BitRate audio_rate() const;

  const std::string token_;
  const ViewerId id_;
  const std::shared_ptr<LiveStream> stream_;
  const server::Address address_;
  const std::string user_agent_;
  const std::vector<base::BitRate> rungs_;  ///< descending
  const bool plays_chunks_;
  const std::size_t least_segments_;
  const base::Duration date_offset_;  ///< when the player's first session began
  const base::Duration suspended_;    ///< the machine, until then
  std::atomic<bool> asks_for_time_ = false;
  std::atomic<int> responses_ = 0;
  PlaylistMemo playlists_;
  Metrics::Delays& delays_;
  mutable std::mutex mutex_;  // guards all members below
  server::Places::Place place_;
  bool ended_ = false;
  bool joined_;  ///< the player has received a part
  bool offered_rungs_ = false;
  std::optional<std::uint64_t> first_;
  segments::Rendition playing_;  ///< the last rendition requested, except audio
  unsigned settings_revision_;
  base::Time last_activity_;
  SessionRate rate_;
  SentVideo sent_video_;
  abr::LoadProof proof_;
  SessionRecord record_;
  std::map<std::pair<std::uint64_t, segments::Rendition>, TrackId> tracks_;
};

}  // namespace app
