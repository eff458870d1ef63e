#include "media/h264.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using Bytes = std::vector<std::uint8_t>;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

std::vector<Bytes> units(const Bytes& stream) {
  std::vector<Bytes> result;
  for (const auto unit : media::h264::nal_units(stream))
    result.emplace_back(unit.begin(), unit.end());
  return result;
}

TEST(H264Test, FindsUnitsAfterEitherStartCode) {
  EXPECT_THAT(units({0, 0, 0, 1, 0x67, 1, 0, 0, 1, 0x68, 2, 0, 0, 0, 1, 0x65, 3}),
              ElementsAre(Bytes{0x67, 1}, Bytes{0x68, 2}, Bytes{0x65, 3}));
}

TEST(H264Test, StripsZerosAfterAUnit) {
  EXPECT_THAT(units({0, 0, 1, 0x65, 0, 3, 0, 0, 0}), ElementsAre(Bytes{0x65, 0, 3}));
}

TEST(H264Test, KeepsEmulationPrevention) {
  EXPECT_THAT(units({0, 0, 1, 0x65, 0, 0, 3, 1, 9}), ElementsAre(Bytes{0x65, 0, 0, 3, 1, 9}));
}

TEST(H264Test, HasNoUnitsWithoutStartCode) {
  EXPECT_THAT(units({}), IsEmpty());
  EXPECT_THAT(units({0x65, 1, 2}), IsEmpty());
  EXPECT_THAT(units({0, 0, 1}), IsEmpty());
}

TEST(H264Test, PutsLengthsBeforeUnits) {
  Bytes out{7};
  Bytes stream{0, 0, 0, 1, 9, 0xf0, 0, 0, 1, 0x65};
  stream.insert(stream.end(), 300, 0x11);
  media::h264::append_with_lengths(out, stream);
  Bytes expected{7, 0, 0, 0, 2, 9, 0xf0, 0, 0, 1, 45, 0x65};
  expected.insert(expected.end(), 300, 0x11);
  EXPECT_THAT(out, ElementsAreArray(expected));
}

}  // namespace
