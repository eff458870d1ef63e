#include <algorithm>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/target.h"
#include "transcoder/wire/access_message.h"
#include "transcoder/wire/message.h"

// A message between the server and the process of a source: its first byte selects the direction.

namespace {

using namespace transcoder::wire;
using Bytes = std::span<const std::uint8_t>;

const transcoder::VideoSettings kLimits{.max_width = 640, .max_height = 360};
const RingLayout kLayout{kLimits};

template <typename Message>
void check_same(const Message& message, Bytes bytes) {
  const auto encoded = encode(message);
  CHECK(std::ranges::equal(encoded, bytes), encoded.size(), bytes.size());
  CHECK(encoded.size() <= kMaxMessage, encoded.size());
}

bool printable(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c >= ' ' && c != 0x7f; });
}

void check_values(const Picture& picture) {
  const auto& [width, height] = std::pair{picture.format.width, picture.format.height};
  CHECK(picture.slot < kLayout.slots(), picture.slot);
  CHECK(kLayout.fits(width, height), width, height);
  CHECK(kLayout.objection(picture.slot, picture.format).empty());
}

void check_values(const Audio& audio) {
  CHECK(!audio.samples.values.empty() && audio.samples.values.size() % 2 == 0);
  for (const float value : audio.samples.values) CHECK(value >= -8 && value <= 8, value);
}

void check_values(const Report& message) {
  const auto& report = message.report;
  CHECK(report.wait >= base::Duration{0}, report.wait.count());
  CHECK(printable(report.video_codec) && printable(report.audio_codec), report.video_codec);
  for (const auto& [trouble, detail] : report.troubles) CHECK(printable(detail), detail);
}

void check_values(const Note& note) {
  CHECK(note.texts.size() <= kMaxNoteTexts, note.texts.size());
  for (const auto& text : note.texts) CHECK(printable(text), text);
}

void check_values(const End& message) { CHECK(printable(message.end.reason), message.end.reason); }

template <typename Message>
void check_values(const Message&) {}

/// Settled times are as far from the present as an honest process's may be, and stay where they
/// are.
void check_settled(FromChild message) {
  const base::Time now{std::chrono::hours{1}};
  settle_times(message, now);
  const auto once = encode(message);
  settle_times(message, now);
  CHECK(encode(message) == once, message.index());
}

}  // namespace

FUZZ_TARGET(ingest_wire) {
  const auto direction = input.take<std::uint8_t>() % 4;
  const auto text = input.rest();
  const Bytes bytes{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  if (direction == 0) {
    if (const auto message = decode_from_child(bytes, kLayout)) {
      std::visit([](const auto& m) { check_values(m); }, *message);
      check_same(*message, bytes);
      check_settled(*message);
    }
  } else if (direction == 1) {
    if (const auto message = decode_from_daemon(bytes)) check_same(*message, bytes);
  } else if (direction == 2) {
    if (const auto message = decode_access_request(bytes)) check_same(*message, bytes);
  } else if (const auto message = decode_access_answer(bytes)) {
    check_same(*message, bytes);
  }
}
