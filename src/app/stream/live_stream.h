#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "abr/audio_rungs.h"
#include "abr/ladder/encode_budget.h"
#include "abr/ladder/operating_points.h"
#include "abr/rate_policy.h"
#include "app/config/config.h"
#include "app/stream/ladder.h"
#include "app/telemetry/metrics.h"
#include "base/log_period.h"
#include "segments/segment_store.h"
#include "server/server.h"
#include "transcoder/stream/stream.h"

namespace app {

/// One configured stream: its transcoder, its ladder of encode groups, and its place among the
/// server's channels. Thread-safe. A test overrides what needs a source or encoders:
/// full_pictures(), and all LadderActions.
class LiveStream : private LadderActions {
 public:
  struct State {
    std::string name;
    std::vector<media::Container> containers;  ///< in which the stream is offered
    bool segments = false;                     ///< whether it is offered as HLS and DASH
    bool audio = false;
    std::string preset{};       ///< of x264, in use; empty with other encoders
    std::string video_codec{};  ///< RFC 6381; empty if unknown or if it has no such name
    abr::RateLimits rate{};     ///< of one viewer
    std::chrono::system_clock::time_point began{};  ///< date of pts 0
    std::optional<std::chrono::system_clock::time_point>
        last_picture;                                                 ///< of the source, wall time
    std::optional<std::chrono::system_clock::time_point> away_since;  ///< as in media.source
    transcoder::Stream::State media;
    Ladder::State ladder;

    std::size_t viewers() const;
  };

  struct Source {
    std::string name;  ///< of the stream
    transcoder::Ingest::State state;
  };

  /// The settings of one viewer, fixed from join to leave.
  struct ViewerSettings {
    abr::Settings control;
    TcpSettings tcp;
  };

  /// `clock`, `server` and `metrics` must outlive the stream.
  LiveStream(std::uint32_t index, const StreamConfig& config, const transcoder::MediaClock& clock,
             transcoder::MakeSource make_source, server::Server& server, Metrics& metrics);

  void start() { media_.start(); }
  /// Call several times per second, always on the same thread. Returns whether the encoders try
  /// harder from now on.
  bool tick(const abr::EncodeBudget::Others& others, base::Time now);
  /// CPUs that the stream's encoders use. Call on the thread of tick().
  double encode_load() const { return budget_.load(); }
  void stop() {
    ladder_.close();
    media_.stop();
  }

  /// Sets the settings of viewers that join from now on, and the limits of the rate for all;
  /// encode groups stay as they are.
  void reconfigure(ViewerSettings settings);
  /// Changes with each reconfigure().
  unsigned settings_revision() const { return settings_revision_.load(std::memory_order_relaxed); }

  /// Encodes none of the group's frames before `until`. If the group serves more than one viewer,
  /// does nothing and returns false.
  bool pause(Ladder::GroupIndex group, base::Time until);
  /// See transcoder::EncodeGroup::recover.
  void recover(GroupIndex group, media::FrameRange lost);

  /// Whether the source has delivered a frame.
  bool has_frame() const { return full_pictures().size.width > 0; }
  /// Whether viewers wait for the source's first frame, because the stream is that new.
  bool is_new(base::Time now) const {
    return now - created_ < media_settings().source.first_picture_wait;
  }

  bool offers(media::Container container) const {
    return container == media::Container::kMpegTs || is_h264();
  }
  bool offers_segments() const { return is_h264() && segment_settings_.enabled; }
  const segments::Settings& segment_settings() const { return segment_settings_; }
  segments::SegmentStore& segments() { return segments_; }
  const segments::SegmentStore& segments() const { return segments_; }
  /// The rates that segment players may choose, in descending order from rate.max.
  std::vector<base::BitRate> rungs() const;
  /// Size and frame rate of a group's frames at `rate`.
  transcoder::Stream::FullPictures frames_at(base::BitRate rate) const;
  bool has_measured_frames() const { return full_pictures().measured; }
  const transcoder::StreamClock& clock() const { return clock_; }

  std::uint32_t index() const { return index_; }
  const std::string& name() const { return media_.settings().name; }
  const transcoder::StreamSettings& media_settings() const { return media_.settings(); }
  const abr::GroupSettings& group_settings() const { return group_settings_; }
  const abr::PointSettings& point_settings() const { return point_settings_; }
  std::shared_ptr<const ViewerSettings> viewer_settings() const;
  Ladder& ladder() { return ladder_; }
  Metrics::Stream& metrics() { return *metrics_; }
  State state() const;
  Source source() const { return {name(), media_.source()}; }

 private:
  virtual transcoder::Stream::FullPictures full_pictures() const { return media_.full_pictures(); }
  std::string preset() const;
  bool is_h264() const { return media_settings().encoder.codec == transcoder::VideoCodec::kH264; }
  /// The picture and the audio that go with one group's rate, over time.
  struct Rules {
    Rules(const abr::PointSettings& settings, std::vector<base::BitRate> audio_rates)
        : points{settings}, audio{std::move(audio_rates)} {}
    abr::OperatingPoints points;
    abr::AudioRungs audio;
  };
  struct Choice {
    transcoder::OperatingPoint point;
    std::size_t audio_rung = 0;  ///< of transcoder::audio_rates()
  };
  Choice choose(GroupIndex group, base::BitRate rate, base::Time now);
  static void apply(const Choice& choice, transcoder::EncodeGroup& group);
  void open(GroupIndex group, base::BitRate rate) override;
  void publish(Ladder::GroupIndex group, const media::PacketPtr& packet);
  void close(GroupIndex group) override;
  void retarget(GroupIndex group, base::BitRate rate) override;
  media::Pts schedule_keyframe(GroupIndex group, base::Duration earliest) override;
  void move(ViewerId viewer, GroupIndex group, media::Pts at, abr::Reason reason) override;
  void warn(const Ladder::Notices& notices);

  const std::uint32_t index_;
  const abr::GroupSettings group_settings_;
  server::Server& server_;
  const std::shared_ptr<Metrics::Stream> metrics_;
  const base::Time created_ = base::Clock::now();
  const transcoder::StreamClock clock_;
  segments::SegmentStore segments_;
  const segments::Settings segment_settings_;
  transcoder::Stream media_;  // publishes to segments_
  const abr::PointSettings point_settings_;
  base::LogPeriod open_failures_;
  Ladder ladder_;
  abr::EncodeBudget budget_;
  std::atomic<std::size_t> effort_;
  mutable std::mutex mutex_;
  std::shared_ptr<const ViewerSettings> viewer_settings_;  // GUARDED_BY(mutex_)
  std::atomic<unsigned> settings_revision_{0};
  std::map<GroupIndex, Rules> rules_;  // GUARDED_BY(mutex_)
};

}  // namespace app
