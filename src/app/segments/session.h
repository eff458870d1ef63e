#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/segments/session_rate.h"
#include "app/segments/session_record.h"
#include "app/stream/live_stream.h"
#include "segments/segment_store.h"
#include "segments/target.h"
#include "server/slots.h"

namespace app {

/// One player of HLS or DASH: a viewer of the stream's ladder like any other, who takes his
/// frames segment by segment, on whatever connections. Thread-safe.
class SegmentSession {
 public:
  using ViewerId = server::ViewerId;

  struct Start {
    std::string token;
    ViewerId id = 0;
    std::shared_ptr<LiveStream> stream;
    server::Slots::Slot slot;
    server::Address address;
    std::string user_agent;
    std::string format;  ///< "hls", "dash"
  };

  /// Throws what the ladder throws.
  SegmentSession(Start start, Trace* trace, ViewerTaps& taps, base::Time now);
  ~SegmentSession();
  /// He has gone: his place is free. Connections of his may hold the session for a while.
  void end(base::Time now);

  const std::string& token() const { return token_; }
  ViewerId id() const { return id_; }
  LiveStream& stream() const { return *stream_; }
  std::shared_ptr<LiveStream> shared_stream() const { return stream_; }
  base::Time asked() const;  ///< when he asked for something last, or was sent something

  void touch(base::Time now);  ///< he is still there
  void offer(segments::Choice choice);
  bool chooses() const;  ///< he is offered rungs, or has asked for one
  /// He plays this one. An unknown rung is the lowest.
  void ask(segments::Rendition rendition, base::Time now);
  segments::Rendition playing() const;  ///< that he asked for last, audio aside

  /// Which track his segment `number` comes from: decided once, when it is first needed. Empty:
  /// nobody has begun it (yet).
  std::optional<segments::SegmentStore::TrackId> track(segments::Rendition rendition,
                                                       std::uint64_t number);
  /// The segment, as far as it is made; audio for kAudio.
  std::optional<segments::Segment> segment(segments::Rendition rendition, std::uint64_t number);

  /// The oldest segment that there is in all renditions: players wait for the one that begins last.
  /// Empty: there is none.
  std::optional<std::uint64_t> oldest() const;
  /// The one that was, when he asked for the first time.
  std::optional<std::uint64_t> first();

  const std::vector<base::BitRate>& rungs() const { return rungs_; }
  /// He may show the begin of a segment before its end is there; of HLS only parts are for that.
  bool plays_chunks() const { return plays_chunks_; }

  /// What one of his connections shows; the ladder is told at once.
  void report(ViewerId connection, const SessionRate::ConnectionReport& report,
              const tcpinfo::TcpSample& sample, base::Time now);
  void event(const tcpinfo::CongestionEvent& event, tcpinfo::EventSource source, base::Time now);
  void forget(ViewerId connection);              ///< it is closed, or another's
  std::optional<base::BitRate> carried() const;  ///< SessionRate::carried
  void sent(base::ByteCount amount);
  /// What a response on `connection` tells his player.
  segments::CmsdDynamic dynamics(ViewerId connection, base::Time now) const;
  /// Several times per second; as he is then.
  ViewerTelemetry tick(base::Time now);

 private:
  using TrackId = segments::SegmentStore::TrackId;

  base::BitRate rate_of(segments::Rendition rendition) const;
  bool just_begun(const std::vector<segments::SegmentStore::Holder>& holders,
                  std::uint64_t number) const;
  std::optional<TrackId> choose(segments::Rendition rendition, std::uint64_t number) const;

  base::BitRate audio() const;

  const std::string token_;
  const ViewerId id_;
  const std::shared_ptr<LiveStream> stream_;
  const std::vector<base::BitRate> rungs_;  ///< falling
  const bool plays_chunks_;
  mutable std::mutex mutex_;  // guards all below
  server::Slots::Slot slot_;
  bool ended_ = false;
  bool offered_rungs_ = false;
  std::optional<std::uint64_t> first_;
  segments::Rendition playing_;  ///< that he asked for last, audio aside
  base::Time asked_;
  SessionRate rate_;
  SessionRecord record_;
  std::map<std::pair<std::uint64_t, segments::Rendition>, TrackId> tracks_;
};

}  // namespace app
