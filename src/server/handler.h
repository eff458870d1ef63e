#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/units.h"
#include "media/packet.h"
#include "server/client.h"
#include "server/sent_frames.h"
#include "server/streaming_response.h"

/// The interfaces through which the server calls the program around it.
namespace server {

using ViewerId = std::uint64_t;  ///< counts from 1; never reused

/// A GET or HEAD of /NAME.ts, .flv or .mp4 that is within the server's limits.
struct ViewerRequest {
  ViewerId id = 0;
  std::string stream;  ///< NAME
  media::Container container = media::Container::kMpegTs;
  std::string query;  ///< after '?', undecoded
  Client client;
  std::string user_agent;
  bool head = false;  ///< HEAD: the observer is destroyed without having joined
  int loop = 0;       ///< index of the viewer's event loop, from 0
};

/// The HTTP status (404, 503) and the reason, in one line without a line feed.
struct Refusal {
  int status = 503;
  std::string reason;
  /// Not yet the answer: the viewer waits in their place, and admit() is called again 20 times per
  /// second. The handler has to limit the time.
  bool wait = false;
};

/// kEvicted: a newcomer has the viewer's place (Places).
enum class LeaveReason {
  kClosedByViewer,
  kStalled,
  kSocketError,
  kStreamGone,
  kEvicted,
  kShutdown
};

/// The state of one viewer's stream. Counts are totals since the viewer joined.
struct ViewerState {
  ViewerId id = 0;
  Address address;
  std::string user_agent;
  std::string stream;
  media::ChannelId channel;
  base::BitRate rate;     ///< Packet::rate of the newest frame offered; zero before the first
  base::Time captured{};  ///< Packet::captured of the newest frame offered
  base::Time connected{};
  base::ByteCount sent;           ///< taken by the kernel since accept, HTTP framing included
  base::ByteCount queued;         ///< not yet taken by the kernel
  unsigned frames_per_write = 1;  ///< of the newest write that had frames
  bool discardable = false;  ///< the queue holds at least one frame of which nothing has been sent
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_dropped = 0;        ///< from the queue
  std::uint64_t audio_frames_dropped = 0;  ///< from the queue, and in changes of group
  std::uint64_t gops_dropped = 0;          ///< times the queue dropped to a keyframe
  std::uint64_t discards = 0;              ///< times the observer discarded unsent frames
  /// Dropped frames, if any. Later frames are rejected until a keyframe or a frame that recovers
  /// from them arrives.
  std::optional<media::FrameRange> missing;
  base::ByteCount padding;     ///< part of `sent` that the observer has added
  std::uint64_t switches = 0;  ///< changes of group completed
};

/// An observer's controls over its viewer's stream. Implemented by Viewer.
class ViewerActs {
 public:
  virtual ~ViewerActs() = default;
  /// Drops the frames of which nothing has been sent. The next frame sent recovers from them
  /// (media::Packet::recovers_from) or is a keyframe. Keeps the audio. nullopt if there were none.
  virtual std::optional<media::FrameRange> discard_unsent() = 0;
  /// Drops the coming frames, until a keyframe or a frame that recovers from them arrives.
  virtual void pause() = 0;
  /// Lengthens the next frame's write by `amount`, at most media::kMaxPaddingBytes.
  virtual void pad(base::ByteCount amount) = 0;
};

/// A viewer at the time of a call to its observer. `state`, `fd`, `sent` and `acts` refer to the
/// same objects from on_join() to on_leave().
struct ViewerTick {
  const ViewerState& state;
  int fd;
  base::Time now;    ///< not before any SentFrame::departed
  SentFrames& sent;  ///< frames taken by the kernel and not yet seen acknowledged
  ViewerActs& acts;
};

/// The parts of a frame's write to mark. The kernel reports on the socket's error queue when the
/// last byte of a marked part is acknowledged (SO_TIMESTAMPING with SOF_TIMESTAMPING_TX_ACK). The
/// observer has to enable this option on the socket, and to read the reports.
struct TxTimestampRequest {
  bool end = false;      ///< mark the end of the write
  std::size_t head = 0;  ///< bytes to send and mark on their own, before the rest; 0 for no head
};

/// Follows one viewer from admission to the end. Owned by the viewer. Every call, and the
/// destructor, is on the viewer's loop thread.
class ViewerObserver {
 public:
  virtual ~ViewerObserver() = default;

  /// The socket is set up and the response header is about to be sent.
  virtual void on_join(const ViewerTick& tick) = 0;
  /// A frame of the viewer's channel has just been offered to the viewer. Returns when to call
  /// on_sample_due(), if at all. Each return value replaces the previous one.
  virtual std::optional<base::Time> on_tick(const ViewerTick& tick) = 0;
  /// The time that the last call returned has come. Returns the next, as on_tick() does.
  virtual std::optional<base::Time> on_sample_due(const ViewerTick& tick) = 0;
  /// Whether the viewer has no trouble, so that their frames may be merged into fewer writes.
  virtual bool may_wait() const = 0;
  /// Returns the parts to mark of the next frame's write. `size` includes HTTP framing and the
  /// audio frames before the frame.
  virtual TxTimestampRequest tx_timestamps(base::ByteCount size, base::Time now) = 0;
  /// The socket's error queue may have reports to read.
  virtual void on_error_queue(const ViewerTick& tick) = 0;
  /// The viewer has left. The socket is still open; `sent` holds the frames never seen
  /// acknowledged.
  virtual void on_leave(const ViewerTick& tick, LeaveReason reason) = 0;
};

/// The channel on which a viewer starts, at its next keyframe, and the viewer's observer. If the
/// viewer disconnects before it joins, `observer` is destroyed without a call.
struct Admission {
  media::ChannelId channel;
  std::unique_ptr<ViewerObserver> observer;
};

/// A descriptor of the surrounding program that a loop watches along with its connections.
class LoopSource {
 public:
  virtual ~LoopSource() = default;       ///< on any thread, after the loop has ended
  virtual const char* name() const = 0;  ///< for the log
  virtual int fd() const = 0;
  /// Called on the loop's thread. Edge-triggered: must read until nothing is left.
  virtual void on_readable(base::Time now) = 0;
};

/// Admits viewers, and responds to requests for paths that are not pages. If it throws, the server
/// logs the error and responds with 503.
class Handler {
 public:
  virtual ~Handler() = default;
  /// Why the viewer is refused however many places there are, if they are: then nobody loses theirs
  /// to them. Called on any loop thread, before admit().
  virtual std::optional<Refusal> refusal(const ViewerRequest& /*request*/, base::Time /*now*/) {
    return {};
  }
  /// Called on any loop thread, once per request unless Refusal::wait. May throw if no encoder can
  /// be opened.
  virtual std::variant<Admission, Refusal> admit(const ViewerRequest& request, base::Time now) = 0;
  /// Called on the connection's loop thread. Returns null if it does not serve this path.
  virtual std::unique_ptr<StreamingResponse> respond(const HandlerRequest& /*request*/,
                                                     ResponseConnection& /*connection*/,
                                                     base::Time /*now*/) {
    return nullptr;
  }
  /// Whether only administrators may read what respond() returns for this path, so that no page of
  /// another origin may.
  virtual bool is_for_admins(std::string_view /*path*/) const { return false; }
  /// Descriptors for loop number `loop` to watch. Called once per loop, before it runs.
  virtual std::vector<std::unique_ptr<LoopSource>> loop_sources(int /*loop*/) { return {}; }
};

}  // namespace server
