#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/frame.h"
#include "transcoder/settings.h"
#include "transcoder/source.h"
#include "transcoder/wire/ring_layout.h"

/// The messages between the daemon and the process of one source ("the child"), which may be in the
/// hands of a stranger. Pure functions. encode() brings values that come from the source into their
/// bounds, so an honest child never breaks the protocol; decoding refuses all values outside them.
/// Times are CLOCK_MONOTONIC, which both processes share.
namespace transcoder::wire {

/// Of a message of any kind. The longest is Audio.
inline constexpr std::size_t kMaxMessage = 36 * 1024;

/// 85 ms. Longer audio takes several messages: audio_messages().
inline constexpr std::size_t kMaxAudioFrames = 4096;

inline constexpr std::size_t kMaxNoteTexts = 4;
inline constexpr std::size_t kMaxFolders = 64;
inline constexpr std::size_t kMaxUri = 32 * 1024;  ///< bytes; `gst:` has a whole pipeline

/// The child's first message, once it is confined.
struct Hello {
  Isolation isolation;
};

/// Listener::on_picture. The pixels are in the ring.
struct Picture {
  std::size_t slot = 0;
  media::PictureFormat format;
  media::Pts pts{};
  base::Time captured{};
};

/// Listener::on_audio
struct Audio {
  media::Samples samples;  ///< 1 to kMaxAudioFrames
  base::Time captured{};
};

/// Listener::on_gap
struct Gap {
  base::Time until{};
};

/// Listener::on_unreadable
struct Unreadable {
  std::uint64_t count = 0;
};

/// Pictures for which the ring had no free slot.
struct Dropped {
  std::uint64_t count = 0;
};

/// Source::report(), several times per second: also the sign that the child runs.
struct Report {
  SourceReport report;
};

/// A line for the log. The daemon has the names of the event and of its values.
struct Note {
  enum class Event : std::uint8_t {
    kGlib,
    kNumbersRestarted,
    kPublisherRefused,
    kRedirected,
    kTracksChange,
  };
  Event event{};
  std::vector<std::string> texts;  ///< at most kMaxNoteTexts
};

/// Listener::on_end, and the child's last message.
struct End {
  SourceEnd end;  ///< causes up to kLimit; the others are for the daemon to find
};

/// The daemon's first message.
struct Start {
  SourceSettings source;  ///< without `allow`, by which the daemon judges
  VideoSettings video;
  std::vector<std::string> folders;  ///< of `allow`; at most kMaxFolders
};

/// Ends the child.
struct Stop {};

using FromChild = std::variant<Hello, Picture, Audio, Gap, Unreadable, Dropped, Report, Note, End>;
using FromDaemon = std::variant<Start, Stop>;

/// Messages for samples of any length; none for none.
std::vector<Audio> audio_messages(const media::Samples& samples, base::Time captured);

/// Throws std::length_error if Audio has no frames or too many.
std::vector<std::uint8_t> encode(FromChild message);
/// Throws std::length_error if the URI or the folders are too long.
std::vector<std::uint8_t> encode(FromDaemon message);

/// The error has the first wrong value: "picture: sar_num 0".
base::Result<FromChild> decode_from_child(std::span<const std::uint8_t> bytes,
                                          const RingLayout& ring);
base::Result<FromDaemon> decode_from_daemon(std::span<const std::uint8_t> bytes);

/// Moves times that cannot be true at `now` to the nearest ones that can. An honest child's are
/// wrong only if the daemon reads them late.
void settle_times(FromChild& message, base::Time now);

}  // namespace transcoder::wire
