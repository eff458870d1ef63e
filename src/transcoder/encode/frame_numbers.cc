#include "transcoder/encode/frame_numbers.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "transcoder/encode/bits.h"

namespace transcoder {

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t kEmulationPreventionByte = 3;  // ITU-T H.264, 7.4.1
constexpr unsigned kMaxBits = 16;                     // of frame_num, 7.4.2.1.1
constexpr unsigned kHighProfileIdc = 100;             // from here on the SPS has chroma fields

/// Copies codes from one NAL unit to another.
struct Copier {
  BitReader from;
  BitWriter to{};

  unsigned bits(unsigned count) {
    const unsigned value = from.read(count);
    to.write(value, count);
    return value;
  }
  unsigned ue() {
    const unsigned value = from.read_ue();
    to.write_ue(value);
    return value;
  }
};

Bytes unescape(std::span<const std::uint8_t> bytes) {
  Bytes out;
  out.reserve(bytes.size() + 1);
  int zeros = 0;
  for (const auto byte : bytes) {
    const bool escape = zeros >= 2 && byte == kEmulationPreventionByte;
    zeros = byte == 0 ? zeros + 1 : 0;
    if (!escape) out.push_back(byte);
  }
  return out;
}

void append_escaped(Bytes& out, const Bytes& bytes) {
  int zeros = 0;
  for (const auto byte : bytes) {
    if (zeros >= 2 && byte <= kEmulationPreventionByte) {
      out.push_back(kEmulationPreventionByte);
      zeros = 0;
    }
    zeros = byte == 0 ? zeros + 1 : 0;
    out.push_back(byte);
  }
}

std::size_t start_code_size(std::span<const std::uint8_t> nal) {
  const auto one = std::ranges::find(nal, 1);
  if (one == nal.end()) throw std::out_of_range{"a NAL unit without a start code"};
  return static_cast<std::size_t>(one - nal.begin()) + 1;
}

/// Copies the fields from pic_width_in_mbs_minus1 to vui_parameters_present_flag (7.3.2.1.1).
/// Returns the flag.
bool copy_picture_size(Copier& copy) {
  copy.ue();                            // pic_width_in_mbs_minus1
  copy.ue();                            // pic_height_in_map_units_minus1
  if (copy.bits(1) == 0) copy.bits(1);  // frame_mbs_only_flag, mb_adaptive_frame_field_flag
  copy.bits(1);                         // direct_8x8_inference_flag
  if (copy.bits(1) == 1) {              // frame_cropping_flag
    for (int side = 0; side < 4; ++side) copy.ue();
  }
  return copy.bits(1) == 1;
}

/// Copies the VUI (E.1.1) up to its timing, which it leaves out.
void copy_appearance_without_timing(Copier& copy) {
  constexpr unsigned kExtendedSar = 255;
  if (copy.bits(1) == 1 && copy.bits(8) == kExtendedSar) copy.bits(32);  // aspect ratio
  if (copy.bits(1) == 1) copy.bits(1);                                   // overscan
  if (copy.bits(1) == 1) {                                               // video_signal_type
    copy.bits(4);                          // video_format, video_full_range_flag
    if (copy.bits(1) == 1) copy.bits(24);  // primaries, transfer, matrix
  }
  if (copy.bits(1) == 1) {  // chroma_loc_info
    copy.ue();
    copy.ue();
  }
  // timing_info_present_flag; num_units_in_tick, time_scale, fixed_frame_rate_flag
  if (copy.from.read(1) == 1) {
    copy.from.read(32);
    copy.from.read(32);
    copy.from.read(1);
  }
  copy.to.write(0, 1);
}

/// Copies the remaining bits up to and including the stop bit. The bits after it are zeros in both
/// units.
void copy_rest(Copier& copy, const Bytes& bytes) {
  const auto unused = static_cast<std::size_t>(std::countr_zero(bytes.back()));
  while (copy.from.left() > unused) copy.bits(1);
}

}  // namespace

std::vector<std::uint8_t> FrameNumbers::sequence(std::span<const std::uint8_t> nal) {
  const std::size_t start = start_code_size(nal);
  const Bytes bytes = unescape(nal.subspan(start));
  Copier copy{BitReader{bytes}};
  copy.bits(8);  // NAL unit header
  const unsigned profile = copy.bits(8);
  copy.bits(16);  // constraints, level
  copy.ue();      // seq_parameter_set_id
  if (profile >= kHighProfileIdc) {
    copy.ue();     // chroma_format_idc
    copy.ue();     // bit_depth_luma_minus8
    copy.ue();     // bit_depth_chroma_minus8
    copy.bits(2);  // qpprime_y_zero_transform_bypass_flag, seq_scaling_matrix_present_flag
  }
  const unsigned above_four = copy.from.read_ue();  // log2_max_frame_num_minus4
  if (above_four > kMaxBits - 4) throw std::out_of_range{"a frame_num of more than 16 bits"};
  bits_ = above_four + 4;
  copy.to.write_ue(bits_ + kExtraBits - 4);
  if (copy.ue() == 0) copy.ue();  // pic_order_cnt_type, log2_max_pic_order_cnt_lsb_minus4
  copy.ue();                      // max_num_ref_frames
  copy.from.read(1);              // gaps_in_frame_num_value_allowed_flag
  copy.to.write(1, 1);
  if (copy_picture_size(copy)) copy_appearance_without_timing(copy);
  copy_rest(copy, bytes);
  Bytes out{nal.begin(), nal.begin() + static_cast<std::ptrdiff_t>(start)};
  append_escaped(out, copy.to.take());
  return out;
}

std::vector<std::uint8_t> FrameNumbers::slice(std::span<const std::uint8_t> nal,
                                              std::uint64_t number) const {
  const std::size_t start = start_code_size(nal);
  Bytes bytes = unescape(nal.subspan(start));
  BitReader header{bytes};
  header.read(8);    // NAL unit header
  header.read_ue();  // first_mb_in_slice
  header.read_ue();  // slice_type
  header.read_ue();  // pic_parameter_set_id
  const auto split = static_cast<std::ptrdiff_t>(header.at() / 8);
  const auto before = static_cast<unsigned>(header.at() % 8);  // bits of that byte before frame_num
  const unsigned old = bytes[static_cast<std::size_t>(split)];
  const auto high = static_cast<unsigned>(number >> bits_) & ((1U << kExtraBits) - 1);
  const unsigned kept = old & ~(0xffU >> before);
  const unsigned two = kept << 8 | high << (8 - before) | (old & (0xffU >> before));
  bytes[static_cast<std::size_t>(split)] = static_cast<std::uint8_t>(two >> 8);
  bytes.insert(bytes.begin() + split + 1, static_cast<std::uint8_t>(two));
  Bytes out{nal.begin(), nal.begin() + static_cast<std::ptrdiff_t>(start)};
  out.reserve(bytes.size() + bytes.size() / 64);
  append_escaped(out, bytes);
  return out;
}

}  // namespace transcoder
