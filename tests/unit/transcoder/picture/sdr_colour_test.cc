#include "transcoder/picture/sdr_colour.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

namespace transcoder {
namespace {

constexpr media::Colour kPq{.primaries = 9, .transfer = 16, .matrix = 9};
constexpr media::Colour kHlg{.primaries = 9, .transfer = 18, .matrix = 9};
constexpr media::Colour kBt2020{.primaries = 9, .transfer = 14, .matrix = 9};
constexpr media::Colour kP3{.primaries = 12, .transfer = 1, .matrix = 1};

/// The 10-bit code of a signal from 0 to 1 in limited range.
double deep(double signal) { return 64 + 876 * signal; }
ColourCode grey(double signal) { return {deep(signal), 512, 512}; }
/// The 8-bit code of a signal from 0 to 1 in limited range.
double code(double signal) { return 16 + 219 * signal; }

TEST(SdrColourTest, KnowsWideColour) {
  for (const auto& colour : {kPq, kHlg, kBt2020, kP3}) EXPECT_TRUE(is_wide_colour(colour));
  EXPECT_FALSE(is_wide_colour({}));
  EXPECT_FALSE(is_wide_colour({.primaries = 1, .transfer = 1, .matrix = 1}));
  EXPECT_FALSE(is_wide_colour({.primaries = 6, .transfer = 6, .matrix = 6, .full_range = true}));
}

TEST(SdrColourTest, GreyStaysGrey) {
  for (const auto& colour : {kPq, kHlg, kBt2020, kP3}) {
    const SdrColour sdr{colour, kNominalPeak};
    for (double signal = 0; signal <= 1; signal += 0.01) {
      EXPECT_NEAR(sdr.convert(grey(signal))[1], 128, 0.01);
      EXPECT_NEAR(sdr.convert(grey(signal))[2], 128, 0.01);
    }
  }
}

TEST(SdrColourTest, GetsBrighterWithTheSource) {
  for (const auto& colour : {kPq, kHlg, kBt2020, kP3}) {
    const SdrColour sdr{colour, kNominalPeak};
    double last = sdr.convert(grey(0))[0];
    EXPECT_NEAR(last, 16, 0.1);
    for (double signal = 0.01; signal <= 1; signal += 0.01) {
      const double now = sdr.convert(grey(signal))[0];
      EXPECT_GE(now, last);
      last = now;
    }
    EXPECT_NEAR(sdr.convert(grey(1))[0], 235, 0.1);
  }
}

/// Signals of BT.2408-5, table 1, for a display of 1000 cd/m²: 18 % grey has 26 cd/m², reference
/// white 203 cd/m².
TEST(SdrColourTest, PutsThe18PercentGreyOfHdrWhereItsLightIs) {
  const double expected = code(std::pow(26. / 203, 1 / 2.4));
  EXPECT_NEAR(SdrColour(kPq, 1000).convert(grey(0.38))[0], expected, 1);
  EXPECT_NEAR(SdrColour(kHlg, 1000).convert(grey(0.38))[0], expected, 1);
}

TEST(SdrColourTest, PutsTheReferenceWhiteOfHdrALittleBelowWhite) {
  // BT.2390's EETF maps 203 of 1000 cd/m² to 161 of 203.
  const double expected = code(std::pow(161. / 203, 1 / 2.4));
  EXPECT_NEAR(SdrColour(kPq, 1000).convert(grey(0.58))[0], expected, 2);
  EXPECT_NEAR(SdrColour(kHlg, 1000).convert(grey(0.75))[0], expected, 1);
}

TEST(SdrColourTest, PutsThePeakAtWhite) {
  EXPECT_NEAR(SdrColour(kPq, 1000).convert(grey(0.7518))[0], 235, 0.1);
  EXPECT_NEAR(SdrColour(kPq, 4000).convert(grey(0.9026))[0], 235, 0.1);
  EXPECT_NEAR(SdrColour(kPq, 10'000).convert(grey(1))[0], 235, 0.1);
}

TEST(SdrColourTest, LeavesPqMaterialThatIsNoBrighterThanSdrAsItIs) {
  EXPECT_NEAR(SdrColour(kPq, 203).convert(grey(0.5807))[0], 235, 0.2);
  EXPECT_NEAR(SdrColour(kPq, 100).convert(grey(0.5807))[0], 235, 0.2);
}

TEST(SdrColourTest, LeavesTheGreysOfSdrAsTheyAre) {
  for (double signal = 0; signal <= 1; signal += 0.1) {
    EXPECT_NEAR(SdrColour(kBt2020, 0).convert(grey(signal))[0], code(signal), 0.01);
    EXPECT_NEAR(SdrColour(kP3, 0).convert(grey(signal))[0], code(signal), 0.01);
  }
}

TEST(SdrColourTest, ReadsFullRange) {
  auto full = kBt2020;
  full.full_range = true;
  EXPECT_NEAR(SdrColour(full, 0).convert({1023, 512, 512})[0], 235, 0.01);
  EXPECT_NEAR(SdrColour(full, 0).convert({511.5, 512, 512})[0], code(0.5), 0.01);
}

/// A colour of BT.709 that was encoded in BT.2020 (BT.2087-0) comes back.
TEST(SdrColourTest, ColoursOfBt709ComeBack) {
  const double red[3] = {0.6274, 0.0691, 0.0164};  // the red of BT.709 in light of BT.2020
  double encoded[3];
  for (int i = 0; i < 3; ++i) encoded[i] = std::pow(0.5 * red[i], 1 / 2.4);
  const double y = 0.2627 * encoded[0] + 0.6780 * encoded[1] + 0.0593 * encoded[2];
  const auto result = SdrColour(kBt2020, 0)
                          .convert({deep(y), 512 + 896 * (encoded[2] - y) / 1.8814,
                                    512 + 896 * (encoded[0] - y) / 1.4746});
  const double r = std::pow(0.5, 1 / 2.4);
  EXPECT_NEAR(result[0], code(0.2126 * r), 1.5);
  EXPECT_NEAR(result[1], 128 - 224 * 0.2126 * r / 1.8556, 1.5);
  EXPECT_NEAR(result[2], 128 + 224 * (1 - 0.2126) * r / 1.5748, 1.5);
}

}  // namespace
}  // namespace transcoder
