#pragma once

#include <optional>

#include "base/units.h"

namespace transcoder {

/// Chooses the quantiser of each MPEG-2 frame from the size of the last frame of its kind, so that
/// the frame fits its budget. It coarsens in proportion but refines cautiously, because a frame
/// that turns out too large has to be encoded again.
///
///   ratio = 0.95 * room / bits of the last frame
///   scale = its scale / ratio                             if ratio < 1
///           its scale * max(3/4, 1 / cube root of ratio)  otherwise
///
/// Never finer than `crf` asks. A still picture may have no step between a scale that shows no
/// change and one that encodes everything again and does not fit. Then nothing finer is attempted
/// for 30 frames, or until there is more room.
///
/// Scales are the non-linear quantiser_scale of ISO/IEC 13818-2 (table 7-6), from 1 to 112. Codes
/// are their values in the stream, from 1 to 31. No I/O, no clock.
class QuantiserControl {
 public:
  enum class Kind {
    kNew,        ///< a keyframe or the first frame of a scene: little can be predicted
    kPredicted,  ///< any other frame
  };

  /// The coarsest code that choose() returns: libavcodec begins with none above it.
  static constexpr int kCoarsestCode = 28;

  /// `crf` (1 to 51) is a QP of x264's scale and sets the finest quantiser step; as in x264, new
  /// frames may be 1.4 times finer. `pixels`: luma samples per frame.
  QuantiserControl(double crf, int pixels);

  /// The code for a frame that may take `room`; call once per frame.
  int choose(Kind kind, base::ByteCount room);

  /// Reports the final `code` and `size` of the frame of the last choose().
  void coded(Kind kind, int code, base::ByteCount size);

 private:
  struct Coded {
    double scale;
    double bits;
  };

  Coded last_of(Kind kind) const;
  bool may_be_finer(Kind kind);

  const double finest_new_;         ///< scale
  const double finest_predicted_;   ///< scale
  const Coded guess_;               ///< used before the first frame of a kind
  std::optional<Coded> new_;        ///< the last new frame
  std::optional<Coded> predicted_;  ///< the last predicted frame
  double failed_room_ = 0;          ///< bits into which nothing finer fitted
  int tried_ = 0;                   ///< code of the frame's first attempt
  double room_ = 0;                 ///< limit of the frame in bits
  int pause_ = 0;                   ///< predicted frames until something finer is attempted
};

}  // namespace transcoder
