#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "media/frame.h"
#include "transcoder/gst/input_report.h"
#include "transcoder/settings.h"
#include "transcoder/source.h"

namespace transcoder {

/// A GStreamer pipeline that decodes a URI, a file or launch text: one track of pictures and one of
/// audio (TrackInput). Black pictures replace missing ones. GStreamer's threads decode a few
/// buffers ahead and then wait until the user takes them. Used by one thread. The destructor may
/// block as long as the source does.
///
/// Launch text (`gst:`) describes a bin. Each unlinked source pad of the bin, including later ones,
/// may carry containers, or encoded or raw video or audio.
class GstPipeline {
 public:
  /// `wake` is called on GStreamer's threads when there is data to take, an error, or the end.
  /// Throws std::runtime_error with a one-line text if the pipeline cannot be built.
  GstPipeline(const SourceSettings& source, const VideoSettings& limits,
              std::shared_ptr<InputReport> report, std::function<void()> wake);
  ~GstPipeline();

  void play();
  /// Valid after play(): whether the source sets its own pace and does not wait for its reader.
  bool live() const;

  /// Take the next picture or audio without waiting; nullopt if there is none yet. `pts` counts
  /// from the beginning of this round.
  std::optional<media::Frame> take_frame();
  std::optional<media::Samples> take_audio();

  /// Number of pictures and audio buffers dropped since the last call because their memory cannot
  /// be mapped, or because a picture is smaller than 2x2 pixels.
  std::uint64_t take_unreadable();

  /// Whether all pictures of this round have been taken, or all audio if there are no pictures.
  bool ended() const;
  /// Why the pipeline stopped, without a reason while it runs.
  SourceEnd error() const;

  /// Plays from the beginning again; false if the source does not support it.
  bool rewind();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
