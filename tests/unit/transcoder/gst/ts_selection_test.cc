#include "transcoder/gst/ts_selection.h"

#include <gtest/gtest.h>

#include <vector>

#include "ts_tables.h"

namespace transcoder::test {
namespace {

using namespace std::chrono_literals;

constexpr int kH264 = 0x1b;
constexpr int kHevc = 0x24;
constexpr int kAac = 0x0f;
constexpr int kMp2 = 0x03;
constexpr int kMetadata = 0x15;

struct Entry {
  int type;
  int pid;
  Bytes descriptors = {};
};

Bytes map(const std::vector<Entry>& streams, int clock = -1, int version = 0) {
  const auto at = static_cast<unsigned>(clock < 0 ? streams.front().pid : clock);
  Bytes section{2,        0,    0,
                0,        1,    byte(0xc1U | static_cast<unsigned>(version) << 1),
                0,        0,    byte(0xe0 | at >> 8),
                byte(at), 0xf0, 0};
  for (const auto& stream : streams) {
    const auto pid = static_cast<unsigned>(stream.pid);
    for (const auto value : {static_cast<unsigned>(stream.type), 0xe0 | pid >> 8, pid, 0xf0U,
                             static_cast<unsigned>(stream.descriptors.size())}) {
      section.push_back(byte(value));
    }
    section.insert(section.end(), stream.descriptors.begin(), stream.descriptors.end());
  }
  return with_crc(section);
}

/// A selection, and what it shows.
struct Selected {
  TsSelection selection;
  base::Time now{};
  int packets = 0;

  void take(const Bytes& section) { selection.take(section, now); }

