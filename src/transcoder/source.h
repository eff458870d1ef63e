#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "media/frame.h"

namespace transcoder {

/// Trouble of a source that is connected. Each kind has one word in log, page, API and metrics.
enum class SourceTrouble {
  kWrongData,       ///< a sender sends data that is not a stream
  kScrambled,       ///< the data are encrypted
  kNoPictures,      ///< data arrives, but no track of pictures
  kNoKeyframe,      ///< pictures arrive, but no keyframe
  kAudioOnly,       ///< black pictures replace the missing ones
  kAudioBroken,     ///< the audio cannot be decoded or converted
  kAudioReplaced,   ///< the chosen audio track has no content, another one replaces it
  kAudioOff,        ///< the audio is too far from the pictures
  kNoAudioDecoder,  ///< no decoder for the audio
};

/// The input of a connection: its last data and its trouble.
struct SourceReport {
  std::optional<base::Time> data;                 ///< when data last arrived, if that is known
  std::map<SourceTrouble, std::string> troubles;  ///< with details, which may be empty
  base::Duration wait{};    ///< of pictures for their turn, because they arrive in bursts
  std::uint64_t bytes = 0;  ///< of the chosen tracks, without their containers
  std::string video_codec;  ///< for people: "H.264 (High Profile)"; empty before it is decoded
  std::string audio_codec;
};

/// One connection to a live source, from start() until it ends or stop() is called: decodes, paces,
/// and calls its listener. Does not reconnect; Supervisor creates a new Source for that.
class Source {
 public:
  /// Called by one thread at a time. A call must return within a frame interval.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// A decoded picture within VideoSettings' size limits. `pts` is on the source's own clock, and
    /// `number` is unset.
    virtual void on_picture(media::Frame picture) = 0;
    /// Decoded audio. `pts` is on the source's own clock.
    virtual void on_audio(media::Samples samples, base::Time captured) = 0;
    /// The source's timestamps leave a gap: no picture is due before `until`.
    virtual void on_gap(base::Time until) = 0;
    /// `count` pictures and audio buffers were dropped because their memory cannot be read or they
    /// are too small.
    virtual void on_unreadable(std::uint64_t count) = 0;
    /// The last call: the source ended or failed. `reason` is one line.
    virtual void on_end(std::string reason) = 0;
  };

  virtual ~Source() = default;
  /// Call once. Throws std::system_error if no thread can be created; later failures are reported
  /// by on_end().
  virtual void start(std::shared_ptr<Listener> listener) = 0;
  /// Returns within 0.8 s, whatever the source does. The listener is not called afterwards.
  virtual void stop() = 0;
  /// May be called at any time, on any thread.
  virtual SourceReport report() const { return {}; }
};

}  // namespace transcoder
