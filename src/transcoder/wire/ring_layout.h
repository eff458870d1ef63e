#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "media/frame.h"
#include "transcoder/settings.h"

namespace transcoder::wire {

constexpr std::size_t round_up(std::size_t size, std::size_t step) {
  return (size + step - 1) / step * step;
}

/// Where the planes of an I420 picture lie in its slot.
struct PlaneLayout {
  std::array<std::size_t, 3> offset{};  ///< bytes from the start of the slot
  std::array<int, 3> stride{};          ///< bytes
  std::size_t size = 0;                 ///< bytes that the picture takes
};

constexpr PlaneLayout plane_layout(int width, int height) {
  constexpr std::size_t kRowStep = 64;  // a cache line, and the longest vector of a CPU
  // Loops over whole vectors may read beyond the last row, as libav's do
  // (AV_INPUT_BUFFER_PADDING_SIZE).
  constexpr std::size_t kReadBeyond = 64;
  const auto stride = round_up(static_cast<std::size_t>(width), kRowStep);
  const auto rows = static_cast<std::size_t>(height);
  const auto luma = stride * rows;
  const auto chroma = stride / 2 * ((rows + 1) / 2);
  const int chroma_stride = static_cast<int>(stride / 2);
  return {.offset = {0, luma, luma + chroma},
          .stride = {static_cast<int>(stride), chroma_stride, chroma_stride},
          .size = luma + 2 * chroma + kReadBeyond};
}

/// The memory that the daemon shares with a child: a page of generations (ring.h), then slots of
/// one size. Both sides compute it from the settings, so neither sends an offset or a stride.
class RingLayout {
 public:
  /// At a time, the daemon holds 30 early pictures (IngestOutput), 3 per encode group and the
  /// newest one; the child holds its next one. A lack of slots only loses pictures.
  static constexpr std::size_t kMaxSlots = 40;
  /// Two encode groups, whatever the size.
  static constexpr std::size_t kMinSlots = 8;
  /// Bytes that large slots may take together, if they are not too few: 21 pictures of 4K.
  static constexpr std::size_t kWantedSize = 256UL << 20;
  static constexpr std::size_t kPage = 4096;  ///< bytes; the smallest of any CPU

  constexpr explicit RingLayout(const VideoSettings& limits)
      : max_width_{limits.max_width},
        max_height_{limits.max_height},
        slot_size_{round_up(std::max(plane_layout(max_width_, max_height_).size,
                                     plane_layout(max_height_, max_width_).size),
                            kPage)},
        slots_{std::clamp(kWantedSize / slot_size_, kMinSlots, kMaxSlots)} {}

  constexpr std::size_t slots() const { return slots_; }
  constexpr std::size_t size() const { return slot_offset(slots_); }
  constexpr std::size_t slot_size() const { return slot_size_; }
  constexpr std::size_t slot_offset(std::size_t slot) const { return kPage + slot * slot_size_; }

  /// Whether a picture of this size may be in a slot. Upright pictures exchange the limits
  /// (limits_for), so either way round will do.
  constexpr bool fits(int width, int height) const {
    const bool even = width % 2 == 0 && height % 2 == 0;
    const auto within = [](int w, int h, int max_w, int max_h) { return w <= max_w && h <= max_h; };
    return even && width >= 2 && height >= 2 &&
           (within(width, height, max_width_, max_height_) ||
            within(width, height, max_height_, max_width_));
  }

  /// Why a picture of this format cannot be in this slot: "picture 9000x20". Empty if it can.
  std::string objection(std::size_t slot, const media::PictureFormat& format) const;

 private:
  int max_width_;
  int max_height_;
  std::size_t slot_size_;
  std::size_t slots_;
};

}  // namespace transcoder::wire
