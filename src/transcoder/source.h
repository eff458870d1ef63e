#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "media/frame.h"
#include "transcoder/settings.h"

namespace transcoder {

/// Trouble of a source that is connected. Each kind has one word in log, page, API and metrics.
enum class SourceTrouble {
  kWrongData,        ///< a sender sends data that is not a stream
  kScrambled,        ///< the data are encrypted
  kNoPictures,       ///< data arrives, but no track of pictures
  kNoKeyframe,       ///< pictures arrive, but no keyframe
  kAudioOnly,        ///< black pictures replace the missing ones
  kAudioBroken,      ///< the audio cannot be decoded or converted
  kAudioReplaced,    ///< the chosen audio track has no content, another one replaces it
  kAudioOff,         ///< the audio is too far from the pictures
  kNoAudioDecoder,   ///< no decoder for the audio
  kTooManyPictures,  ///< some are dropped before they are decoded
  kNoData,           ///< nothing has come yet from where we connect; found by the supervisor
};

/// How the files that a source's process does not need are out of its reach.
enum class FileBarrier : std::uint8_t {
  kNone,            ///< they are not
  kLandlock,        ///< the kernel refuses to open them
  kMountNamespace,  ///< they are in no folder that the process sees; for a kernel without Landlock
};

/// For log and metrics.
constexpr const char* name(FileBarrier barrier) {
  constexpr const char* kNames[] = {"off", "landlock", "mount_namespace"};
  return kNames[static_cast<std::size_t>(barrier)];
}

/// Parts of the machine that are out of reach of a source's process.
struct Isolation {
  FileBarrier files{};
  bool system_calls = false;  ///< but those that it needs (seccomp)
  bool memory = false;        ///< beyond its limit, by a control group; the server makes it

  bool operator==(const Isolation&) const = default;
};

/// Memory, threads and CPU time of a process.
struct ProcessUse {
  base::ByteCount memory;  ///< of its own, in use: neither files nor libraries that others share
  int threads = 0;
  base::Duration cpu{};  ///< since its start
};

/// The input of a connection: its last data and its trouble.
struct SourceReport {
  std::optional<base::Time> data;                 ///< when data last arrived, if that is known
  std::map<SourceTrouble, std::string> troubles;  ///< with details, which may be empty
  base::Duration wait{};    ///< of pictures for their turn, because they arrive in bursts
  std::uint64_t bytes = 0;  ///< of the chosen tracks, without their containers
  std::string video_codec;  ///< for people: "H.264 (High Profile)"; empty before it is decoded
  std::string audio_codec;
  std::optional<Isolation> isolation;  ///< of the source's process, if it has one and it runs
  std::optional<ProcessUse> use;       ///< the same
  bool preparing = false;              ///< it is not the sender that we wait for: we begin
};

/// Why a connection ended.
struct SourceEnd {
  /// One word each in the metrics: name().
  enum class Cause : std::uint8_t {
    kEnded,     ///< by the source, the network, or a plugin
    kRefused,   ///< we do not play what it sends, or do not open what it names
    kLimit,     ///< its process used more memory, threads or CPU time than it may
    kCrashed,   ///< its process ended in the middle of its work
    kHung,      ///< its process did not respond, or could not be ended
    kProtocol,  ///< its process sent what no process of ours sends
    kStart,     ///< its process or thread could not be started
    kSilent,    ///< no picture came
  };
  std::string reason;  ///< one line
  Cause cause = Cause::kEnded;
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
    /// `count` pictures were dropped because their receiver holds all of the memory for pictures.
    virtual void on_dropped(std::uint64_t count) = 0;
    /// The last call: the source ended or failed.
    virtual void on_end(SourceEnd end) = 0;
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

/// Makes the source of a stream. Throws std::runtime_error.
using MakeSource = std::function<std::unique_ptr<Source>(
    const std::string& stream, const SourceSettings& source, const VideoSettings& limits)>;

}  // namespace transcoder
