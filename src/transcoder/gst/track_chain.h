#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "transcoder/gst/audio_wait.h"
#include "transcoder/gst/gst_types.h"
#include "transcoder/gst/input_report.h"
#include "transcoder/gst/track_joiner.h"
#include "transcoder/gst/track_kind.h"

namespace transcoder {

/// Decodes one track: from a pad of a demuxer, queue or source, through a decodebin, to a pad that
/// takes raw pictures or audio. An error in an audio chain stops only that chain: it drops data
/// until a new decoder is tried (DecoderRetry). Lives as long as the bin around it; its callbacks
/// run on the track's own streaming thread.
class TrackChain {
 public:
  /// Returns the pad that takes the decoded data of this kind; nullptr if another track has it.
  using Outlet = std::function<GstPad*(TrackKind)>;

  /// Called once ended() has become true, on a streaming thread of the track. The argument says
  /// whether the decoder found the end itself, in data that it read from a file.
  using OnEnd = std::function<void(bool)>;

  /// `kind` is empty if only decoding shows it. Throws std::runtime_error if an element is not
  /// installed.
  TrackChain(GstElement* bin, GstPad* from, std::optional<TrackKind> kind, Outlet outlet,
             OnEnd on_end, std::shared_ptr<TrackJoiner> joiner,
             std::shared_ptr<InputReport> report);
  TrackChain(const TrackChain&) = delete;
  TrackChain& operator=(const TrackChain&) = delete;
  ~TrackChain();

  /// Whether the track has ended, and all its data have left the chain.
  bool ended() const;
  TrackHealth health() const;
  /// Holds decoded data back until proceed(). Call before data arrive.
  void hold();
  void proceed();
  /// The source of the track is gone: an error ends this track alone from now on.
  void abandon();
  /// Ends the track, if its source has not. Call when the source sends no more data.
  void end();
  /// Removes the decoder from the bin. Call once the track has ended and its thread has stopped, on
  /// another thread. The chain may then be destroyed.
  void remove();
  /// The pads that take its decoded data.
  const std::vector<std::pair<TrackKind, GstPad*>>& outlets() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
