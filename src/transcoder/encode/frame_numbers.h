#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace transcoder {

/// Rewrites x264's NAL units so that pictures which nothing refers to may be missing (ITU-T H.264
/// 7.4.3, 8.2.5.2). Two things of x264's are in the way: gaps_in_frame_num_value_allowed_flag is 0,
/// so that a decoder may take a gap for an error; and frame_num has 4 or 5 bits, so that it wraps
/// within many a gap, where FFmpeg loses the order of output for 16 pictures. So the flag is set,
/// and frame_num has 8 bits more: a whole byte, by which all that follows is moved as it is.
/// NAL units are as in Annex B, start code first. Pure.
class FrameNumbers {
 public:
  /// A sequence parameter set; call before the slices that need it. REQUIRES: no scaling matrix,
  /// and a reference picture in every picture, as x264 has it without B pictures.
  std::vector<std::uint8_t> sequence(std::span<const std::uint8_t> nal);

  /// A slice of the picture that came `number` pictures after its IDR picture.
  std::vector<std::uint8_t> slice(std::span<const std::uint8_t> nal, std::uint64_t number) const;

  /// Where numbers wrap: no gap may reach over a multiple of it.
  std::uint64_t period() const { return std::uint64_t{1} << (bits_ + kMoreBits); }

 private:
  static constexpr unsigned kMoreBits = 8;

  unsigned bits_ = 4;  ///< of frame_num as x264 writes it
};

}  // namespace transcoder
