#include "transcoder/wire/message.h"

#include <limits.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "transcoder/wire/codec.h"

namespace transcoder::wire {

namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kMagic = 0x73796d63;  // "symc"
constexpr std::uint16_t kVersion = 1;

constexpr std::int64_t kMaxSar = 65535;     // as in H.264
constexpr std::int64_t kMaxCount = 10'000;  // of lost pictures in one message
constexpr std::int64_t kMaxSide = 65535;    // in any format that GStreamer decodes
constexpr std::int64_t kMaxBytes = 1LL << 60;
constexpr std::size_t kMaxCodec = 64;  // "H.264 (High 4:2:2 Intra Profile)" has 33 bytes
// Those that a process can find.
constexpr int kTroubles = static_cast<int>(SourceTrouble::kTooManyPictures) + 1;
constexpr base::Duration kMaxWait = 10s;  // data come at most 10 s early (ISO/IEC 13818-1)

// A picture waits this long on a machine that is held up; an older time would be a lie that shifts
// the stream's timeline.
constexpr base::Duration kMaxAge = 10s;
// Patience waits for the end of a gap. No source pauses for longer.
constexpr base::Duration kMaxGap = 1h;

template <typename Io>
void time(Io& io, const char* name, base::Time& value) {
  auto since_boot = value.time_since_epoch();
  io.duration(name, since_boot, 0s);
  value = base::Time{since_boot};
}

template <typename Io>
void fields(Io& io, Hello& hello) {
  auto magic = kMagic;
  auto version = kVersion;
  auto& [files, system_calls, memory] = hello.isolation;
  io.message("hello");
  io.template number<std::uint32_t>("magic", magic, kMagic, kMagic);
  io.template number<std::uint16_t>("version", version, kVersion, kVersion);
  io.template number<std::uint8_t>("files", files, 0,
                                   static_cast<int>(FileBarrier::kMountNamespace));
  io.template number<std::uint8_t>("system_calls", system_calls, 0, 1);
}

template <typename Io>
void fields(Io& io, Picture& picture) {
  auto& [width, height, sar_num, sar_den, colour] = picture.format;
  auto& [primaries, transfer, matrix, full_range] = colour;
  io.message("picture");
  io.template number<std::uint8_t>("slot", picture.slot, 0, RingLayout::kMaxSlots - 1);
  io.template number<std::uint16_t>("width", width, 0, 65535);  // decode_from_child() knows more
  io.template number<std::uint16_t>("height", height, 0, 65535);
  io.template number<std::uint32_t>("sar_num", sar_num, 1, kMaxSar);
  io.template number<std::uint32_t>("sar_den", sar_den, 1, kMaxSar);
  io.template number<std::uint8_t>("primaries", primaries, 0, 255);
  io.template number<std::uint8_t>("transfer", transfer, 0, 255);
  io.template number<std::uint8_t>("matrix", matrix, 0, 255);
  io.template number<std::uint8_t>("full_range", full_range, 0, 1);
  io.duration("pts", picture.pts);
  time(io, "captured", picture.captured);
}

template <typename Io>
void fields(Io& io, Audio& audio) {
  io.message("audio");
  io.duration("pts", audio.samples.pts);
  time(io, "captured", audio.captured);
  io.samples(audio.samples.values, media::kAudioChannels, kMaxAudioFrames);
}

template <typename Io>
void fields(Io& io, Gap& gap) {
  io.message("gap");
  time(io, "until", gap.until);
}

template <typename Io>
void fields(Io& io, Unreadable& unreadable) {
  io.message("unreadable");
  io.template number<std::uint32_t>("count", unreadable.count, 0, kMaxCount);
}

template <typename Io>
void fields(Io& io, Dropped& dropped) {
  io.message("dropped");
  io.template number<std::uint32_t>("count", dropped.count, 0, kMaxCount);
}

/// The troubles as bits, then the detail of each.
template <typename Io>
void troubles_fields(Io& io, std::map<SourceTrouble, std::string>& troubles) {
  unsigned kinds = 0;
  for (const auto& [kind, detail] : troubles) kinds |= 1U << static_cast<int>(kind);
  io.template number<std::uint16_t>("troubles", kinds, 0, (1 << kTroubles) - 1);
  for (int i = 0; i < kTroubles; ++i) {
    if ((kinds >> i & 1) != 0) io.text("trouble", troubles[SourceTrouble{i}], kMaxText);
  }
}

template <typename Io>
void fields(Io& io, Report& message) {
  auto& [data, troubles, wait, bytes, video_codec, audio_codec, isolation, use, preparing] =
      message.report;
  isolation.reset();  // of Hello, for the daemon to add
  use.reset();        // the daemon measures it
  preparing = false;  // not any more
  bool has_data = data.has_value();
  io.message("report");
  io.template number<std::uint8_t>("has_data", has_data, 0, 1);
  if (has_data) time(io, "data", data ? *data : data.emplace());
  troubles_fields(io, troubles);
  io.duration("wait", wait, 0s, kMaxWait);
  io.template number<std::uint64_t>("bytes", bytes, 0, kMaxBytes);
  io.text("video_codec", video_codec, kMaxCodec);
  io.text("audio_codec", audio_codec, kMaxCodec);
}

template <typename Io>
void fields(Io& io, Note& note) {
  auto count = note.texts.size();
  io.message("note");
  io.template number<std::uint8_t>("event", note.event, 0,
                                   static_cast<int>(Note::Event::kTracksChange));
  io.template number<std::uint8_t>("texts", count, 0, kMaxNoteTexts);
  note.texts.resize(std::min(count, kMaxNoteTexts));
  for (auto& text : note.texts) io.text("text", text, kMaxText);
}

template <typename Io>
void fields(Io& io, End& message) {
  auto& [reason, cause] = message.end;
  io.message("end");
  io.template number<std::uint8_t>("cause", cause, 0, static_cast<int>(SourceEnd::Cause::kLimit));
  io.text("reason", reason, kMaxText);
}

template <typename Io>
void fields(Io& io, Start& start) {
  auto& [uri, program, audio, first_picture_wait, silence_timeout, backoff_min, backoff_max,
         latency, memory, cpu, max_size, allow] = start.source;
  std::int64_t memory_bytes = memory.bytes();
  auto& [max_width, max_height, max_frame_rate] = start.video;
  io.message("start");
  io.bytes("uri", uri, 0, kMaxUri);
  io.template number<std::uint16_t>("program", program, 0, 65535);
  io.bytes("audio", audio, 0, kMaxText);
  io.duration("first_picture_wait", first_picture_wait, 0s);
  io.duration("silence_timeout", silence_timeout, 0s);
  io.duration("backoff_min", backoff_min, 0s);
  io.duration("backoff_max", backoff_max, 0s);
  io.duration("latency", latency, 0s);
  io.template number<std::int64_t>("memory", memory_bytes, 1, kMaxBytes);
  memory = base::ByteCount{memory_bytes};
  io.real("cpu", cpu, 0, 1);
  io.template number<std::uint32_t>("max_size_width", max_size.width, 1, kMaxSide);
  io.template number<std::uint32_t>("max_size_height", max_size.height, 1, kMaxSide);
  io.template number<std::uint16_t>("max_width", max_width, 2, 65535);
  io.template number<std::uint16_t>("max_height", max_height, 2, 65535);
  io.real("max_frame_rate", max_frame_rate, 0, 1e6);
  auto count = start.folders.size();
  io.template number<std::uint8_t>("folders", count, 0, kMaxFolders);
  start.folders.resize(std::min(count, kMaxFolders));
  for (auto& folder : start.folders) io.bytes("folder", folder, 0, PATH_MAX);
}

template <typename Io>
void fields(Io& io, Stop&) {
  io.message("stop");
}

/// Halves both numbers until they fit: containers have 32 bits for each.
void bound_shape(media::PictureFormat& format) {
  while (std::max(format.sar_num, format.sar_den) > kMaxSar) {
    format.sar_num /= 2;
    format.sar_den /= 2;
  }
}

constexpr auto kFields = [](auto& io, auto& message) { fields(io, message); };

}  // namespace

