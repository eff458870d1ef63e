#include "transcoder/gst/reorder_delay.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace transcoder {

namespace {

using Bytes = std::span<const std::uint8_t>;

/// Reads bits; 0 beyond the end.
class Bits {
 public:
  explicit Bits(Bytes bytes) : bytes_{bytes} {}

  int take(int count) {
    std::uint32_t result = 0;
    for (; count > 0; --count, ++at_) {
      const auto byte = at_ / 8 < bytes_.size() ? bytes_[at_ / 8] : 0U;
      result = result << 1 | (byte >> (7 - at_ % 8) & 1U);
    }
    return static_cast<int>(result);
  }

  bool flag() { return take(1) != 0; }

  /// ue(v): ISO/IEC 14496-10, 9.1.
  int code() {
    int zeros = 0;
    while (zeros < kMaxZeros && !flag()) ++zeros;
    return (1 << zeros) - 1 + take(zeros);
  }

  /// se(v): odd codes are positive values, even ones are not.
  int signed_code() {
    const int value = code();
    return value % 2 != 0 ? (value + 1) / 2 : -(value / 2);
  }

  void skip_codes(int count) {
    for (; count > 0; --count) code();
  }

 private:
  static constexpr int kMaxZeros = 30;  // longer codes exceed an int, and do not occur

  const Bytes bytes_;
  std::size_t at_ = 0;
};

/// The bytes after the first start code whose next byte `wanted` accepts, that byte first.
template <typename Wanted>
Bytes find_unit(Bytes bytes, Wanted wanted) {
  constexpr std::string_view kPrefix{"\0\0\1", 3};
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  for (auto at = text.find(kPrefix); at != std::string_view::npos && at + 4 < text.size();
       at = text.find(kPrefix, at + 1)) {
    if (wanted(bytes[at + 3])) return bytes.subspan(at + 3);
  }
  return {};
}

/// `low_delay` is 0 if there may be B pictures.
std::optional<int> layer_delay(Bits layer) {
  constexpr int kExtendedAspect = 15;
  layer.take(1 + 8);                    // random access, object type
  if (layer.flag()) layer.take(4 + 3);  // version and priority
  if (layer.take(4) == kExtendedAspect) layer.take(8 + 8);
  if (!layer.flag()) return std::nullopt;  // no vol_control_parameters
  layer.take(2);                           // chroma format
  return layer.flag() ? 0 : 1;
}

/// Without the bytes that keep start codes out of it (7.4.1.1).
std::vector<std::uint8_t> unescaped(Bytes unit) {
  constexpr std::size_t kMaxSet = 512;  // those of encoders have less than 100 bytes
  std::vector<std::uint8_t> result;
  int zeros = 0;
  for (const auto byte : unit.first(std::min(unit.size(), kMaxSet))) {
    const bool escape = zeros >= 2 && byte == 3;
    if (!escape) result.push_back(byte);
    zeros = byte == 0 ? zeros + 1 : 0;
  }
  return result;
}

/// 7.3.2.1.1.1.
void skip_scaling_list(Bits& set, int size) {
  int last = 8;
  for (int i = 0, next = 8; i < size && next != 0; ++i) {
    next = (last + set.signed_code() + 256) % 256;
    if (next != 0) last = next;
  }
}

void skip_chroma(Bits& set) {
  constexpr int kAllSamples = 3;
  const int format = set.code();
  if (format == kAllSamples) set.flag();
  set.skip_codes(2);        // bit depths
  set.flag();               // qpprime_y_zero_transform_bypass
  if (!set.flag()) return;  // no scaling matrix
  for (int i = 0; i < (format == kAllSamples ? 12 : 8); ++i) {
    if (set.flag()) skip_scaling_list(set, i < 6 ? 16 : 64);
  }
}

/// Returns pic_order_cnt_type.
int skip_order_count(Bits& set) {
  const int type = set.code();
  if (type == 0) set.code();
  if (type == 1) {
    set.flag();
    set.skip_codes(2);
    set.skip_codes(std::min(set.code(), 255));
  }
  return type;
}

/// E.1.2.
void skip_decoder_model(Bits& set) {
  const int count = std::min(set.code(), 31) + 1;
  set.take(4 + 4);
  for (int i = 0; i < count; ++i) {
    set.skip_codes(2);
    set.flag();
  }
  set.take(5 + 5 + 5 + 5);
}

/// max_num_reorder_frames (E.1.1).
std::optional<int> usable_delay(Bits& set) {
  constexpr int kExtendedSample = 255;
  if (set.flag() && set.take(8) == kExtendedSample) set.take(32);
  if (set.flag()) set.flag();  // overscan
  if (set.flag()) {
    set.take(3 + 1);               // signal type
    if (set.flag()) set.take(24);  // colours
  }
  if (set.flag()) set.skip_codes(2);  // chroma location
  if (set.flag()) {                   // timing
    set.take(32);
    set.take(32);
    set.flag();
  }
  const bool by_unit = set.flag();
  if (by_unit) skip_decoder_model(set);
  const bool by_slice = set.flag();
  if (by_slice) skip_decoder_model(set);
  if (by_unit || by_slice) set.flag();
  set.flag();  // pic_struct
  if (!set.flag()) return std::nullopt;
  set.flag();
  set.skip_codes(4);
  return set.code();
}

bool has_chroma_format(int profile) {
  constexpr int kProfiles[] = {44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244};
  return std::ranges::find(kProfiles, profile) != std::end(kProfiles);
}

}  // namespace

std::optional<int> mpeg4_reorder_delay(std::span<const std::uint8_t> bytes) {
  constexpr std::uint8_t kFirstLayer = 0x20;
  constexpr std::uint8_t kLastLayer = 0x2f;
  const auto layer =
      find_unit(bytes, [](int code) { return code >= kFirstLayer && code <= kLastLayer; });
  return layer.empty() ? std::nullopt : layer_delay(Bits{layer.subspan(1)});
}

std::optional<int> h264_reorder_delay(std::span<const std::uint8_t> bytes) {
  constexpr int kSequenceSet = 7;
  constexpr int kBaseline = 66;
  constexpr int kDecodingOrder = 2;  // pic_order_cnt_type
  constexpr int kMaxPictures = 16;   // A.3.1: MaxDpbFrames
  const auto unit =
      unescaped(find_unit(bytes, [](int code) { return (code & 0x1f) == kSequenceSet; }));
  if (unit.empty()) return std::nullopt;
  Bits set{Bytes{unit}.subspan(1)};
  const int profile = set.take(8);
  set.take(8 + 8);  // constraints, level
  set.code();       // number of the set
  if (has_chroma_format(profile)) skip_chroma(set);
  set.code();  // log2_max_frame_num
  const int order = skip_order_count(set);
  set.code();                         // reference pictures
  set.flag();                         // gaps in frame numbers
  set.skip_codes(2);                  // size
  if (!set.flag()) set.flag();        // fields
  set.flag();                         // direct_8x8_inference
  if (set.flag()) set.skip_codes(4);  // cropping
  const auto said = set.flag() ? usable_delay(set) : std::nullopt;
  if (said && *said <= kMaxPictures) return said;
  return profile == kBaseline || order == kDecodingOrder ? std::optional{0} : std::nullopt;
}

}  // namespace transcoder
