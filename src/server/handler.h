#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/units.h"
#include "media/packet.h"
#include "server/address.h"
#include "server/sent_frames.h"
#include "server/streaming_response.h"

/// What the server asks of the program around it.
namespace server {

using ViewerId = std::uint64_t;  ///< counts from 1; never reused

/// A GET or HEAD of /STREAM.ts, .flv or .mp4 that passed the server's limits.
struct ViewerRequest {
  ViewerId id = 0;
  std::string stream;  ///< NAME
  media::Container container = media::Container::kMpegTs;
  std::string query;  ///< after '?', undecoded
  Address address;
  std::string user_agent;
  bool head = false;  ///< HEAD: only the answer is wanted, the observer is dropped, unjoined
  int loop = 0;       ///< the event loop whose thread the viewer belongs to; counts from 0
};

/// HTTP status (404, 503) and a plain reason.
struct Refusal {
  int status = 503;
  std::string reason;
};

enum class LeaveReason { kClosedByViewer, kStalled, kSocketError, kStreamGone, kShutdown };

struct ViewerState {
  ViewerId id = 0;
  Address address;
  std::string user_agent;
  std::string stream;
  media::ChannelId channel;
  base::BitRate rate;     ///< Packet::rate of the newest frame offered; zero before the first
  base::Time captured{};  ///< likewise
  base::Time connected{};
  base::ByteCount sent;      ///< bytes taken by the kernel since accept, framing included
  base::ByteCount queued;    ///< bytes that the kernel has not taken
  bool discardable = false;  ///< of these a whole frame is one
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_dropped = 0;        ///< frames dropped from the queue
  std::uint64_t audio_frames_dropped = 0;  ///< likewise, and in changes of group
  std::uint64_t gops_dropped = 0;          ///< times the queue dropped to a keyframe
  std::uint64_t discards = 0;              ///< times the observer discarded what was unsent
  /// Frames that were not sent: none is, before one that recovers from them or a keyframe. Empty:
  /// none.
  std::optional<media::FrameRange> missing;
  base::ByteCount padding;     ///< of `sent`: what the observer had added
  std::uint64_t switches = 0;  ///< changes of group completed
};

/// What an observer may do to its viewer's stream. Implemented by Viewer.
class ViewerActs {
 public:
  virtual ~ViewerActs() = default;
  /// Drops the frames that have not begun to be sent; the next one sent recovers from them
  /// (media::Packet::recovers_from) or is a keyframe. Audio goes on. Empty: there were none.
  virtual std::optional<media::FrameRange> discard_unsent() = 0;
  /// None of the next frames is taken before one that recovers from them or a keyframe.
  virtual void pause() = 0;
  /// Lengthens the next frame's write by this much, at most media::kMaxPaddingBytes.
  virtual void pad(base::ByteCount amount) = 0;
};

/// A viewer, on_tick() right after a frame of its channel was offered to it. `state`, `fd`,
/// `sent` and `acts` stay the same from on_join to on_leave.
struct ViewerTick {
  const ViewerState& state;
  int fd;
  base::Time now;    ///< not before SentFrame::departed of any
  SentFrames& sent;  ///< frames handed to the kernel and not yet seen acknowledged
  ViewerActs& acts;
};

/// What of a frame's write is marked: the kernel reports on the socket's error queue when the
/// last byte of each marked part is acknowledged (SO_TIMESTAMPING with SOF_TIMESTAMPING_TX_ACK).
/// Whoever asks for it has set the socket's option, and reads the reports.
struct TxTimestampRequest {
  bool end = false;
  std::size_t head = 0;  ///< bytes sent and marked on their own before the rest; 0: none
};

/// Follows one viewer from admission to the end. Owned by the viewer; every call, and the
/// destructor, comes on the viewer's loop thread.
class ViewerObserver {
 public:
  virtual ~ViewerObserver() = default;

  /// The socket is set up and the response headers are about to be sent.
  virtual void on_join(const ViewerTick& tick) = 0;
  /// Returns when on_sample_due() is to be called; empty: not. Each answer takes the place of the
  /// last.
  virtual std::optional<base::Time> on_tick(const ViewerTick& tick) = 0;
  /// The time asked for has come. Returns the same.
  virtual std::optional<base::Time> on_sample_due(const ViewerTick& tick) = 0;
  /// What to mark of the next frame's `size` bytes, HTTP and the audio frames before it included.
  virtual TxTimestampRequest tx_timestamps(base::ByteCount size, base::Time now) = 0;
  /// Something may be waiting on the socket's error queue.
  virtual void on_error_queue(const ViewerTick& tick) = 0;
  /// The socket is still open; `sent` holds what was never seen acknowledged.
  virtual void on_leave(const ViewerTick& tick, LeaveReason reason) = 0;
};

/// The viewer starts on `channel`, at its next keyframe. `observer` is destroyed without a call
/// when the viewer goes before it joined.
struct Admission {
  media::ChannelId channel;
  std::unique_ptr<ViewerObserver> observer;
};

/// A descriptor of the program's own that one loop waits for beside its connections.
class LoopSource {
 public:
  virtual ~LoopSource() = default;       ///< on any thread, after the loop has ended
  virtual const char* name() const = 0;  ///< for the log
  virtual int fd() const = 0;
  /// On the loop's thread. Edge-triggered: takes all there is.
  virtual void on_readable(base::Time now) = 0;
};

/// Decides who may watch, and answers what is no page. What it throws is logged and answered 503.
class Handler {
 public:
  virtual ~Handler() = default;
  /// Called on any loop thread.
  virtual std::variant<Admission, Refusal> admit(const ViewerRequest& request, base::Time now) = 0;
  /// Called on the connection's loop thread. Null: there is no such thing.
  virtual std::unique_ptr<StreamingResponse> answer(const HandlerRequest& /*request*/,
                                                    ResponseConnection& /*connection*/,
                                                    base::Time /*now*/) {
    return nullptr;
  }
  /// What `loop` is to wait for; asked for once, before it runs.
  virtual std::vector<std::unique_ptr<LoopSource>> loop_sources(int /*loop*/) { return {}; }
};

}  // namespace server
