#pragma once

#include <array>

#include "media/frame.h"

namespace transcoder {

/// Y', Cb and Cr as code values.
using ColourCode = std::array<double, 3>;

/// Whether pictures of this colour have to be converted for BT.709 screens: PQ or HLG, or primaries
/// wider than those of BT.709 (BT.2020, P3-D65). A pure function.
bool is_wide_colour(const media::Colour& colour);

/// The luminance in cd/m² of the brightest pixel, if the source does not say: the nominal peak of
/// HLG (BT.2100-2, table 5), and of the displays that most PQ material was graded on.
inline constexpr double kNominalPeak = 1000;

/// Converts colours of 10 bits to BT.709 with 8 bits and limited range, for display as BT.1886
/// says:
///
///   Y'CbCr -> R'G'B'       by the matrix and range of the source
///   R'G'B' -> light        PQ: EOTF (BT.2100-2, table 4). HLG: inverse OETF and OOTF for 1000
///   cd/m²
///                          (table 5). Others: gamma 2.4 (BT.1886)
///   light -> tone-mapped   PQ and HLG: EETF (BT.2390-10, 5.4.1) from the peak of the source to
///                          203 cd/m², the reference white of HDR (BT.2408-5, 2.2), which becomes
///                          the white of SDR. It is applied to the largest of R, G and B, and all
///                          three are scaled alike, so that hues stay
///   -> BT.709              linear matrix, and values outside are clipped (BT.2407-0, 2)
///   -> R'G'B' -> Y'CbCr    inverse of gamma 2.4, then BT.709-6
///
/// No I/O, no clock.
class SdrColour {
 public:
  /// `peak` in cd/m²; only for PQ.
  SdrColour(const media::Colour& source, double peak);

  /// `code` from 0 to 1023; returns values from 16 to 235 or 240, not rounded.
  ColourCode convert(const ColourCode& code) const;

  /// The colour of the result.
  static constexpr media::Colour kResult{
      .primaries = 1, .transfer = 1, .matrix = 1, .full_range = false};

 private:
  using Rgb = std::array<double, 3>;

  Rgb decode(const ColourCode& code) const;
  Rgb light(const Rgb& encoded) const;
  double tone_mapped(double light) const;

  const media::Colour source_;
  const double peak_code_;  ///< PQ code of the peak, 0 to 1
};

}  // namespace transcoder
