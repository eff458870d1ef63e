#include "transcoder/gst/datagram.h"

#include <gtest/gtest.h>

#include <string_view>

namespace transcoder {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes text(std::string_view chars) { return {chars.begin(), chars.end()}; }

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Bytes of which none is a sync byte.
Bytes noise(std::size_t size) {
  std::uint32_t random = 7;
  Bytes result(size);
  for (auto& value : result) {
    value = static_cast<std::uint8_t>((random = random * 69069 + 5) >> 24);
    if (value == 0x47) value = 0;
  }
  return result;
}

Bytes stream(std::size_t packets, std::size_t size = 188, std::size_t sync = 0) {
  auto result = noise(packets * size);
  for (std::size_t i = 0; i < packets; ++i) result[i * size + sync] = 0x47;
  return result;
}

DatagramKind kind(const Bytes& bytes) { return inspect(bytes).kind; }

TEST(DatagramTest, KnowsTransportStreams) {
  for (const std::size_t count : {1U, 2U, 7U, 40U}) {
    EXPECT_EQ(inspect(stream(count)).packets, static_cast<int>(count));
    EXPECT_EQ(kind(stream(count)), DatagramKind::kTransportStream);
  }
  EXPECT_EQ(kind(stream(6, 204)), DatagramKind::kTransportStream);
  EXPECT_EQ(kind(stream(6, 208)), DatagramKind::kTransportStream);
  EXPECT_EQ(kind(stream(6, 192, 4)), DatagramKind::kTransportStream);
}

TEST(DatagramTest, ATransportStreamMayBeCutAnywhereAndDamaged) {
  auto bytes = stream(8);
  bytes[188] ^= 0x10;
  EXPECT_EQ(kind(Bytes(bytes.begin() + 100, bytes.end() - 30)), DatagramKind::kTransportStream);
}

TEST(DatagramTest, KnowsTransportStreamsInRtp) {
  const Bytes header{0x80, 33, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1};
  const auto datagram = inspect(header + stream(7));
  EXPECT_EQ(datagram.kind, DatagramKind::kRtp);
  EXPECT_EQ(datagram.rtp.payload.size(), 7U * 188);
  EXPECT_EQ(datagram.rtp.sequence, 9);
}

TEST(DatagramTest, SaysWhatElseArrives) {
  EXPECT_EQ(what_is(inspect(text("GET /live HTTP/1.1\r\n\r\n"))), "an HTTP request");
  EXPECT_EQ(what_is(inspect(Bytes{0xff, 0xd8, 0xff, 0xe0} + noise(1000))), "JPEG pictures");
  EXPECT_EQ(what_is(inspect(Bytes{0x80, 96, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1} + noise(900))),
            "RTP of payload type 96 without MPEG-TS");
  EXPECT_EQ(what_is(inspect(Bytes{1} + noise(1315))), "data without the sync bytes of MPEG-TS");
}

TEST(DatagramTest, KnowsTheBeginningsOfOtherContainers) {
  EXPECT_EQ(kind(Bytes{0x1a, 0x45, 0xdf, 0xa3} + noise(100)), DatagramKind::kContainer);
  EXPECT_EQ(kind(Bytes{0, 0, 0, 24} + text("ftypisom") + noise(100)), DatagramKind::kContainer);
  EXPECT_EQ(kind(Bytes{0, 0, 0, 1, 0x67} + noise(100)), DatagramKind::kContainer);
}

TEST(DatagramTest, TakesAnySize) {
  for (std::size_t size = 0; size < 1500; ++size) inspect(noise(size));
}

}  // namespace
}  // namespace transcoder
