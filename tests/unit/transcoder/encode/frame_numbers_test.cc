#include "transcoder/encode/frame_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transcoder {
namespace {

using ::testing::ElementsAre;
using Bytes = std::vector<std::uint8_t>;

// A parameter set in bits: NAL header, profile 66, constraints, level, then sps id 0 "1",
// log2_max_frame_num 4 "1", order count type 2 "011", 1 reference "010", gaps "0", 16 x 16 pixels
// in frames without cropping and VUI "111000", stop "1".
const Bytes kSequence{0, 0, 0, 1, 0x67, 66, 0xc0, 40, 0b1101'1010, 0b0111'0001};

TEST(FrameNumbersTest, SequenceAllowsGapsAndHasEightMoreBits) {
  FrameNumbers numbers;
  // log2_max_frame_num 12 "0001001", then "011" "010" "1" "111000" "1"
  EXPECT_THAT(numbers.sequence(kSequence),
              ElementsAre(0, 0, 0, 1, 0x67, 66, 0xc0, 40, 0b1000'1001, 0b0110'1011, 0b1100'0100));
  EXPECT_EQ(numbers.period(), 4096U);
}

// Parameter sets that x264 does not make. Writing one of 2^32 bits took seconds.
TEST(FrameNumbersTest, ASequenceWithACodeThatIsTooLongIsNotRead) {
  FrameNumbers numbers;
  const Bytes huge{0, 0, 1, 0x67, 66, 0, 13, 0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xf8};
  EXPECT_THROW(numbers.sequence(huge), std::out_of_range);
  const Bytes longer{0, 0, 1, 0x67, 66, 0, 13, 0x80, 0, 0, 0, 0, 0x80, 0, 0, 0, 0};
  EXPECT_THROW(numbers.sequence(longer), std::out_of_range);
  EXPECT_EQ(numbers.period(), 4096U);
}

TEST(FrameNumbersTest, ASequenceWithALongFieldIsCopied) {
  // As kSequence, with 2^31 - 1 reference frames: 31 zeros, a one, 31 zeros.
  FrameNumbers numbers;
  const Bytes sequence{0, 0, 1, 0x67, 66, 0xc0, 40, 0xd8, 0, 0, 0, 0x08, 0, 0, 0, 0x07, 0x10};
  EXPECT_THAT(numbers.sequence(sequence), ElementsAre(0, 0, 1, 0x67, 66, 0xc0, 40, 0x89, 0x60, 0, 0,
                                                      3, 0, 0x20, 0, 0, 3, 0, 0x3c, 0x40));
}

TEST(FrameNumbersTest, AUnitWithoutAStartCodeIsNotRead) {
  const Bytes none{0, 0, 0, 0};
  EXPECT_THROW(FrameNumbers{}.sequence(none), std::out_of_range);
  EXPECT_THROW(FrameNumbers{}.slice(none, 0), std::out_of_range);
}

// A slice: first macroblock 0 "1", type 5 "00110", parameter set 0 "1", frame_num of 4 bits.
Bytes slice(unsigned frame_number, Bytes rest) {
  Bytes nal{0,
            0,
            1,
            0x41,
            static_cast<std::uint8_t>(0b1001'1010 | frame_number >> 3),
            static_cast<std::uint8_t>(frame_number << 5)};
  nal.insert(nal.end(), rest.begin(), rest.end());
  return nal;
}

TEST(FrameNumbersTest, SliceHasItsLongerNumberAndIsOtherwiseUnchanged) {
  FrameNumbers numbers;
  numbers.sequence(kSequence);
  // 0x5a3 mod 16 = 3; in twelve bits after "1001101": 0101'1010'0011
  EXPECT_THAT(numbers.slice(slice(0x3, {0xab, 0xcd}), 0x5a3),
              ElementsAre(0, 0, 1, 0x41, 0b1001'1010, 0b1011'0100, 0b0110'0000, 0xab, 0xcd));
}

TEST(FrameNumbersTest, EscapesBytesThatLookLikeAStartCode) {
  FrameNumbers numbers;
  numbers.sequence(kSequence);
  const auto nal = numbers.slice(slice(0, {0, 3, 1, 0, 0, 3, 2, 0x80}), 0);
  // Unescaped: 9a 00 00 00 | 01 00 00 02 80. The zeros of frame_num join those after it.
  EXPECT_THAT(nal, ElementsAre(0, 0, 1, 0x41, 0x9a, 0, 0, 3, 0, 1, 0, 0, 3, 2, 0x80));
}

}  // namespace
}  // namespace transcoder
