#pragma once

#include <optional>

#include "base/units.h"

namespace transcoder {

/// Which quantiser an MPEG-2 picture is coded with, so that it fits into its room: from what the
/// last one of its kind took, coarser in proportion, finer with care, for a finer one that does
/// not fit is coded for nothing.
///
///   ratio = 0.95 * room / bits of the last
///   scale = its scale / ratio                            where ratio < 1
///           its scale * max(3/4, 1 / cube root of ratio)  otherwise
///
/// and never finer than `crf` asks. A still picture may have nothing between what shows no change
/// and what codes all of it again, which does not fit: then nothing finer is tried for 30
/// pictures, or until there is more room.
///
/// Scales are quantiser_scale of ISO/IEC 13818-2, the non-linear one (table 7-6), from 1 to 112;
/// codes are what the stream holds for them, from 1 to 31. Pure.
class QuantiserControl {
 public:
  enum class Kind {
    kNew,        ///< a keyframe, or the first picture of a scene: little can be predicted
    kPredicted,  ///< any other
  };

  /// The coarsest code that choose() returns: libavcodec begins with none above it.
  static constexpr int kCoarsest = 28;

  /// `crf` (1 to 51) is on x264's scale: the quantiser step of its QP of this number, 1.4 times
  /// finer in new pictures, as x264 has it. `pixels`: luma samples.
  QuantiserControl(double crf, int pixels);

  /// The code for a picture that may take `room`; call once per picture.
  int choose(Kind kind, base::ByteCount room);

  /// That picture took `size`, with `code` in the end.
  void coded(Kind kind, int code, base::ByteCount size);

 private:
  struct Coded {
    double scale;
    double bits;
  };

  Coded last_of(Kind kind) const;
  bool may_be_finer(Kind kind);

  const double finest_new_;        ///< scale
  const double finest_predicted_;  ///< scale
  const Coded guess_;              ///< of a picture of which nothing is known
  std::optional<Coded> new_;       ///< the last one
  std::optional<Coded> predicted_;
  double room_in_vain_ = 0;  ///< bits into which nothing finer fitted
  int tried_ = 0;            ///< code that the picture began with
  double room_ = 0;          ///< bits that it may take
  int nothing_finer_ = 0;    ///< predicted pictures for which nothing finer is tried
};

}  // namespace transcoder
