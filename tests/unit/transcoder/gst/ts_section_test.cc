#include "transcoder/gst/ts_section.h"

#include <gtest/gtest.h>

#include "ts_tables.h"

namespace transcoder::test {
namespace {

constexpr std::size_t kPayload = kTsPacketBytes - 4;

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Bytes part(const Bytes& bytes, std::size_t begin, std::size_t size) {
  const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(begin);
  return {from, from + static_cast<std::ptrdiff_t>(std::min(size, bytes.size() - begin))};
}

Bytes rest(const Bytes& bytes, std::size_t begin) { return part(bytes, begin, bytes.size()); }

/// Fills the payload with stuffing.
Bytes filled(Bytes payload) {
  payload.resize(kPayload, 0xff);
  return payload;
}

using Sections = std::vector<TsSection>;

TEST(TsSectionReaderTest, ReadsASectionInOnePacket) {
  TsSectionReader reader;
  EXPECT_EQ(reader.read(filled(Bytes{0} + section(40)), true, 0), Sections{section(40)});
}

TEST(TsSectionReaderTest, ReadsASectionThatBeginsInMidPacket) {
  TsSectionReader reader;
  const Bytes before(30, 0xaa);
  EXPECT_EQ(reader.read(filled(Bytes{30} + before + section(40)), true, 0), Sections{section(40)});
}

TEST(TsSectionReaderTest, ReadsASectionThatSpansPackets) {
  TsSectionReader reader;
  const auto whole = section(400, 7);
  EXPECT_TRUE(reader.read(Bytes{0} + part(whole, 0, 183), true, 15).empty());
  EXPECT_TRUE(reader.read(part(whole, 183, kPayload), false, 0).empty());
  EXPECT_EQ(reader.read(filled(rest(whole, 183 + kPayload)), false, 1), Sections{whole});
}

TEST(TsSectionReaderTest, ReadsSectionsThatFollowOneAnother) {
  TsSectionReader reader;
  const auto a = section(40, 1);
  const auto b = section(50, 2);
  const auto c = section(200, 3);
  EXPECT_EQ(reader.read(Bytes{0} + a + b + part(c, 0, 93), true, 0), (Sections{a, b}));
  EXPECT_EQ(reader.read(filled(Bytes{107} + rest(c, 93) + a), true, 1), (Sections{c, a}));
}

TEST(TsSectionReaderTest, ReadsASectionWhoseHeaderSpansPackets) {
  TsSectionReader reader;
  const auto a = section(181, 1);
  const auto b = section(60, 2);
  EXPECT_EQ(reader.read(Bytes{0} + a + part(b, 0, 2), true, 0), Sections{a});
  EXPECT_EQ(reader.read(filled(rest(b, 2)), false, 1), Sections{b});
}

TEST(TsSectionReaderTest, LeavesOutWhatIsIncomplete) {
  TsSectionReader reader;
  const auto whole = section(300);
  EXPECT_TRUE(reader.read(filled(rest(whole, 183)), false, 1).empty()) << "joined in its middle";
  EXPECT_TRUE(reader.read(Bytes{0} + part(whole, 0, 183), true, 2).empty());
  EXPECT_TRUE(reader.read(filled(rest(whole, 183)), false, 4).empty()) << "a packet is lost";
  EXPECT_TRUE(reader.read(Bytes{0} + part(whole, 0, 183), true, 5).empty());
  EXPECT_EQ(reader.read(filled(Bytes{0} + section(40)), true, 6), Sections{section(40)})
      << "the next one begins too early";
}

TEST(TsSectionReaderTest, APacketMayBeSentTwice) {
  TsSectionReader reader;
  const auto whole = section(400);
  reader.read(Bytes{0} + part(whole, 0, 183), true, 0);
  reader.read(part(whole, 183, kPayload), false, 1);
  reader.read(part(whole, 183, kPayload), false, 1);
  EXPECT_EQ(reader.read(filled(rest(whole, 183 + kPayload)), false, 2), Sections{whole});
}

TEST(TsSectionReaderTest, LeavesOutWhatIsDamaged) {
  TsSectionReader reader;
  auto damaged = section(40);
  damaged[20] ^= 1;
  EXPECT_EQ(reader.read(filled(Bytes{0} + damaged + section(50)), true, 0), Sections{section(50)});
  auto long_one = section(40);
  long_one[1] |= 0x0f;
  EXPECT_TRUE(reader.read(filled(Bytes{0} + long_one + section(50)), true, 1).empty());
  EXPECT_EQ(reader.read(filled(Bytes{0} + section(50)), true, 2), Sections{section(50)});
}

TEST(TsSectionReaderTest, TakesWrongPointersAndEmptyPayloads) {
  TsSectionReader reader;
  EXPECT_TRUE(reader.read(Bytes{}, true, 0).empty());
  EXPECT_TRUE(reader.read(Bytes{}, false, 1).empty());
  EXPECT_TRUE(reader.read(Bytes{200, 0, 0}, true, 2).empty());
  EXPECT_TRUE(reader.read(Bytes{2, 0, 0}, true, 3).empty()) << "nothing follows the pointer";
  EXPECT_EQ(reader.read(filled(Bytes{0} + section(40)), true, 4), Sections{section(40)});
}

TEST(TsPacketsTest, CarryASectionThatSpansPackets) {
  int counter = 15;
  const auto whole = section(400, 9);
  TsSectionReader reader;
  Sections seen;
  for (const auto& packet : ts_packets(0x1abc, whole, counter)) {
    EXPECT_EQ((packet[1] & 0x1f) << 8 | packet[2], 0x1abc);
    const auto payload = std::span{packet}.subspan(4);
    for (auto& done : reader.read(payload, (packet[1] & 0x40) != 0, packet[3] & 0x0f)) {
      seen.push_back(done);
    }
  }
  EXPECT_EQ(seen, Sections{whole});
  EXPECT_EQ(counter, 2);
}

}  // namespace
}  // namespace transcoder::test
