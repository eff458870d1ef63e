#pragma once

#include <memory>
#include <optional>

#include "transcoder/gst/gst_types.h"
#include "transcoder/gst/input_report.h"
#include "transcoder/gst/track_chain.h"
#include "transcoder/gst/track_kind.h"
#include "transcoder/gst/track_queue.h"

namespace transcoder {

/// The decoded tracks of an input. Tracks of one kind follow each other into one pad of the bin,
/// "pictures" or "audio", in the order in which they were added. The pad ends when no track can
/// follow: all inputs have ended, and all decoded data has left. Thread-safe; lives as long as its
/// bin.
class TrackChains {
 public:
  /// Adds the pads to `bin`. `audio` says whether audio is wanted. Throws std::runtime_error if an
  /// element is not installed.
  TrackChains(GstElement* bin, bool audio, std::shared_ptr<InputReport> report);
  TrackChains(const TrackChains&) = delete;
  TrackChains& operator=(const TrackChains&) = delete;
  ~TrackChains();

  /// Until `pad`, of a source or a demuxer, has ended, it may produce tracks: of `kind`, or of any
  /// kind if empty.
  void watch(GstPad* pad, std::optional<TrackKind> kind = std::nullopt);
  /// The pad is gone.
  void forget(GstPad* pad);

  /// Decodes the track in `lane`. Valid until let_go(). Throws std::runtime_error if an element is
  /// not installed, or tracks change too often.
  TrackChain* add(std::unique_ptr<TrackLane> lane, TrackKind kind);
  /// The same for a track without a queue. `kind` is empty if only decoding shows it: then the
  /// first of each kind is taken.
  TrackChain* add(GstPad* pad, std::optional<TrackKind> kind);
  /// A pad that takes decoded data of this kind; nullptr if another track has been given it, or
  /// audio is not wanted.
  GstPad* claim(TrackKind kind);

  /// The source of the chain's data is gone. Once its data has left, the chain's resources can be
  /// released.
  void let_go(TrackChain* chain);
  /// Releases the resources of those chains. Must not be called on a chain's thread: it waits until
  /// these have stopped.
  void remove_done();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