  std::vector<int> shown() const {
    std::vector<int> pids;
    for (const auto& stream : ts_streams(selection.map())) pids.push_back(stream.pid);
    return pids;
  }
  /// The PID under which a packet of `pid` is shown; -1 if it is not.
  int pass(int pid, bool start = true) {
    auto media = packet(pid, {}, start, packets++ % 16);
    return selection.pass(media, now) ? ts_pid(media) : -1;
  }
  int counter_of(int pid, int counter) {
    auto media = packet(pid, {}, true, counter);
    return selection.pass(media, now) ? media[3] & 0xf : -1;
  }
};

using Pids = std::vector<int>;

TEST(TsSelectionTest, ShowsOneStreamWithPicturesAndAllAudio) {
  Selected selected;
  selected.take(
      map({{kMetadata, 0x90}, {kH264, 0x100}, {kHevc, 0x101}, {kAac, 0x102}, {kMp2, 0x103}}));
  EXPECT_EQ(selected.shown(), (Pids{0x100, 0x102, 0x103}));
  EXPECT_EQ(selected.pass(0x100), 0x100);
  EXPECT_EQ(selected.pass(0x103), 0x103);
  EXPECT_EQ(selected.pass(0x101), -1);
  EXPECT_EQ(selected.pass(0x12), -1);
  EXPECT_EQ(selected.pass(0x90), 0x90) << "the clock is there";
}

TEST(TsSelectionTest, ShowsAnotherStreamIfTheFirstSendsNothing) {
  Selected selected;
  selected.take(map({{kH264, 0x100}, {kHevc, 0x101}, {kAac, 0x102}}, 0x102));
  for (int i = 0; i < 64; ++i) selected.pass(0x101);
  EXPECT_EQ(selected.shown(), (Pids{0x101, 0x102}));
  EXPECT_EQ(selected.pass(0x101), 0x101);
  EXPECT_EQ(selected.pass(0x100), -1);
}

TEST(TsSelectionTest, AStreamThatSendsStays) {
  Selected selected;
  selected.take(map({{kH264, 0x100}, {kHevc, 0x101}}));
  selected.pass(0x100);
  for (int i = 0; i < 200; ++i) selected.pass(0x101);
  EXPECT_EQ(selected.shown(), (Pids{0x100}));
  selected.take(map({{kHevc, 0x101}, {kH264, 0x100}}));
  EXPECT_EQ(selected.shown(), (Pids{0x100})) << "also if it comes second";
}

TEST(TsSelectionTest, AnotherPidIsShownUnderTheOldOne) {
  Selected selected;
  selected.take(map({{kH264, 0x100}, {kAac, 0x101}}));
  const auto before = selected.selection.map();
  for (int pid = 0x200; pid < 0x300; pid += 2) {
    selected.take(map({{kH264, pid}, {kAac, pid + 1}}, -1, pid / 2 % 32));
    EXPECT_EQ(selected.pass(pid), 0x100);
    EXPECT_EQ(selected.pass(pid + 1), 0x101);
    EXPECT_EQ(selected.pass(pid - 2), -1) << "the old one is gone";
  }
  EXPECT_EQ(selected.selection.map(), before);
}

TEST(TsSelectionTest, AnotherPidLeavesNoGapInTheNumbers) {
  Selected selected;
  selected.take(map({{kH264, 0x100}}));
  EXPECT_EQ(selected.counter_of(0x100, 14), 14);
  EXPECT_EQ(selected.counter_of(0x100, 15), 15);
  selected.take(map({{kH264, 0x200}}));
  EXPECT_EQ(selected.counter_of(0x200, 5), 0);
  EXPECT_EQ(selected.counter_of(0x200, 6), 1);
  EXPECT_EQ(selected.counter_of(0x200, 8), 3) << "a lost packet stays lost";
}

TEST(TsSelectionTest, StreamsOfOneKindChangePlacesUnnoticed) {
  Selected selected;
  const Bytes german{0x0a, 4, 'd', 'e', 'u', 0};
  const Bytes english{0x0a, 4, 'e', 'n', 'g', 0};
  selected.take(map({{kH264, 0x100}, {kAac, 0x101, german}, {kAac, 0x102, english}}));
  selected.take(map({{kH264, 0x100}, {kAac, 0x202, english}, {kAac, 0x201, german}}));
  EXPECT_EQ(selected.pass(0x201), 0x101);
  EXPECT_EQ(selected.pass(0x202), 0x102);
}

TEST(TsSelectionTest, AnotherKindOfStreamChangesTheMap) {
  Selected selected;
  selected.take(map({{kH264, 0x100}, {kAac, 0x101}}));
  selected.take(map({{kHevc, 0x100}, {kMp2, 0x105}}));
  EXPECT_EQ(selected.shown(), (Pids{0x100, 0x105}));
  selected.take(map({{kHevc, 0x100}}));
  EXPECT_EQ(selected.shown(), (Pids{0x100}));
}

TEST(TsSelectionTest, AClockOnAnotherStreamChangesTheMap) {
  Selected selected;
  selected.take(map({{kH264, 0x100}, {kAac, 0x101}}, 0x100));
  selected.take(map({{kH264, 0x100}, {kAac, 0x101}}, 0x101));
  EXPECT_EQ(ts_clock_pid(selected.selection.map()), 0x101);
}

TEST(TsSelectionTest, AClockOfItsOwnMayMove) {
  Selected selected;
  selected.take(map({{kH264, 0x100}}, 0x50));
  selected.take(map({{kH264, 0x100}}, 0x51));
  EXPECT_EQ(selected.pass(0x51), 0x50);
  EXPECT_EQ(selected.pass(0x50), -1);
}

/// The number of changes within 100 s, if the map has one of `streams` ten times a second, each
/// with another picture before it.
int changes_with(const std::vector<Entry>& streams, int pictures) {
  Selected selected;
  int changes = 0;
  auto before = selected.selection.map();
  for (std::size_t i = 0; i < 1000; ++i, selected.now += 100ms) {
    selected.take(map({streams[2 * (i % 2)], streams[2 * (i % 2) + 1]}));
    for (int picture = 0; picture < pictures; ++picture) EXPECT_EQ(selected.pass(0x100), 0x100);
    changes += selected.selection.map() != before;
    before = selected.selection.map();
  }
  return changes;
}

TEST(TsSelectionTest, ASenderThatChangesItsPicturesIsFollowedOncePerSecond) {
  const std::vector<Entry> streams{{kH264, 0x100}, {kAac, 0x101}, {kHevc, 0x100}, {kAac, 0x101}};
  const int changes = changes_with(streams, 0);
  EXPECT_GE(changes, 90);
  EXPECT_LE(changes, 110);
  EXPECT_EQ(changes_with(streams, 10), 1000) << "if pictures come, each change is another one";
}

TEST(TsSelectionTest, ASenderThatChangesItsAudioCostsFewPictures) {
  const std::vector<Entry> streams{{kH264, 0x100}, {kAac, 0x101}, {kH264, 0x100}, {kMp2, 0x101}};
  EXPECT_LE(changes_with(streams, 10), 1 + 4 + 4);
}

TEST(TsSelectionTest, APesPacketWithoutAnEndIsCut) {
  Selected selected;
  selected.take(map({{kH264, 0x100}, {kAac, 0x101}}));
  EXPECT_EQ(selected.pass(0x101), 0x101);
  int shown = 0;
  for (int i = 0; i < 20'000; ++i) shown += selected.pass(0x101, false) == 0x101;
  EXPECT_EQ(shown, (1 << 20) / 184 - 1);
  EXPECT_EQ(selected.pass(0x101), 0x101) << "until the next begins";
  EXPECT_EQ(selected.pass(0x100), 0x100);
  for (int i = 0; i < 20'000; ++i) EXPECT_EQ(selected.pass(0x100, false), 0x100);
}

TEST(TsSelectionTest, PidsOfTablesCarryNoStreams) {
  Selected selected;
  selected.take(map({{kH264, 0}, {kH264, 0x1fff}, {kAac, 0x0f}, {kH264, 0x10}}));
  EXPECT_EQ(selected.shown(), (Pids{0x10}));
}

TEST(TsSelectionTest, ShowsThirtyTwoAudioStreamsAtMost) {
  std::vector<Entry> streams{{kH264, 0x100}};
  for (int i = 0; i < 100; ++i) streams.push_back({kAac, 0x200 + i});
  Selected selected;
  selected.take(map(streams));
  EXPECT_EQ(selected.shown().size(), 33u);
}

}  // namespace
}  // namespace transcoder::test
