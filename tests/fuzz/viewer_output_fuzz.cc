#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fuzz/check.h"
#include "fuzz/target.h"
#include "server/viewer.h"
#include "unit/server/packets.h"

// The stream of one viewer from two groups, whatever is lost, dropped and changed, and wherever the
// socket cuts. The input is a list of actions: a byte with the Action and its argument.

namespace {

using namespace std::chrono_literals;
using server::QueuedPacket;
using server::ResponseWriter;
using Source = server::Viewer::Source;

enum class Action : std::uint8_t {
  kFrame,
  kAudio,
  kWrite,
  kSwitch,
  kDiscard,
  kPad,
  kTime,
  kFinish
};
constexpr unsigned kActions = 8;
constexpr unsigned kArguments = 32;
constexpr std::size_t kTsBytes = 188;
constexpr std::string_view kHead = "HEAD\r\n\r\n";

/// A frame or an audio frame, as its first TS packet says it.
struct Received {
  bool video = false;
  std::uint64_t number = 0;
  std::size_t group = 0;
};

/// nullopt for a packet without payload, as those that signal a splice, and for padding.
std::optional<Received> read_ts(std::string_view packet) {
  constexpr unsigned kVideoPid = 0x100, kAudioPid = 0x101;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(packet[i]); };
  CHECK(byte(0) == 0x47, byte(0));
  const unsigned pid = (byte(1) & 0x1fU) << 8 | byte(2);
  if ((byte(3) & 0x10) == 0 || (pid != kVideoPid && pid != kAudioPid)) return std::nullopt;
  Received out{.video = pid == kVideoPid, .number = 0, .group = byte(4)};
  for (std::size_t i = 8; i > 0; --i) out.number = out.number << 8 | byte(4 + i);
  return out;
}

/// The frames of one group, and what a decoder needs before each.
class Group {
 public:
  explicit Group(std::uint8_t index) : index_{index} {}

  /// `argument`: bit 0 for a keyframe, bit 1 for a recovery frame, bit 2 for lost frames before it,
  /// after which a Handover waits for a keyframe. A recovery frame references at least the newest
  /// keyframe, as X264Encoder::recover() makes them.
  QueuedPacket next_frame(unsigned argument) {
    const bool lost = (argument & 4) != 0;
    if (lost) number_ += 1 + argument / 8;
    const bool keyframe = lost || number_ == 0 || (argument & 1) != 0;
    auto packet = std::make_shared<media::Packet>(*packets::frame(number_, keyframe, index_, 1));
    if (keyframe) keyframe_ = number_;
    if (!keyframe && (argument & 2) != 0)
      packet->recovers_from =
          std::max(keyframe_ + 1, number_ - std::min<std::uint64_t>(number_, argument / 8));
    packet->duration = packets::kFrame;
    frames_[number_++] = packet;
    return {packet, lost};
  }

  const media::Packet& at(std::uint64_t number) const { return *frames_.at(number); }
  std::uint64_t end() const { return number_; }

 private:
  const std::uint8_t index_;
  std::uint64_t number_ = 0;
  std::uint64_t keyframe_ = 0;
  std::map<std::uint64_t, media::PacketPtr> frames_;
};

class Session {
 public:
  explicit Session(bool chunked)
      : chunked_{chunked},
        viewer_{{},
                1s,
                ResponseWriter{chunked ? ResponseWriter::Framing::kChunked
                                       : ResponseWriter::Framing::kUntilClose,
                               std::string{kHead}, 0}} {
    viewer_.begin({});
  }

  void act(Action action, unsigned argument) {
    switch (action) {
      case Action::kFrame:
        return offer(argument % 2, groups_[argument % 2].next_frame(argument / 2));
      case Action::kAudio:
        return offer(argument % 2,
                     packets::queued(packets::audio(audio_[argument % 2]++,
                                                    static_cast<std::uint8_t>(argument % 2))));
      case Action::kWrite:
        return write((argument & 1) != 0, (argument & 2) != 0, kTsBytes * (argument / 4) / 2);
      case Action::kSwitch:
        if (viewer_.switching()) return viewer_.cancel_switch();
        if (viewer_.phase() != server::Viewer::Phase::kPlaying) return;
        return viewer_.begin_switch(newest_ + (static_cast<int>(argument) - 8) * 20ms, now_);
      case Action::kDiscard:
        if ((argument & 1) != 0) return viewer_.pause();
        viewer_.discard_unsent();
        return;
      case Action::kPad:
        return viewer_.pad(base::ByteCount{static_cast<int>(argument) * 100});
      case Action::kTime:
        now_ += argument * 20ms;
        if (viewer_.switching()) viewer_.check_time(now_);
        return follow();
      case Action::kFinish:
        return finish();
    }
  }

