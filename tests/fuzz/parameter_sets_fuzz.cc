#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/target.h"
#include "media/h264.h"
#include "transcoder/encode/frame_numbers.h"
#include "transcoder/gst/reorder_delay.h"

// A byte stream of H.264 (Annex B), as encoders and sources make it.

namespace {

using Bytes = std::span<const std::uint8_t>;
using Unit = std::vector<std::uint8_t>;

constexpr Unit::value_type kStartCode[] = {0, 0, 1};

/// A decoder would take these for a start code, or reject them (7.4.1).
bool looks_like_a_start_code(Bytes unit) {
  int zeros = 0;
  for (const auto byte : unit) {
    if (zeros >= 2 && byte <= 2) return true;
    zeros = byte == 0 ? zeros + 1 : 0;
  }
  return false;
}

void check_units(Bytes stream, const std::vector<Bytes>& units) {
  std::size_t size = 0;
  const std::uint8_t* end = stream.data();
  for (const auto unit : units) {
    CHECK(!unit.empty() && unit.back() != 0, unit.size());
    CHECK(unit.data() >= end && unit.data() + unit.size() <= stream.data() + stream.size());
    CHECK(std::ranges::search(unit, kStartCode).empty(), unit.size());
    end = unit.data() + unit.size();
    size += 4 + unit.size();
  }
  Unit with_lengths;
  media::h264::append_with_lengths(with_lengths, stream);
  CHECK(with_lengths.size() == size, with_lengths.size(), size);
}

Unit with_start_code(Bytes unit) {
  Unit out(std::size(kStartCode) + unit.size());
  const auto begin = std::ranges::copy(kStartCode, out.begin()).out;
  std::ranges::copy(unit, begin);
  return out;
}

/// nullopt if the unit cannot be read.
template <typename Rewrite>
std::optional<Unit> rewritten(Bytes unit, Rewrite rewrite) {
  try {
    return rewrite(with_start_code(unit));
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
}

void check_rewritten(const Unit& out, Bytes in) {
  CHECK(out.size() <= 2 * in.size() + 8, out.size(), in.size());
  CHECK(std::equal(std::begin(kStartCode), std::end(kStartCode), out.begin()));
  CHECK(!looks_like_a_start_code(Bytes{out}.subspan(3)), out.size());
}

void check_rewriting(const std::vector<Bytes>& units) {
  constexpr int kSlice = 1, kIdrSlice = 5, kSequence = 7;
  transcoder::FrameNumbers numbers;
  std::uint64_t number = 0;
  for (const auto unit : units) {
    const int type = unit.front() & 31;
    std::optional<Unit> out;
    if (type == kSequence) {
      out = rewritten(unit, [&](const Unit& nal) { return numbers.sequence(nal); });
      CHECK(numbers.period() >= 1U << 12 && numbers.period() <= 1U << 24, numbers.period());
    } else if (type == kSlice || type == kIdrSlice) {
      out = rewritten(unit, [&](const Unit& nal) { return numbers.slice(nal, number); });
      number = number * 3 + 1;
    }
    if (out) check_rewritten(*out, unit);
  }
}

void check_delay(std::optional<int> delay) { CHECK(!delay || *delay >= 0, *delay); }

}  // namespace

FUZZ_TARGET(parameter_sets) {
  const auto text = input.rest();
  const Bytes stream{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  const auto units = media::h264::nal_units(stream);
  check_units(stream, units);
  check_rewriting(units);
  check_delay(transcoder::h264_reorder_delay(stream));
  check_delay(transcoder::mpeg4_reorder_delay(stream));
}
