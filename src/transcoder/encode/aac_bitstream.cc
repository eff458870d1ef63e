#include "transcoder/encode/aac_bitstream.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <stdexcept>

#include "transcoder/encode/bits.h"

// A raw frame (ISO/IEC 14496-3, 4.4.2.1) of one channel, and of a pair with common windows:
//
//   id  tag     gain 8  ics_info                    sections, factors, spectrum    END
//   id  tag  1          ics_info  ms_mask  gain 8   sections, factors, spectrum
//                                          gain 8   sections, ...                  END

namespace transcoder {

namespace {

using media::AudioWindow;

constexpr unsigned kIdBits = 3;
constexpr unsigned kTagBits = 4;
constexpr unsigned kGainBits = 8;
constexpr unsigned kChannel = 0;  // id_syn_ele, table 4.85
constexpr unsigned kPair = 1;
constexpr unsigned kEnd = 7;

constexpr unsigned kLongStart = 1;  // window_sequence, table 4.109
constexpr unsigned kEightShort = 2;
constexpr unsigned kAllBands = 2;  // ms_mask_present

/// ics_info, without prediction (table 4.6).
struct WindowInfo {
  unsigned sequence = 0;
  unsigned shape = 0;
  unsigned bands = 0;     ///< max_sfb
  unsigned grouping = 0;  ///< scale_factor_grouping

  bool is_short() const { return sequence == kEightShort; }
  unsigned band_bits() const { return is_short() ? 4 : 6; }
  /// scale_factor_grouping, or predictor_data_present.
  unsigned last_bits() const { return is_short() ? 7 : 1; }
  /// A 0 in the grouping begins a new group.
  int groups() const { return is_short() ? 8 - std::popcount(grouping) : 1; }
};

WindowInfo read_window(BitReader& from) {
  WindowInfo info;
  from.read(1);  // reserved
  info.sequence = from.read(2);
  info.shape = from.read(1);
  info.bands = from.read(info.band_bits());
  info.grouping = from.read(info.last_bits());
  return info;
}

void write_window(BitWriter& to, const WindowInfo& info) {
  to.write(0, 1);
  to.write(info.sequence, 2);
  to.write(info.shape, 1);
  to.write(info.bands, info.band_bits());
  to.write(info.grouping, info.last_bits());
}

/// The position of END, which only zeros of the last byte follow.
std::size_t end_of(std::span<const std::uint8_t> frame) {
  auto size = frame.size();
  while (size > 0 && frame[size - 1] == 0) --size;
  if (size == 0) return 0;
  const auto bits = 8 * size - static_cast<std::size_t>(std::countr_zero(frame[size - 1]));
  return bits - std::min<std::size_t>(bits, kIdBits);
}

/// A channel's stream in which all bands are zero.
void write_silence(BitWriter& to, const WindowInfo& info) {
  constexpr unsigned kZeros = 0;  // section codebook
  const unsigned length_bits = info.is_short() ? 3 : 5;
  const unsigned escape = (1U << length_bits) - 1;
  to.write(0, kGainBits);
  for (int group = 0; group < info.groups() && info.bands > 0; ++group) {
    to.write(kZeros, 4);
    auto left = info.bands;
    for (; left >= escape; left -= escape) to.write(escape, length_bits);
    to.write(left, length_bits);
  }
  to.write(0, 3);  // no pulses, no TNS, no gain control
}

AudioWindow window_of(const WindowInfo& info) {
  const bool sine = info.shape == 0;
  if (info.is_short() || info.sequence == kLongStart) {
    return sine ? AudioWindow::kShortSine : AudioWindow::kShortKbd;
  }
  return sine ? AudioWindow::kLongSine : AudioWindow::kLongKbd;
}

}  // namespace

AudioWindow aac_window(std::span<const std::uint8_t> frame) {
  try {
    BitReader from{frame};
    const auto id = from.read(kIdBits);
    from.read(kTagBits);
    if (id == kChannel) {
      from.read(kGainBits);
    } else if (id != kPair || from.read(1) == 0) {  // common_window
      return AudioWindow::kUnknown;
    }
    return window_of(read_window(from));
  } catch (const std::out_of_range&) {
    return AudioWindow::kUnknown;
  }
}

std::optional<std::vector<std::uint8_t>> aac_pair(std::span<const std::uint8_t> mono) {
  try {
    const auto end = end_of(mono);
    BitReader from{mono};
    BitWriter to;
    if (from.read(kIdBits) != kChannel) return std::nullopt;
    to.write(kPair, kIdBits);
    to.write(from.read(kTagBits), kTagBits);
    to.write(1, 1);  // common_window
    const auto gain = from.read(kGainBits);
    const auto info = read_window(from);
    write_window(to, info);
    to.write(kAllBands, 2);
    to.write(gain, kGainBits);
    while (from.at() < end) to.write(from.read(1), 1);
    if (from.read(kIdBits) != kEnd) return std::nullopt;
    write_silence(to, info);
    to.write(kEnd, kIdBits);
    return to.take();
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
}

}  // namespace transcoder
