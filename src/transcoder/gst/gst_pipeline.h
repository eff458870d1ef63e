#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "media/frame.h"
#include "transcoder/settings.h"

namespace transcoder {

/// A GStreamer pipeline from a URI, a file or launch text to decoded pictures and audio: the first
/// track of each that appears. GStreamer's threads decode ahead by a few buffers and then wait to
/// be taken from. Used by one thread. The destructor may block as long as the source does.
///
/// Launch text (`gst:`) is a bin: each of its source pads that is not linked, also those that
/// appear later, goes through a decodebin, so it may carry encoded or raw pictures or audio.
class GstPipeline {
 public:
  /// `wake` is called on GStreamer's threads when there is something to take or to know. Throws
  /// std::runtime_error, one line, when the source cannot be built.
  GstPipeline(const SourceSettings& source, const VideoSettings& limits,
              std::function<void()> wake);
  ~GstPipeline();

  void play();
  /// After play(): the source delivers in its own time, and does not wait.
  bool live() const;

  /// The next ones, without waiting; `pts` counts from the beginning of this round.
  std::optional<media::Frame> take_frame();
  std::optional<media::Samples> take_audio();

  /// Pictures and audio frames since the last call that were left out: their memory cannot be
  /// mapped, or there is no whole 2x2 pixel.
  std::uint64_t take_unreadable();

  /// All pictures of this round have been taken.
  bool ended() const;
  /// Why it does not go on; empty: it does.
  std::string error() const;

  /// Plays from the beginning again; false when the source cannot.
  bool rewind();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
