#pragma once

#include <memory>

#include "transcoder/gst/gst_types.h"
#include "transcoder/gst/input_report.h"
#include "transcoder/settings.h"

namespace transcoder {

/// Splits a source's data into tracks, chooses one of pictures and one of audio, and decodes each
/// in a chain of its own:
///
///   source ! typefind ! demuxer ! multiqueue ! decodebin ! funnel ! pad "pictures" of the bin
///                                            ! decodebin ! funnel ! pad "audio" of the bin
///
/// A single decodebin would couple all tracks of a demuxer: one that is late or fails would stop
/// the others. A chain is made when data of its track arrives. A demuxer announces new tracks
/// before the old ones end, and the funnels accept both. The elements, pads and threads of an ended
/// track are released at the next data from the source. Lives as long as its bin.
class TrackInput {
 public:
  /// Adds the funnels and pads to `bin`. Throws std::runtime_error if an element is not installed.
  TrackInput(GstElement* bin, const SourceSettings& source, std::shared_ptr<InputReport> report);
  TrackInput(const TrackInput&) = delete;
  TrackInput& operator=(const TrackInput&) = delete;
  ~TrackInput();

  /// Takes the source pads of an element in the bin, now and later. Throws std::runtime_error if an
  /// element is not installed.
  void add_element(GstElement* element);
  /// Takes a source pad.
  void add_pad(GstPad* pad);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
