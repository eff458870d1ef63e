#include "server/viewer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "busy_loop.h"
#include "packets.h"

namespace server {
namespace {

using packets::audio;
using packets::frame;
using packets::kFrame;
using packets::queued;
using std::chrono::milliseconds;
using Source = Viewer::Source;

struct Received {
  media::Packet::Kind kind;
  std::uint64_t number;
  std::uint8_t group;
  bool spliced;  ///< a discontinuity was signalled on its PID since the last one
};

/// Parses the plain TS that a viewer without chunks receives.
std::vector<Received> read_ts(const std::string& text) {
  std::vector<Received> out;
  std::map<int, bool> spliced;
  for (std::size_t i = 0; i + 188 <= text.size(); i += 188) {
    const auto* p = reinterpret_cast<const std::uint8_t*>(text.data() + i);
    EXPECT_EQ(p[0], 0x47);
    const int pid = (p[1] & 0x1f) << 8 | p[2];
    if ((p[3] & 0x10) == 0) {
      spliced[pid] = true;
      continue;
    }
    std::uint64_t number = 0;
    for (int b = 7; b >= 0; --b) number = number << 8 | p[5 + b];
    const auto kind = pid == 0x100 ? media::Packet::Kind::kVideo : media::Packet::Kind::kAudio;
    if (!out.empty() && out.back().kind == kind && out.back().number == number) continue;
    out.push_back({kind, number, p[4], std::exchange(spliced[pid], false)});
  }
  return out;
}

class ViewerTest : public testing::Test {
 protected:
  void offer(const QueuedPacket& item, Source source = Source::kCurrent) {
    viewer_.offer(source, std::span{&item, 1}, now_);
  }
  void offer(media::PacketPtr packet, Source source = Source::kCurrent) {
    offer(queued(std::move(packet)), source);
  }

  /// One write to a socket that takes at most `most` bytes.
  void write(bool audio_due = false, std::size_t most = std::string::npos) {
    if (!viewer_.prepare(audio_due)) return;
    ++writes_;
    ResponseWriter::Pieces memory;
    std::size_t taken = 0;
    for (const auto& piece : viewer_.writer().pieces(memory)) {
      const auto part = std::min(piece.iov_len, most - taken);
      wire_.append(static_cast<const char*>(piece.iov_base), part);
      taken += part;
    }
    viewer_.taken(taken, now_);
  }

  void write_all(bool audio_due = false) {
    while (viewer_.prepare(audio_due)) write(audio_due);
  }

  std::vector<std::uint64_t> numbers(media::Packet::Kind kind) {
    std::vector<std::uint64_t> out;
    for (const auto& received : read_ts(wire_)) {
      if (received.kind == kind) out.push_back(received.number);
    }
    return out;
  }

