#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>

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
/// server's channels. Thread-safe.
class LiveStream : private LadderActions {
 public:
  struct State {
    std::string name;
    std::vector<media::Container> containers;  ///< that it is offered in
    bool segments = false;                     ///< as HLS and DASH, too
    bool audio = false;
    std::string video_codec{};  ///< as RFC 6381 has it; empty: not known yet, or none of its
    abr::RateLimits rate{};     ///< of one viewer
    std::chrono::system_clock::time_point began{};  ///< wall time of pts 0
    transcoder::Stream::State media;
    Ladder::State ladder;

    std::size_t viewers() const;
  };

  /// What a viewer is treated by from his join to his end.
  struct ViewerSettings {
    abr::Settings control;
    TcpSettings tcp;
  };

  LiveStream(std::uint32_t index, const StreamConfig& config, server::Server& server,
             Metrics& metrics);

  void start() { media_.start(); }
  /// Several times per second; `others`: encode_load() of the other streams. Used on one thread.
  void tick(double others, base::Time now);
  double encode_load() const { return budget_.load(); }  ///< CPUs; likewise
  void stop() {
    ladder_.close();
    media_.stop();
  }

  /// For the viewers who join from now on; encode groups stay as they are.
  void reconfigure(ViewerSettings settings);

  /// So many of the group's next frames are not encoded. False, and nothing is done, where it is
  /// not one viewer's alone.
  bool skip(Ladder::GroupIndex group, unsigned frames);
  /// See transcoder::EncodeGroup::mend.
  void recover(GroupIndex group, media::FrameRange lost);

  /// There is a frame to show.
  bool has_frame() const { return media_.state().source.format.width > 0; }

  bool offers(media::Container container) const {
    return container == media::Container::kMpegTs || is_h264();
  }
  bool offers_segments() const { return is_h264() && segment_settings_.enabled; }
  const segments::Settings& segment_settings() const { return segment_settings_; }
  segments::SegmentStore& segments() { return segments_; }
  const segments::SegmentStore& segments() const { return segments_; }
  /// Rates that segment players may choose: falling, the highest is rate.max.
  std::vector<base::BitRate> rungs() const;
  /// What a group's frames are like at that rate.
  transcoder::Stream::FullPictures frames_at(base::BitRate rate) const;
  bool has_measured_frames() const { return media_.full_pictures().measured; }
  /// Wall time of pts 0; stays as it was at the start, whatever becomes of the system's clock.
  std::chrono::system_clock::time_point began() const { return began_; }

  std::uint32_t index() const { return index_; }
  const std::string& name() const { return media_.settings().name; }
  const transcoder::StreamSettings& media_settings() const { return media_.settings(); }
  const abr::GroupSettings& group_settings() const { return group_settings_; }
  const abr::PointSettings& point_settings() const { return point_settings_; }
  std::shared_ptr<const ViewerSettings> viewer_settings() const;
  Ladder& ladder() { return ladder_; }
  Metrics::Stream& metrics() { return *metrics_; }
  State state() const;

 private:
  bool is_h264() const { return media_settings().encoder.codec == transcoder::VideoCodec::kH264; }
  transcoder::OperatingPoint point(Ladder::GroupIndex group, base::BitRate rate, base::Time now);
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
  segments::SegmentStore segments_;
  const segments::Settings segment_settings_;
  transcoder::Stream media_;  // publishes to the store
  const std::chrono::system_clock::time_point began_;
  const abr::PointSettings point_settings_;
  base::LogPeriod open_failures_;
  Ladder ladder_;
  abr::EncodeBudget budget_;
  mutable std::mutex mutex_;
  std::shared_ptr<const ViewerSettings> viewer_settings_;      // GUARDED_BY(mutex_)
  std::map<Ladder::GroupIndex, abr::OperatingPoints> points_;  // GUARDED_BY(mutex_)
};

}  // namespace app
