#include "transcoder/picture/sdr_colour.h"

#include <algorithm>
#include <cmath>

namespace transcoder {

namespace {

// Code points of ISO/IEC 23091-2 (H.273).
constexpr int kPrimariesBt2020 = 9;
constexpr int kPrimariesP3D65 = 12;
constexpr int kTransferPq = 16;
constexpr int kTransferHlg = 18;
constexpr int kMatrixBt709 = 1;
constexpr int kMatrixBt470Bg = 5;
constexpr int kMatrixBt601 = 6;

/// Light 1 is the white of SDR. BT.2408-5, 2.2.
constexpr double kReferenceWhite = 203;
constexpr double kPqPeak = 10'000;  // cd/m²; BT.2100-2, table 4

using Matrix = std::array<std::array<double, 3>, 3>;

/// BT.2407-0, 2: from BT.2020 to BT.709.
constexpr Matrix kFromBt2020{{{1.660491, -0.587641, -0.072850},
                              {-0.124550, 1.132900, -0.008349},
                              {-0.018151, -0.100579, 1.118730}}};
/// From the primaries of SMPTE EG 432-1 with white D65, as SMPTE RP 177 derives it.
constexpr Matrix kFromP3{
    {{1.224940, -0.224940, 0.}, {-0.042057, 1.042057, 0.}, {-0.019638, -0.078636, 1.098274}}};

/// Weights of R and B in Y'.
struct LumaWeights {
  double r;
  double b;
};
constexpr LumaWeights kBt709{0.2126, 0.0722};   // BT.709-6
constexpr LumaWeights kBt601{0.299, 0.114};     // BT.601-7
constexpr LumaWeights kBt2020{0.2627, 0.0593};  // BT.2020-2

LumaWeights weights_of(int matrix) {
  if (matrix == kMatrixBt709) return kBt709;
  if (matrix == kMatrixBt601 || matrix == kMatrixBt470Bg) return kBt601;
  return kBt2020;
}

// BT.2100-2, table 4.
constexpr double kM1 = 2610. / 16384;
constexpr double kM2 = 2523. / 4096 * 128;
constexpr double kC1 = 3424. / 4096;
constexpr double kC2 = 2413. / 4096 * 32;
constexpr double kC3 = 2392. / 4096 * 32;

double pq_light(double code) {
  const double e = std::pow(code, 1 / kM2);
  return kPqPeak * std::pow(std::max(e - kC1, 0.) / (kC2 - kC3 * e), 1 / kM1);
}

double pq_code(double light) {
  const double y = std::pow(light / kPqPeak, kM1);
  return std::pow((kC1 + kC2 * y) / (1 + kC3 * y), kM2);
}

/// BT.2100-2, table 5: inverse OETF.
double hlg_scene_light(double code) {
  constexpr double kA = 0.17883277;
  constexpr double kB = 1 - 4 * kA;
  constexpr double kC = 0.55991073;
  return code <= 0.5 ? code * code / 3 : (std::exp((code - kC) / kA) + kB) / 12;
}

/// BT.1886 with a black of 0.
constexpr double kSdrGamma = 2.4;

}  // namespace

bool is_wide_colour(const media::Colour& colour) {
  return colour.transfer == kTransferPq || colour.transfer == kTransferHlg ||
         colour.primaries == kPrimariesBt2020 || colour.primaries == kPrimariesP3D65;
}

SdrColour::SdrColour(const media::Colour& source, double peak)
    : source_{source},
      peak_code_{pq_code(source.transfer == kTransferPq ? std::clamp(peak, kReferenceWhite, kPqPeak)
                                                        : kNominalPeak)} {}

SdrColour::Rgb SdrColour::decode(const ColourCode& code) const {
  constexpr double kChromaZero = 512;
  const bool full = source_.full_range;
  const double y = full ? code[0] / 1023 : (code[0] - 64) / 876;
  const double chroma_range = full ? 1023 : 896;
  const double cb = (code[1] - kChromaZero) / chroma_range;
  const double cr = (code[2] - kChromaZero) / chroma_range;
  const auto [kr, kb] = weights_of(source_.matrix);
  const double r = y + 2 * (1 - kr) * cr;
  const double b = y + 2 * (1 - kb) * cb;
  return {r, (y - kr * r - kb * b) / (1 - kr - kb), b};
}

SdrColour::Rgb SdrColour::light(const Rgb& encoded) const {
  Rgb result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double code = std::clamp(encoded[i], 0., 1.);
    if (source_.transfer == kTransferPq) {
      result[i] = pq_light(code) / kReferenceWhite;
    } else if (source_.transfer == kTransferHlg) {
      result[i] = hlg_scene_light(code);
    } else {
      result[i] = std::pow(code, kSdrGamma);
    }
  }
  if (source_.transfer != kTransferHlg) return result;
  constexpr double kSystemGamma = 1.2;  // for 1000 cd/m²
  const double luma =
      kBt2020.r * result[0] + (1 - kBt2020.r - kBt2020.b) * result[1] + kBt2020.b * result[2];
  const double gain = std::pow(luma, kSystemGamma - 1) * kNominalPeak / kReferenceWhite;
  for (auto& value : result) value *= luma > 0 ? gain : 0;
  return result;
}

/// BT.2390-10, 5.4.1, with the black of source and target at 0. The names are those of the report.
double SdrColour::tone_mapped(double light) const {
  const double e1 = std::min(pq_code(light * kReferenceWhite) / peak_code_, 1.);
  const double max_lum = pq_code(kReferenceWhite) / peak_code_;
  const double ks = 1.5 * max_lum - 0.5;
  if (e1 < ks) return light;
  const double t = ks < 1 ? (e1 - ks) / (1 - ks) : 0;
  const double t2 = t * t;
  const double t3 = t2 * t;
  const double p =
      (2 * t3 - 3 * t2 + 1) * ks + (t3 - 2 * t2 + t) * (1 - ks) + (-2 * t3 + 3 * t2) * max_lum;
  return pq_light(p * peak_code_) / kReferenceWhite;
}

ColourCode SdrColour::convert(const ColourCode& code) const {
  Rgb rgb = light(decode(code));
  const bool high_range = source_.transfer == kTransferPq || source_.transfer == kTransferHlg;
  if (const double top = std::ranges::max(rgb); high_range && top > 0) {
    const double gain = tone_mapped(top) / top;
    for (auto& value : rgb) value *= gain;
  }
  const bool narrow = source_.primaries != kPrimariesBt2020 && source_.primaries != kPrimariesP3D65;
  const auto& matrix = source_.primaries == kPrimariesP3D65 ? kFromP3 : kFromBt2020;
  Rgb out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto& row = matrix[i];
    const double value = narrow ? rgb[i] : row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2];
    out[i] = std::pow(std::clamp(value, 0., 1.), 1 / kSdrGamma);
  }
  const double y = kBt709.r * out[0] + (1 - kBt709.r - kBt709.b) * out[1] + kBt709.b * out[2];
  return {16 + 219 * y, 128 + 112 * (out[2] - y) / (1 - kBt709.b),
          128 + 112 * (out[0] - y) / (1 - kBt709.r)};
}

}  // namespace transcoder
