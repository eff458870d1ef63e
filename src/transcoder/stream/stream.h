#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "media/packet.h"
#include "transcoder/encode/audio_track.h"
#include "transcoder/encode/encode_group.h"
#include "transcoder/ingest/ingest.h"
#include "transcoder/picture/picture_size.h"
#include "transcoder/settings.h"
#include "transcoder/time/frame_interval_estimator.h"
#include "transcoder/time/source_interval.h"

namespace transcoder {

/// One live stream: a source that is decoded once, its audio track, and the encode groups that
/// share its pictures. Thread-safe.
class Stream {
 public:
  using GroupIndex = std::uint32_t;
  using Publish = std::function<void(GroupIndex, media::PacketPtr)>;

  /// The pictures of a group at full size and frame rate; all zero before the first picture.
  struct FullPictures {
    PictureSize size;
    double per_second = 0;  ///< the rate that bits are allotted for, see FrameIntervalEstimator
    double frame_rate = 0;  ///< the mean, see SourceInterval; 0 if it is unknown
    bool measured = false;  ///< whether per_second is measured; it begins at video.max_frame_rate
    double pixels_per_second() const { return size.width * size.height * per_second; }
  };

  struct State {
    Ingest::State source;
    FullPictures pictures;
    AudioTrack::State audio;
    std::map<GroupIndex, EncodeGroup::State> groups;
  };

  /// `publish` is called on the groups' threads. `clock`: begins at
  /// a multiple of the keyframe interval. Throws std::runtime_error if the source's URI can
  /// never work, or if there is no AAC encoder.
  Stream(StreamSettings settings, StreamClock clock, MakeSource make_source, Publish publish);
  ~Stream();

  void start();
  /// Stops the source and closes every group. When it returns nothing is published any more, and no
  /// group can be opened.
  void stop();

  /// Opens a group. `group` must be free; the caller assigns indexes. The first frame is a
  /// keyframe, made at once from the newest picture if that is fresh. Throws std::runtime_error.
  void open_group(GroupIndex group, base::BitRate initial, OperatingPoint point = {});
  /// Returns when the group publishes no more. Must not be called from `publish`.
  void close_group(GroupIndex group);

  /// Null when there is no such group.
  std::shared_ptr<EncodeGroup> group(GroupIndex index) const;
  /// See EncodeGroup::schedule_keyframe; `earliest` counts from the newest picture.
  media::Pts schedule_keyframe(GroupIndex group, base::Duration earliest);

  FullPictures full_pictures() const;

  const StreamSettings& settings() const { return settings_; }
  State state() const;
  Ingest::State source() const { return ingest_->state(); }

 private:
  FullPictures pictures() const;  // REQUIRES: mutex_
  double frame_rate() const;      // REQUIRES: mutex_
  void on_frame(const media::FramePtr& frame);
  void on_samples(const media::Samples& samples);
  void on_audio(const media::AudioFramePtr& frame);

  const StreamSettings settings_;
  const StreamClock clock_;
  const Publish publish_;
  mutable std::mutex mutex_;
  std::map<GroupIndex, std::shared_ptr<EncodeGroup>> groups_;  // GUARDED_BY(mutex_)
  bool stopped_ = false;                                       // GUARDED_BY(mutex_)
  media::FramePtr newest_;                                     // GUARDED_BY(mutex_)
  FrameIntervalEstimator interval_;                            // GUARDED_BY(mutex_)
  base::Duration frame_interval_;                              // GUARDED_BY(mutex_)
  SourceInterval mean_interval_;                               // GUARDED_BY(mutex_)
  std::unique_ptr<AudioTrack> audio_;
  std::unique_ptr<Ingest> ingest_;
};

}  // namespace transcoder
