#include "transcoder/gst/ts_scanner.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "ts_tables.h"

namespace transcoder::test {
namespace {

constexpr int kRadio = 0x100;  // PID of its map
constexpr int kTv = 0x200;
constexpr int kSport = 0x300;
constexpr int kH264 = 0x1b;
constexpr int kHevc = 0x24;
constexpr int kAac = 0x0f;

Bytes programs(const std::vector<int>& maps = {kRadio, kTv}) {
  Bytes section{0, 0, 0, 0, 1, 0xc1, 0, 0};
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto pid = static_cast<unsigned>(maps[i]);
    for (const auto value : {0U, static_cast<unsigned>(pid >> 8), 0xe0 | pid >> 8, pid}) {
      section.push_back(byte(value));
    }
  }
  return with_crc(section);
}

/// The map of the programme whose number is the first digit of the PID, with one stream.
Bytes map(int at, int type, const Bytes& descriptors = {}) {
  const auto pid = static_cast<unsigned>(at);
  Bytes section{2,    0, 0, 0, byte(pid >> 8), 0xc1, 0, 0, byte(0xe0 | pid >> 8), byte(pid + 1),
                0xf0, 0};
  const Bytes stream{byte(static_cast<unsigned>(type)), byte(0xe0 | pid >> 8), byte(pid + 1), 0xf0,
                     byte(descriptors.size())};
  section.insert(section.end(), stream.begin(), stream.end());
  section.insert(section.end(), descriptors.begin(), descriptors.end());
  return with_crc(section);
}

/// The tables that a demuxer behind a scanner sees.
class Demuxer {
 public:
  explicit Demuxer(int program = 0) : scanner{program} {}

  void take(TsPacket packet) {
    scanner.scan(packet);
    see(packet);
    while (const auto table = scanner.take_table()) see(*table);
  }
  void table(int pid, const Bytes& section) { take(section_packet(pid, section)); }
  /// A packet of the programme's stream.
  void media(int map, int control = 0x10) {
    auto media = packet(map + 1, {});
    media[3] = byte(static_cast<unsigned>(control));
    take(media);
  }

  TsScanner scanner;
  std::vector<Bytes> programs;
  std::vector<Bytes> maps;

  int program() const { return maps.empty() ? 0 : maps.back()[3] << 8 | maps.back()[4]; }
  int version() const { return maps.back()[5] >> 1 & 0x1f; }

 private:
  void see(const TsPacket& packet) {
    const int pid = (packet[1] & 0x1f) << 8 | packet[2];
    const auto payload = std::span{packet}.subspan(4);
    for (auto& section : readers_[pid].read(payload, (packet[1] & 0x40) != 0, packet[3] & 0x0f)) {
      if (pid == 0) programs.push_back(section);
      if (pid != 0 && section[0] == 2) maps.push_back(section);
    }
  }

