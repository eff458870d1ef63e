#include "transcoder/gst/ts_scanner.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace transcoder {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Packet = std::array<std::uint8_t, kTsPacketBytes>;

constexpr int kRadio = 0x100;  // PID of its map
constexpr int kTv = 0x200;
constexpr int kVideo = 0x201;
constexpr int kH264 = 0x1b;
constexpr int kHevc = 0x24;
constexpr int kAac = 0x0f;

std::uint8_t byte(int value) { return static_cast<std::uint8_t>(value); }

Bytes with_crc(Bytes section) {
  section[1] = byte(0xb0 | (section.size() + 1) >> 8);
  section[2] = byte(static_cast<int>(section.size() + 1));
  std::uint32_t crc = 0xffffffff;
  for (const auto value : section) {
    crc ^= std::uint32_t{value} << 24;
    for (int bit = 0; bit < 8; ++bit) crc = crc & 0x80000000 ? crc << 1 ^ 0x04c11db7 : crc << 1;
  }
  for (const int shift : {24, 16, 8, 0}) section.push_back(byte(static_cast<int>(crc >> shift)));
  return section;
}

Packet packet(int pid, const Bytes& payload, int control = 0x10) {
  Packet result;
  result.fill(0xff);
  const Bytes head{0x47, byte(0x40 | pid >> 8), byte(pid), byte(control)};
  std::copy(head.begin(), head.end(), result.begin());
  std::copy(payload.begin(), payload.end(), result.begin() + 4);
  return result;
}

Packet section_packet(int pid, Bytes section) {
  section = with_crc(std::move(section));
  section.insert(section.begin(), 0);  // pointer_field
  return packet(pid, section);
}

Packet programs() {
  return section_packet(0, {0, 0, 0, 0, 1, 0xc1, 0, 0, 0, 1, 0xe1, 0x00, 0, 2, 0xe2, 0x00});
}

Packet map(int pid, int program, int type, Bytes descriptors = {}) {
  Bytes section{2, 0, 0, 0, byte(program), 0xc1, 0, 0, 0xe2, 0x01, 0xf0, 0};
  const Bytes stream{byte(type), byte(0xe0 | (pid + 1) >> 8), byte(pid + 1), 0xf0,
                     byte(static_cast<int>(descriptors.size()))};
  section.insert(section.end(), stream.begin(), stream.end());
  section.insert(section.end(), descriptors.begin(), descriptors.end());
  return section_packet(pid, section);
}

/// Scans the packet, and returns whether the demuxer sees it.
bool shown(TsScanner& scanner, Packet packet) {
  scanner.scan(packet);
  return (packet[1] & 0x1f) != 0x1f || packet[2] != 0xff;
}

int version(TsScanner& scanner, Packet packet) {
  scanner.scan(packet);
  return packet[10] >> 1 & 0x1f;
}

TEST(TsScannerTest, ShowsTheFirstProgrammeWithPictures) {
  TsScanner scanner{0};
  EXPECT_TRUE(shown(scanner, programs()));
  EXPECT_FALSE(shown(scanner, map(kRadio, 1, kAac)));
  EXPECT_TRUE(shown(scanner, map(kTv, 2, kH264)));
  EXPECT_FALSE(shown(scanner, map(kRadio, 1, kAac)));
}

TEST(TsScannerTest, ShowsRadioIfThereIsNothingElse) {
  TsScanner scanner{0};
  shown(scanner, programs());
  EXPECT_FALSE(shown(scanner, map(kRadio, 1, kAac)));
  EXPECT_FALSE(shown(scanner, map(kTv, 2, kAac)));
  EXPECT_TRUE(shown(scanner, map(kRadio, 1, kAac)));
}

TEST(TsScannerTest, ShowsTheProgrammeThatIsWanted) {
  TsScanner scanner{1};
  shown(scanner, programs());
  EXPECT_FALSE(shown(scanner, map(kTv, 2, kH264)));
  EXPECT_TRUE(shown(scanner, map(kRadio, 1, kAac)));
}

TEST(TsScannerTest, AChangedMapGetsANewVersion) {
  TsScanner scanner{0};
  shown(scanner, programs());
  EXPECT_EQ(version(scanner, map(kTv, 2, kH264)), 0);
  EXPECT_EQ(version(scanner, map(kTv, 2, kHevc)), 1);
  EXPECT_EQ(version(scanner, map(kTv, 2, kHevc)), 1);
  EXPECT_EQ(version(scanner, map(kTv, 2, kH264)), 2);
  auto changed = map(kTv, 2, kHevc);
  scanner.scan(changed);
  TsScanner reader{2};
  shown(reader, programs());
  EXPECT_TRUE(shown(reader, changed)) << "its checksum is right";
}

TEST(TsScannerTest, NoticesEncryption) {
  TsScanner scanner{0};
  shown(scanner, programs());
  shown(scanner, map(kTv, 2, kH264));
  for (int i = 0; i < 100; ++i) shown(scanner, packet(kVideo, {}, 0x90));
  EXPECT_TRUE(scanner.scrambled());
  for (int i = 0; i < 200; ++i) shown(scanner, packet(kVideo, {}));
  EXPECT_FALSE(scanner.scrambled());
}

TEST(TsScannerTest, KnowsAudioDescriptions) {
  TsScanner scanner{0};
  shown(scanner, programs());
  shown(scanner, map(kTv, 2, kH264, {0x0a, 4, 'e', 'n', 'g', 3}));
  EXPECT_TRUE(scanner.visually_impaired(kVideo));
  shown(scanner, map(kTv, 2, kH264, {0x0a, 4, 'e', 'n', 'g', 0}));
  EXPECT_FALSE(scanner.visually_impaired(kVideo));
  shown(scanner, map(kTv, 2, kH264, {0x7f, 2, 0x06, 0x04}));
  EXPECT_TRUE(scanner.visually_impaired(kVideo));
}

TEST(TsScannerTest, TakesAnyBytes) {
  TsScanner scanner{0};
  shown(scanner, programs());
  std::uint32_t random = 1;
  for (int i = 0; i < 20'000; ++i) {
    Packet noise;
    for (auto& value : noise) value = byte(static_cast<int>((random = random * 69069 + 5) >> 24));
    if (i % 2 == 0) noise[1] = 0x40, noise[2] = 0;
    if (i % 3 == 0) noise[1] = 0x42, noise[2] = 0;
    scanner.scan(noise);
  }
}

}  // namespace
}  // namespace transcoder
