#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace transcoder {

/// Rewrites x264's NAL units.
///
/// It leaves out the frame rate (timing_info of the VUI): x264 writes the nominal one as fixed, but
/// sources have others, and frames are skipped. Receivers use the timestamps instead.
///
/// It makes that frames may be missing from the stream if no later frame refers to them (ITU-T
/// H.264 7.4.3, 8.2.5.2). x264's output does not allow that for two reasons:
/// - gaps_in_frame_num_value_allowed_flag is 0, so a decoder may treat a gap as an error. It is set
///   to 1.
/// - frame_num has 4 or 5 bits and wraps within many gaps, after which FFmpeg misorders 16 frames.
///   It gets 8 more bits, a whole byte, so the bits after it move without being changed.
/// NAL units are as in Annex B, with their start codes. Units that cannot be read throw
/// std::out_of_range. No I/O, no clock.
class FrameNumbers {
 public:
  /// Rewrites a sequence parameter set; call it before the slices that use it. REQUIRES: no scaling
  /// matrix, and every frame is a reference frame, as from x264 without B-frames.
  std::vector<std::uint8_t> sequence(std::span<const std::uint8_t> nal);

  /// Rewrites a slice of the frame that is `number` frames after its IDR frame.
  std::vector<std::uint8_t> slice(std::span<const std::uint8_t> nal, std::uint64_t number) const;

  /// The period of frame_num; no gap may extend over a multiple of it.
  std::uint64_t period() const { return std::uint64_t{1} << (bits_ + kExtraBits); }

 private:
  /// Bits added to frame_num: a whole byte. frame_num may have 16 bits at most (7.4.2.1.1).
  static constexpr unsigned kExtraBits = 8;

  unsigned bits_ = 4;  ///< of frame_num as x264 writes it
};

}  // namespace transcoder
