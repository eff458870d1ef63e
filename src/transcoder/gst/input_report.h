#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/units.h"
#include "transcoder/gst/track_changes.h"
#include "transcoder/gst/track_kind.h"
#include "transcoder/source.h"

namespace transcoder {

/// Collects the arrival times and the trouble of a source. GStreamer's threads write it, others
/// read it. Thread-safe.
class InputReport {
 public:
  void data_arrived();
  /// Data of a track arrived, not decoded yet.
  void track_arrived(TrackKind kind);
  /// Data of a chosen track arrived, without their container.
  void media_arrived(std::size_t bytes) { bytes_ += bytes; }
  /// A track of this codec is decoded. `codec` is for people.
  void decodes(TrackKind kind, std::string codec);
  void picture_decoded() { decoded_ = true; }
  bool decoded() const { return decoded_; }

  /// Something that may keep keyframes from a source of this kind, for the operator.
  void suspect_of_keyframes(std::string hint);

  /// We do not play what the source sends. Errors of the pipeline do not always say so: a decodebin
  /// that sets itself up takes one for another reason to look for elements. The first reason stays.
  void refuse(const std::string& reason);
  /// That reason; empty if there is none.
  std::string refusal() const;

  /// The source has changed its tracks, other than at its start: their PIDs or codecs, or it has
  /// replaced a chosen one. The log says so if that is often.
  void tracks_changed(std::uint64_t times = 1);

  void raise(SourceTrouble trouble, std::string detail = {});
  void clear(SourceTrouble trouble);

  bool has_data() const { return first_data_.load() != base::Time{}; }
  bool has_track(TrackKind kind) const { return since(kind).load() != base::Time{}; }
  SourceReport report(base::Time now) const;
  /// When data last came after a pause of LivePacer::kMaxPause or more.
  base::Time even_since() const { return even_since_; }

 private:
  std::atomic<base::Time>& since(TrackKind kind) { return since_[static_cast<int>(kind)]; }
  const std::atomic<base::Time>& since(TrackKind kind) const {
    return since_[static_cast<int>(kind)];
  }

  std::atomic<base::Time> first_data_{};
  std::atomic<base::Time> last_data_{};
  std::atomic<base::Time> even_since_{};
  std::atomic<base::Time> since_[2]{};  ///< by TrackKind
  std::atomic<bool> decoded_ = false;
  std::atomic<std::uint64_t> bytes_ = 0;

  mutable std::mutex mutex_;
  std::map<SourceTrouble, std::string> troubles_;  // GUARDED_BY(mutex_)
  std::string keyframe_hint_;                      // GUARDED_BY(mutex_)
  TrackChanges track_changes_;                     // GUARDED_BY(mutex_)
  std::string refusal_;                            // GUARDED_BY(mutex_)
  std::string codecs_[2];                          // GUARDED_BY(mutex_); by TrackKind
};

}  // namespace transcoder