  base::Time now_{std::chrono::hours{1}};
  Viewer viewer_{{}, milliseconds{1000}, {ResponseWriter::Framing::kUntilClose, "", 0}};
  std::string wire_;
  int writes_ = 0;
};

TEST_F(ViewerTest, BeginsWithAKeyframe) {
  offer(audio(0));
  offer(frame(0));
  write_all(true);
  EXPECT_EQ(viewer_.phase(), Viewer::Phase::kJoining);
  EXPECT_TRUE(wire_.empty());
  offer(frame(1, true));
  write_all();
  EXPECT_EQ(viewer_.phase(), Viewer::Phase::kPlaying);
  EXPECT_EQ(numbers(media::Packet::Kind::kVideo), (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(viewer_.state().frames_dropped, 0u);
}

TEST_F(ViewerTest, SendsAudioFramesBeforeTheNextFrameInOneWrite) {
  offer(frame(0, true));
  write_all();
  offer(audio(1));
  offer(audio(2));
  EXPECT_FALSE(viewer_.prepare(false));
  offer(frame(1));
  write();
  EXPECT_EQ(writes_, 2);
  const auto received = read_ts(wire_);
  ASSERT_EQ(received.size(), 4u);
  EXPECT_EQ(received[1].kind, media::Packet::Kind::kAudio);
  EXPECT_EQ(received[2].kind, media::Packet::Kind::kAudio);
  EXPECT_EQ(received[3].kind, media::Packet::Kind::kVideo);
}

TEST_F(ViewerTest, MergesFramesIntoOneWriteIfAsked) {
  offer(frame(0, true));
  write_all();
  offer(frame(1));
  offer(audio(1));
  EXPECT_FALSE(viewer_.has_several_frames());
  offer(frame(2));
  EXPECT_TRUE(viewer_.has_several_frames());
  const auto before = writes_;
  EXPECT_TRUE(viewer_.prepare(false, true));
  write_all();
  EXPECT_EQ(writes_, before + 1);
  EXPECT_EQ(numbers(media::Packet::Kind::kVideo), (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_EQ(viewer_.state().frames_sent, 3u);
  EXPECT_EQ(viewer_.state().frames_per_write, 2u);
  offer(frame(3));
  write_all();
  EXPECT_EQ(viewer_.state().frames_per_write, 1u);
}

TEST_F(ViewerTest, TheMarkOfAMergedWriteIsItsLastFrames) {
  offer(frame(0, true));
  write_all();
  for (std::uint64_t n = 1; n < 4; ++n) offer(frame(n));
  ASSERT_TRUE(viewer_.prepare(false, true));
  ASSERT_TRUE(viewer_.mark_due());
  viewer_.mark({.end = true});
  const auto end = viewer_.writer().batch_end();
  write();
  std::vector<std::uint64_t> marks;
  viewer_.sent().take_all([&](const SentFrame& sent) { marks.push_back(sent.marked_end); });
  EXPECT_EQ(marks, (std::vector<std::uint64_t>{0, 0, 0, end})) << "the first was sent alone";
}

TEST_F(ViewerTest, SendsAudioFramesAloneWhenDue) {
  offer(frame(0, true));
  write_all();
  offer(audio(1));
  write_all(true);
  EXPECT_EQ(numbers(media::Packet::Kind::kAudio), (std::vector<std::uint64_t>{1}));
}

TEST_F(ViewerTest, SeveralAudioFramesShareAWriteWhileThePicturePauses) {
  offer(frame(0, true));
  write_all();
  viewer_.pause();
  const auto before = writes_;
  for (std::uint64_t number = 1; number < Viewer::kAudioFramesPerWrite; ++number) {
    offer(audio(number));
    offer(frame(number));
    write_all();
  }
  EXPECT_EQ(writes_, before);
  offer(audio(Viewer::kAudioFramesPerWrite));
  write_all();
  EXPECT_EQ(writes_, before + 1);
  EXPECT_EQ(numbers(media::Packet::Kind::kAudio), (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
}

TEST_F(ViewerTest, WaitingAudioIsNotDiscardable) {
  offer(frame(0, true));
  write_all();
  offer(audio(1));
  EXPECT_GT(viewer_.state().queued.bytes(), 0);
  EXPECT_FALSE(viewer_.state().discardable);
  offer(frame(1));
  EXPECT_TRUE(viewer_.state().discardable);
}

TEST_F(ViewerTest, NeedsMarksOncePerFrame) {
  offer(frame(0, true));
  offer(frame(1));
  ASSERT_TRUE(viewer_.prepare(false));
  EXPECT_TRUE(viewer_.mark_due());
  viewer_.mark({.end = true, .head = 100});
  EXPECT_FALSE(viewer_.mark_due());
  write_all();
  std::vector<SentFrame> sent;
  viewer_.sent().take_all([&](const SentFrame& frame) { sent.push_back(frame); });
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].head_end, 100u);
  EXPECT_EQ(sent[0].marked_end, sent[0].end_offset);
  EXPECT_EQ(sent[1].marked_end, 0u) << "nobody asked for the second";
}

TEST_F(ViewerTest, AFramesWriteBeginsAfterAudioFramesSentAlone) {
  offer(frame(0, true));
  write_all();
  offer(audio(1));
  write_all(true);
  const auto before = wire_.size();
  offer(audio(2));
  offer(frame(1));
  write_all();
  std::vector<std::uint64_t> begins;
  viewer_.sent().take_all([&](const SentFrame& frame) { begins.push_back(frame.begin); });
  EXPECT_EQ(begins, (std::vector<std::uint64_t>{0, before}));
}

TEST_F(ViewerTest, AudioFramesAloneAreNotMarked) {
  offer(frame(0, true));
  write_all();
  viewer_.mark({.end = true});
  offer(audio(1));
  ASSERT_TRUE(viewer_.prepare(true));
  EXPECT_FALSE(viewer_.mark_due());
  EXPECT_FALSE(viewer_.marked());
}

TEST_F(ViewerTest, CompletesAPartlySentFrameBeforeItDrops) {
  offer(frame(0, true));
  write(false, 100);
  for (std::uint64_t n = 1; n <= 60; ++n) offer(frame(n, n == 50));
  EXPECT_EQ(viewer_.state().gops_dropped, 1u);
  write_all();
  const auto received = read_ts(wire_);
  ASSERT_GE(received.size(), 2u);
  EXPECT_EQ(received[0].number, 0u);
  EXPECT_EQ(received[1].number, 50u);
  EXPECT_TRUE(received[1].spliced);
  EXPECT_EQ(viewer_.state().frames_dropped, 49u);
}

TEST_F(ViewerTest, CompletesAPartlySentFrameBeforeARecoveryFrame) {
  offer(frame(0, true));
  write(false, 100);
  offer(frame(1));
  offer(frame(2));
  EXPECT_EQ(viewer_.discard_unsent(), (media::FrameRange{1, 2}));
  EXPECT_EQ(viewer_.state().queued.bytes(), 2 * 188 - 100);
  offer(frame(3));
  offer(packets::recovering(4, 1));
  write_all();
  const auto received = read_ts(wire_);
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[1].number, 4u);
  EXPECT_TRUE(received[1].spliced);
  EXPECT_EQ(viewer_.state().discards, 1u);
}

TEST_F(ViewerTest, DiscardsNothingIfAllIsSent) {
  offer(frame(0, true));
  write_all();
  EXPECT_EQ(viewer_.discard_unsent(), std::nullopt);
  offer(frame(1));
  write_all();
  EXPECT_EQ(numbers(media::Packet::Kind::kVideo), (std::vector<std::uint64_t>{0, 1}));
}

TEST_F(ViewerTest, PadsTheNextFrameOnly) {
  offer(frame(0, true));
  write_all();
  viewer_.pad(base::ByteCount{1000});
  offer(audio(1));
  write_all(true);
  EXPECT_EQ(viewer_.state().padding.bytes(), 0);
  for (std::uint64_t n : {1, 2}) {
    offer(frame(n));
    write_all();
  }
  EXPECT_EQ(viewer_.state().padding.bytes(), 5 * 188);
  EXPECT_EQ(wire_.size(), 3u * 2 * 188 + 188 + 5 * 188);
  std::vector<std::uint32_t> padding;
  viewer_.sent().take_all([&](const SentFrame& f) { padding.push_back(f.padding); });
  EXPECT_EQ(padding, (std::vector<std::uint32_t>{0, 5 * 188, 0}));
}

TEST_F(ViewerTest, CountsTheRestOfAPartlySentFrameAsQueued) {
  offer(frame(0, true));
  offer(frame(1));
  EXPECT_EQ(viewer_.state().queued.bytes(), 4 * 188);
  write(false, 100);
  EXPECT_EQ(viewer_.state().queued.bytes(), 4 * 188 - 100);
  write_all();
  EXPECT_EQ(viewer_.state().queued.bytes(), 0);
}

TEST_F(ViewerTest, RecordsSentFramesWithTheirOffsets) {
  offer(frame(0, true));
  write(false, 100);
  EXPECT_EQ(viewer_.sent().size(), 0u);
  now_ += milliseconds{5};
  write_all();
  ASSERT_EQ(viewer_.sent().size(), 1u);
  viewer_.sent().take_all([this](const SentFrame& frame) {
    EXPECT_EQ(frame.end_offset, 2u * 188);
    EXPECT_EQ(frame.departed, now_);
    EXPECT_EQ(frame.size, 2 * 188);
  });
  EXPECT_EQ(viewer_.state().frames_sent, 1u);
  EXPECT_EQ(viewer_.state().sent.bytes(), 2 * 188);
}

TEST_F(ViewerTest, KnowsTheRateOfTheNewestFrame) {
  offer(frame(0, true, 7));
  EXPECT_EQ(viewer_.state().rate.bps(), 1'000'007);
}

TEST_F(ViewerTest, SplicesAfterAGapInItsChannel) {
  offer(frame(0, true));
  offer(audio(0));
  offer(QueuedPacket{frame(9, true), true});
  offer(audio(9));
  offer(frame(10));
  write_all();
  const auto received = read_ts(wire_);
  ASSERT_EQ(received.size(), 5u);
  EXPECT_FALSE(received[1].spliced);
  EXPECT_TRUE(received[2].spliced);
  EXPECT_TRUE(received[3].spliced);
  EXPECT_FALSE(received[4].spliced);
}

TEST_F(ViewerTest, SplicesTheFirstOfEachKindAfterASwitch) {
  offer(frame(0, true, 1));
  offer(audio(0, 1));
  viewer_.begin_switch(1 * kFrame, now_);
  offer(audio(0, 2), Source::kNext);
  offer(frame(1, true, 2), Source::kNext);
  EXPECT_TRUE(viewer_.switched());
  EXPECT_FALSE(viewer_.switched());
  offer(audio(0, 2));
  offer(audio(1, 2));
  offer(frame(2, false, 2));
  write_all();
  const auto received = read_ts(wire_);
  ASSERT_EQ(received.size(), 5u);
  EXPECT_EQ(received[2].number, 1u);
  EXPECT_TRUE(received[2].spliced);
  EXPECT_EQ(received[3].number, 1u);
  EXPECT_TRUE(received[3].spliced) << "audio";
  EXPECT_FALSE(received[4].spliced);
  EXPECT_EQ(viewer_.state().switches, 1u);
}

TEST_F(ViewerTest, StaysOnTheOldChannelUntilTheKeyframeComes) {
  offer(frame(0, true, 1));
  viewer_.begin_switch(1 * kFrame, now_);
  std::uint64_t n = 1;
  for (; n < 150; ++n) {
    now_ += milliseconds{33};
    offer(frame(n, false, 1));
    write_all();
  }
  EXPECT_FALSE(viewer_.switched());
  EXPECT_EQ(numbers(media::Packet::Kind::kVideo).size(), n);
  offer(frame(n, true, 2), Source::kNext);
  EXPECT_TRUE(viewer_.switched());
  write_all();
  EXPECT_EQ(read_ts(wire_).back().group, 2);
  EXPECT_EQ(viewer_.state().frames_dropped, 0u);
}

TEST_F(ViewerTest, WaitsForTheKeyframeWhenItsOldChannelHasClosed) {
  offer(frame(0, true, 1));
  viewer_.begin_switch(1 * kFrame, now_);
  viewer_.old_channel_closed();
  now_ += milliseconds{60'000};
  viewer_.check_time(now_);
  offer(frame(1800, false, 2), Source::kNext);
  EXPECT_TRUE(viewer_.switching());
  offer(frame(1801, true, 2), Source::kNext);
  EXPECT_TRUE(viewer_.switched());
}

TEST_F(ViewerTest, IgnoresTheOldChannelAfterTheSwitch) {
  offer(frame(0, true, 1));
  viewer_.begin_switch(2 * kFrame, now_);
  offer(frame(2, true, 2), Source::kNext);
  now_ += milliseconds{300};  // the old channel is late with frame 1
  offer(frame(1, false, 1));
  offer(frame(3, false, 1));
  EXPECT_TRUE(viewer_.switched());
  offer(frame(3, false, 2));
  write_all();
  const auto received = read_ts(wire_);
  ASSERT_EQ(received.size(), 3u);
  EXPECT_EQ(received[1].group, 2);
  EXPECT_EQ(received[2].number, 3u);
  EXPECT_EQ(received[2].group, 2);
}

TEST_F(ViewerTest, FinishDropsPacketsNotYetStarted) {
  offer(frame(0, true));
  write(false, 100);
  offer(frame(1));
  viewer_.finish();
  offer(frame(2));
  write_all();
  EXPECT_EQ(numbers(media::Packet::Kind::kVideo), (std::vector<std::uint64_t>{0}));
  EXPECT_FALSE(viewer_.has_unsent());
}

/// Two channels of one stream, each with a random lag. Frames and audio frames are interleaved
/// differently in each; in both, the audio also has the source's lag. On average, every 13th frame
/// of a group is a keyframe.
class TwoChannels {
 public:
  TwoChannels(std::mt19937& random, int frames) {
    const auto common_lag = milliseconds{random() % 1000};
    for (int group : {0, 1}) {
      auto& events = events_[static_cast<std::size_t>(group)];
      const auto video_lag = milliseconds{random() % 140};
      const auto audio_lag = common_lag + milliseconds{random() % 140};
      int keyframe = group == 0 ? 0 : static_cast<int>(random() % 25);
      for (int n = 0; n < frames; ++n) {
        const bool key = n == 0 || n == keyframe;
        if (n == keyframe) keyframe += 1 + static_cast<int>(random() % 25);
        events.push_back(
            {n * kFrame + video_lag + milliseconds{random() % 30},
             frame(static_cast<std::uint64_t>(n), key, static_cast<std::uint8_t>(group), 1)});
      }
      for (int n = 0; n * packets::kAudio < frames * kFrame; ++n) {
        events.push_back({n * packets::kAudio + audio_lag + milliseconds{random() % 20},
                          audio(static_cast<std::uint64_t>(n), static_cast<std::uint8_t>(group))});
      }
      std::stable_sort(events.begin(), events.end(),
                       [](const Event& a, const Event& b) { return a.time < b.time; });
    }
  }

  struct Event {
    milliseconds time;
    media::PacketPtr packet;
  };
  const std::vector<Event>& of(std::size_t group) const { return events_[group]; }

 private:
  std::array<std::vector<Event>, 2> events_;
};

/// Receives both channels and changes between them at random, as ViewerSession does.
class Wanderer {
 public:
  Wanderer(std::mt19937& random, const TwoChannels& channels) : random_{random} {
    std::array<std::size_t, 2> next{};
    for (std::size_t group : {0, 1}) groups_[group].add(taps_[group]);
    make_busy(merging_);
    viewer_.begin({});
    for (;;) {
      const auto& a = channels.of(0);
      const auto& b = channels.of(1);
      if (next[0] == a.size() && next[1] == b.size()) break;
      const std::size_t group =
          next[1] == b.size() || (next[0] < a.size() && a[next[0]].time <= b[next[1]].time) ? 0 : 1;
      const auto& event = channels.of(group)[next[group]++];
      now_ = base::Time{std::chrono::hours{1}} + event.time;
      publish(group, event.packet);
      if (random_() % 40 == 0 && viewer_.phase() == Viewer::Phase::kPlaying) move();
    }
  }

  std::vector<Received> received() { return read_ts(wire_); }
  std::uint64_t switches() { return viewer_.state().switches; }

 private:
  /// The viewer's membership in one of the channels.
  class Tap : public ChannelMember {
   public:
    Tap(Wanderer& wanderer, std::size_t group) : wanderer_{wanderer}, group_{group} {}
    bool on_packets(GroupChannel&, std::span<const QueuedPacket> items, base::Time) override {
      return wanderer_.on_packets(group_, items);
    }
    void on_channel_closed(GroupChannel&, base::Time) override {}

   private:
    Wanderer& wanderer_;
    const std::size_t group_;
  };

  void publish(std::size_t group, const media::PacketPtr& packet) {
    auto timed = std::make_shared<media::Packet>(*packet);
    timed->duration = milliseconds{33};
    groups_[group].publish(queued(timed), now_);
    for (auto& channel : groups_) channel.check_time(now_);
    newest_ = std::max(newest_, packet->pts);
  }

  /// Returns whether the viewer may wait, which is up to chance.
  bool on_packets(std::size_t group, std::span<const QueuedPacket> items) {
    if (group == current_) {
      viewer_.offer(Viewer::Source::kCurrent, items, now_);
    } else if (viewer_.switching()) {
      viewer_.offer(Viewer::Source::kNext, items, now_);
    }
    follow();
    return random_() % 2 == 0;
  }

  void move() {
    if (viewer_.switching()) {
      viewer_.cancel_switch();
      if (random_() % 2) return follow();
    }
    viewer_.begin_switch(newest_ + milliseconds{random_() % 300} - milliseconds{100}, now_);
    viewer_.offer(Viewer::Source::kNext, groups_[1 - current_].recent(), now_);
    follow();
  }

  void follow() {
    if (viewer_.switched()) current_ = 1 - current_;
    while (viewer_.prepare(true)) {
      ResponseWriter::Pieces memory;
      std::size_t taken = 0;
      for (const auto& piece : viewer_.writer().pieces(memory)) {
        wire_.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
        taken += piece.iov_len;
      }
      viewer_.taken(taken, now_);
    }
  }

  std::mt19937& random_;
  WriteMerging merging_;
  std::array<GroupChannel, 2> groups_{GroupChannel{{0, 0}, merging_},
                                      GroupChannel{{0, 1}, merging_}};
  std::array<Tap, 2> taps_{Tap{*this, 0}, Tap{*this, 1}};
  Viewer viewer_{{}, milliseconds{1000}, {ResponseWriter::Framing::kUntilClose, "", 0}};
  std::size_t current_ = 0;
  base::Time now_{};
  media::Pts newest_{};
  std::string wire_;
};

std::vector<Received> only(const std::vector<Received>& all, media::Packet::Kind kind) {
  std::vector<Received> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some),
               [kind](const Received& r) { return r.kind == kind; });
  return some;
}

/// Expects packets without a gap, spliced where the group changes, and no more splices than
/// switches (a viewer may change twice between two audio frames).
void expect_unbroken(const std::vector<Received>& received, std::uint64_t switches) {
  std::uint64_t splices = 0;
  for (std::size_t i = 1; i < received.size(); ++i) {
    ASSERT_EQ(received[i].number, received[i - 1].number + 1);
    const bool changes = received[i].group != received[i - 1].group;
    ASSERT_TRUE(received[i].spliced || !changes) << "at " << i;
    if (received[i].spliced) ++splices;
  }
  ASSERT_LE(splices, switches);
}

TEST(ViewerSwitchTest, DeliversEveryFrameAndAudioFrameOnceHoweverTheChannelsInterleave) {
  const auto seed = std::random_device{}();
  std::mt19937 random{seed};
  std::uint64_t switches = 0;
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + " round " + std::to_string(round));
    const TwoChannels channels{random, 300};
    Wanderer wanderer{random, channels};
    const auto received = wanderer.received();
    const auto frames = only(received, media::Packet::Kind::kVideo);
    const auto audio_frames = only(received, media::Packet::Kind::kAudio);
    ASSERT_GT(frames.size(), 250u);
    ASSERT_GT(audio_frames.size(), 400u);
    ASSERT_NO_FATAL_FAILURE(expect_unbroken(frames, wanderer.switches()));
    ASSERT_NO_FATAL_FAILURE(expect_unbroken(audio_frames, wanderer.switches()));
    switches += wanderer.switches();
  }
  EXPECT_GT(switches, 500u) << "the generator no longer switches";
}

}  // namespace
}  // namespace server