  std::map<int, TsSectionReader> readers_;
};

TEST(TsScannerTest, ShowsTheFirstProgrammeWithPictures) {
  Demuxer demuxer;
  demuxer.table(0, programs({kRadio, kTv, kSport}));
  demuxer.table(kRadio, map(kRadio, kAac));
  demuxer.table(kTv, map(kTv, kH264));
  demuxer.table(kSport, map(kSport, kH264));
  for (const int map : {kRadio, kSport, kTv, kRadio}) demuxer.media(map);
  EXPECT_EQ(demuxer.maps, std::vector<Bytes>{map(kTv, kH264)});
  ASSERT_EQ(demuxer.programs.size(), 1U);
  EXPECT_EQ(demuxer.programs[0].size(), programs({kTv}).size()) << "the demuxer sees it alone";
}

TEST(TsScannerTest, ShowsASingleProgrammeAtOnce) {
  Demuxer demuxer;
  demuxer.table(0, programs({kRadio}));
  EXPECT_EQ(demuxer.programs.size(), 1U);
  demuxer.table(kRadio, map(kRadio, kAac));
  EXPECT_EQ(demuxer.program(), 1);
}

TEST(TsScannerTest, ShowsRadioIfThereIsNothingElse) {
  Demuxer demuxer;
  demuxer.table(0, programs());
  demuxer.table(kRadio, map(kRadio, kAac));
  demuxer.media(kRadio);
  EXPECT_EQ(demuxer.program(), 0);
  demuxer.table(kTv, map(kTv, kAac));
  EXPECT_EQ(demuxer.program(), 1);
}

TEST(TsScannerTest, ShowsTheProgrammeThatIsWanted) {
  Demuxer demuxer{1};
  demuxer.table(0, programs());
  demuxer.table(kTv, map(kTv, kH264));
  EXPECT_EQ(demuxer.program(), 0);
  demuxer.table(kRadio, map(kRadio, kAac));
  EXPECT_EQ(demuxer.program(), 1);
}

TEST(TsScannerTest, ProgrammesWithoutAMapAreNotWaitedFor) {
  Demuxer demuxer;
  for (int i = 0; i < 20; ++i) {
    demuxer.table(0, programs({kTv, kRadio, kSport}));
    demuxer.table(kRadio, map(kRadio, kAac));
    demuxer.media(kRadio);
  }
  EXPECT_EQ(demuxer.program(), 1) << "those of pictures were cut off";
}

TEST(TsScannerTest, ProgrammesWithoutDataAreNotWaitedFor) {
  Demuxer demuxer;
  for (int i = 0; i < 20; ++i) {
    demuxer.table(0, programs({kRadio, kTv, kSport}));
    demuxer.table(kRadio, map(kRadio, kAac));
    demuxer.table(kTv, map(kTv, kH264));
    demuxer.table(kSport, map(kSport, kH264));
    demuxer.media(kRadio);
    demuxer.media(kSport);
  }
  EXPECT_EQ(demuxer.program(), 3) << "the first one with pictures was cut off";
}

TEST(TsScannerTest, ShowsAnotherProgrammeWhenTheFirstOneEnds) {
  Demuxer demuxer;
  demuxer.table(0, programs({kTv}));
  demuxer.table(kTv, map(kTv, kH264));
  demuxer.table(0, programs({kSport}));
  demuxer.table(kSport, map(kSport, kH264));
  EXPECT_EQ(demuxer.program(), 3);
  demuxer.table(0, programs({kTv}));
  demuxer.table(kTv, map(kTv, kH264));
  EXPECT_EQ(demuxer.program(), 2);
  EXPECT_EQ(demuxer.version(), 2) << "else the demuxer would know it already";
}

TEST(TsScannerTest, AProgrammeTableMayHaveSections) {
  const auto part = [](int number, const std::vector<int>& maps) {
    auto section = programs(maps);
    section.resize(section.size() - 4);
    section[6] = byte(static_cast<unsigned>(number));
    section[7] = 1;
    return with_crc(section);
  };
  Demuxer demuxer;
  for (int i = 0; i < 3; ++i) {
    demuxer.table(0, part(0, {kTv}));
    demuxer.table(0, part(1, {kSport}));
    demuxer.table(kTv, map(kTv, kH264));
    demuxer.table(kSport, map(kSport, kH264));
    demuxer.media(kTv);
  }
  EXPECT_EQ(demuxer.program(), 2);
  EXPECT_EQ(demuxer.version(), 0);
}

TEST(TsScannerTest, DamagedTablesChangeNothing) {
  Demuxer demuxer;
  auto none = programs({});
  auto other = map(kTv, kHevc);
  for (auto* const section : {&none, &other}) section->back() ^= 1;
  demuxer.table(0, none);
  demuxer.table(0, programs({kTv}));
  demuxer.table(kTv, other);
  EXPECT_TRUE(demuxer.maps.empty()) << "the demuxer would know this version already";
  demuxer.table(kTv, map(kTv, kH264));
  demuxer.table(0, none);
  demuxer.table(kTv, other);
  EXPECT_EQ(demuxer.maps, std::vector<Bytes>{map(kTv, kH264)});
}

TEST(TsScannerTest, TablesToComeChangeNothing) {
  Demuxer demuxer;
  demuxer.table(0, programs({kTv}));
  demuxer.table(kTv, map(kTv, kH264));
  auto next = map(kTv, kHevc);
  next.resize(next.size() - 4);
  next[5] = 0xc2;  // version 1, not current
  demuxer.table(kTv, with_crc(next));
  EXPECT_EQ(demuxer.maps, std::vector<Bytes>{map(kTv, kH264)});
}

TEST(TsScannerTest, ALongMapBehindAnAdaptationFieldIsShown) {
  const auto long_map = map(kTv, kH264, Bytes(200, 0));
  const auto half = long_map.begin() + 100;
  Bytes payload(kTsPacketBytes - 4 - 101, 0xff);  // an adaptation field
  payload[0] = byte(payload.size() - 1);
  payload[1] = 0x10;     // with a PCR
  payload.push_back(0);  // pointer_field
  payload.insert(payload.end(), long_map.begin(), half);
  auto begin = packet(kTv, payload);
  begin[3] = 0x30;
  Demuxer demuxer;
  demuxer.table(0, programs({kTv}));
  auto edited = begin;
  TsScanner probe{0};
  auto pat = section_packet(0, programs({kTv}));
  probe.scan(pat);
  probe.scan(edited);
  EXPECT_EQ(edited[1] & 0x1f, kTv >> 8) << "its clock is still there";
  EXPECT_EQ(edited[3] & 0x30, 0x20);
  EXPECT_EQ(edited[4], 183);
  demuxer.take(begin);
  demuxer.take(packet(kTv, Bytes(half, long_map.end()), false, 1));
  EXPECT_EQ(demuxer.maps, std::vector<Bytes>{long_map});
}

TEST(TsScannerTest, TablesFindTheirPlaceIfNothingCanBeInserted) {
  TsScanner scanner{0};
  const auto long_map = map(kTv, kH264, Bytes(200, 0));
  std::map<int, TsSectionReader> readers;
  int counter = 0;
  std::vector<Bytes> seen;
  for (int i = 0; i < 2; ++i) {
    std::vector<TsPacket> sent{section_packet(0, programs({kTv}))};
    for (const auto& part : ts_packets(kTv, long_map, counter)) sent.push_back(part);
    sent.push_back(packet(0x1fff, {}));
    for (auto& part : sent) {
      scanner.scan(part);
      const auto payload = std::span{part}.subspan(4);
      if (part[2] == 0 && part[1] != 0x40) {
        for (auto& section : readers[kTv].read(payload, (part[1] & 0x40) != 0, part[3] & 0x0f)) {
          seen.push_back(section);
        }
      }
    }
  }
  EXPECT_EQ(seen, (std::vector<Bytes>{long_map, long_map}));
}

TEST(TsScannerTest, AChangedMapGetsANewVersion) {
  Demuxer demuxer;
  demuxer.table(0, programs({kTv}));
  std::vector<int> versions;
  for (const int type : {kH264, kHevc, kHevc, kH264}) {
    demuxer.table(kTv, map(kTv, type));
    versions.push_back(demuxer.version());
  }
  EXPECT_EQ(versions, (std::vector{0, 1, 1, 2}));
}

TEST(TsScannerTest, NoticesEncryption) {
  Demuxer demuxer;
  demuxer.table(0, programs({kTv}));
  demuxer.table(kTv, map(kTv, kH264));
  for (int i = 0; i < 100; ++i) demuxer.media(kTv, 0x90);
  EXPECT_TRUE(demuxer.scanner.scrambled());
  for (int i = 0; i < 200; ++i) demuxer.media(kTv);
  EXPECT_FALSE(demuxer.scanner.scrambled());
}

TEST(TsScannerTest, KnowsAudioDescriptions) {
  Demuxer demuxer;
  demuxer.table(0, programs({kTv}));
  const auto impaired = [&](const Bytes& descriptors) {
    demuxer.table(kTv, map(kTv, kH264, descriptors));
    return demuxer.scanner.visually_impaired(kTv + 1);
  };
  EXPECT_TRUE(impaired({0x0a, 4, 'e', 'n', 'g', 3}));
  EXPECT_FALSE(impaired({0x0a, 4, 'e', 'n', 'g', 0}));
  EXPECT_TRUE(impaired({0x7f, 2, 0x06, 0x04}));
}

TEST(TsScannerTest, TakesAnyBytes) {
  Demuxer demuxer;
  demuxer.table(0, programs());
  std::uint32_t random = 1;
  for (int i = 0; i < 20'000; ++i) {
    TsPacket noise;
    for (auto& value : noise) value = byte((random = random * 69069 + 5) >> 24);
    if (i % 2 == 0) noise[1] = 0x40, noise[2] = 0;
    if (i % 3 == 0) noise[1] = 0x42, noise[2] = 0;
    demuxer.take(noise);
  }
}

}  // namespace
}  // namespace transcoder::test