std::vector<Audio> audio_messages(const media::Samples& samples, base::Time captured) {
  std::vector<Audio> messages;
  constexpr std::size_t kStep = kMaxAudioFrames * media::kAudioChannels;
  for (std::size_t at = 0; at < samples.values.size(); at += kStep) {
    const auto part = std::span{samples.values}.subspan(at);
    const auto size = std::min(part.size(), kStep);
    const auto frames = static_cast<std::int64_t>(at / media::kAudioChannels);
    messages.push_back(
        {.samples = {.pts = samples.pts + frames * base::Duration{1s} / media::kAudioRate,
                     .values = {part.begin(), part.begin() + size}},
         .captured = captured});
  }
  return messages;
}

std::vector<std::uint8_t> encode(FromChild message) {
  if (auto* const picture = std::get_if<Picture>(&message)) bound_shape(picture->format);
  return encode_fields(std::move(message), kFields);
}

std::vector<std::uint8_t> encode(FromDaemon message) {
  auto bytes = encode_fields(std::move(message), kFields);
  if (bytes.size() > kMaxMessage) throw std::length_error{"start: folders"};
  return bytes;
}

base::Result<FromChild> decode_from_child(std::span<const std::uint8_t> bytes,
                                          const RingLayout& ring) {
  auto message = decode_fields<FromChild>(bytes, kFields);
  if (!message) return message;
  if (const auto* const picture = std::get_if<Picture>(&*message)) {
    auto objection = ring.objection(picture->slot, picture->format);
    if (!objection.empty()) return base::Error{std::move(objection)};
  }
  return message;
}

base::Result<FromDaemon> decode_from_daemon(std::span<const std::uint8_t> bytes) {
  return decode_fields<FromDaemon>(bytes, kFields);
}

void settle_times(FromChild& message, base::Time now) {
  const auto settle = [now](base::Time& captured) {
    captured = std::clamp(captured, now - kMaxAge, now);
  };
  if (auto* const picture = std::get_if<Picture>(&message)) settle(picture->captured);
  if (auto* const audio = std::get_if<Audio>(&message)) settle(audio->captured);
  if (auto* const gap = std::get_if<Gap>(&message))
    gap->until = std::min(gap->until, now + kMaxGap);
  if (auto* const report = std::get_if<Report>(&message)) {
    auto& data = report->report.data;
    if (data) data = std::min(*data, now);
  }
}

}  // namespace transcoder::wire