  void end() {
    finish();
    while (viewer_.has_unsent() && viewer_.prepare(true)) take(std::string_view::npos);
    CHECK(!viewer_.has_unsent());
    check_media(unframed());
  }

 private:
  void offer(std::size_t group, QueuedPacket item) {
    newest_ = std::max(newest_, item.packet->pts);
    if (group == current_) {
      viewer_.offer(Source::kCurrent, {&item, 1}, now_);
    } else if (viewer_.switching()) {
      viewer_.offer(Source::kNext, {&item, 1}, now_);
    }
    follow();
  }

  void finish() {
    if (viewer_.phase() != server::Viewer::Phase::kDraining) viewer_.finish();
  }

  void follow() {
    if (viewer_.switched()) current_ = 1 - current_;
  }

  void write(bool audio_due, bool merge, std::size_t most) {
    if (!viewer_.prepare(audio_due, merge)) return;
    if (viewer_.mark_due()) viewer_.mark({.end = true, .head = most % 50});
    take(most);
  }

  void take(std::size_t most) {
    ResponseWriter::Pieces memory;
    std::size_t taken = 0;
    for (const auto& piece : viewer_.writer().pieces(memory)) {
      const auto part = std::min(piece.iov_len, most - taken);
      wire_.append(static_cast<const char*>(piece.iov_base), part);
      taken += part;
    }
    viewer_.taken(taken, now_);
    CHECK(viewer_.state().sent.bytes() == static_cast<std::int64_t>(wire_.size()), wire_.size());
    CHECK(viewer_.state().queued.bytes() >= 0, viewer_.state().queued.bytes());
  }

  /// The response without its head and the lines of its chunks, which are whole.
  std::string unframed() const {
    std::string_view rest = wire_;
    if (rest.empty()) return {};
    CHECK(rest.starts_with(kHead), rest.substr(0, 20));
    rest.remove_prefix(kHead.size());
    if (!chunked_) return std::string{rest};
    std::string out;
    for (;;) {
      std::size_t size = 0;
      const auto* digits = rest.data();
      const auto read = std::from_chars(digits, digits + rest.size(), size, 16);
      rest.remove_prefix(static_cast<std::size_t>(read.ptr - digits));
      CHECK(rest.starts_with("\r\n") && rest.size() >= size + 4, rest.substr(0, 20), size);
      out += rest.substr(2, size);
      CHECK(rest.substr(2 + size, 2) == "\r\n", size);
      rest.remove_prefix(size + 4);
      if (size == 0) break;
    }
    CHECK(rest.empty(), rest.substr(0, 20));
    return out;
  }

  /// Nothing comes twice, and a decoder has all that each frame needs.
  void check_media(std::string_view media) const {
    CHECK(media.size() % kTsBytes == 0, media.size());
    std::optional<Received> video, audio;
    for (; !media.empty(); media.remove_prefix(kTsBytes)) {
      const auto read = read_ts(media.substr(0, kTsBytes));
      if (!read) continue;
      auto& last = read->video ? video : audio;
      CHECK(!last || read->number > last->number, read->number, last->number);
      if (read->video) check_frame(*read, video);
      last = read;
    }
  }

  void check_frame(const Received& read, const std::optional<Received>& last) const {
    const auto& frame = groups_[read.group].at(read.number);
    if (frame.keyframe) return;
    CHECK(last && last->group == read.group, read.number, read.group);
    const auto missing = last->number + 1;
    CHECK(read.number == missing || (frame.recovers_from && *frame.recovers_from <= missing),
          read.number, missing);
  }

  const bool chunked_;
  std::array<Group, 2> groups_{Group{0}, Group{1}};
  std::array<std::uint64_t, 2> audio_{};
  std::size_t current_ = 0;
  media::Pts newest_{};
  base::Time now_{1h};
  std::string wire_;
  server::Viewer viewer_;
};

}  // namespace

FUZZ_TARGET(viewer_output) {
  Session session{(input.take<std::uint8_t>() & 1) == 1};
  while (!input.empty()) {
    const unsigned byte = input.take<std::uint8_t>();
    session.act(static_cast<Action>(byte % kActions), byte / kActions % kArguments);
  }
  session.end();
}
