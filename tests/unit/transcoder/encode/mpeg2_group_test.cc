#include <gtest/gtest.h>

#include "packet_log.h"
#include "pictures.h"
#include "transcoder/encode/encode_group.h"
#include "transcoder/encode/ts_muxer.h"
#include "ts_inspect.h"

namespace transcoder {
namespace {

using std::chrono::milliseconds;

/// A group with the real encoder, fed picture by picture.
class Mpeg2GroupTest : public ::testing::Test {
 protected:
  media::PacketPtr pass(milliseconds pts) {
    const auto before = log_.size();
    group_.push(pictures_.next(pts));
    return log_.wait(before + 1).back();
  }

  /// A frame of a source whose rate is measured. Returns the rate in the header, if it has one
  /// (ISO/IEC 13818-2, 6.2.2.1: 4 bits after a start code and 28 bits).
  std::optional<int> pass_measured(milliseconds pts, double rate) {
    const auto before = log_.size();
    auto picture = std::make_shared<media::Frame>(*pictures_.next(pts));
    picture->rate = rate;
    group_.push(std::move(picture));
    const auto packet = log_.wait(before + 1).back();
    if (!packet->keyframe) return {};
    return packet->unit.at(7) & 0x0f;
  }
  static constexpr int kCode25 = 3;  // table 6-4
  static constexpr int kCode30 = 5;

  test::Pictures pictures_{test::Content::kMoving, 176, 120};
  test::PacketLog log_;
  EncodeGroup group_{
      "live",
      VideoSettings{},
      AudioSettings{.enabled = false},
      EncoderSettings{.codec = VideoCodec::kMpeg2, .keyframe_interval = std::chrono::seconds{60}},
      base::BitRate::mbps(2),
      OperatingPoint{},
      [this](media::PacketPtr packet) { log_.add(std::move(packet)); }};
};

TEST_F(Mpeg2GroupTest, AKeyframeAnnouncesMpeg2) {
  constexpr int kMpeg2 = 0x02;
  EXPECT_EQ(test::stream_types(pass(milliseconds{0})->ts),
            (std::map<int, int>{{TsMuxer::kVideoPid, kMpeg2}}));
}

TEST_F(Mpeg2GroupTest, StatesTheMeasuredFrameRate) {
  EXPECT_EQ(pass_measured(milliseconds{0}, 25.002), kCode25);
}

TEST_F(Mpeg2GroupTest, StatesANewFrameRateWhenAKeyframeIsDue) {
  EXPECT_EQ(pass_measured(milliseconds{0}, 0), kCode30) << "the limit, as long as it is not known";
  EXPECT_EQ(pass_measured(milliseconds{40}, 25), std::nullopt);
  EXPECT_EQ(pass_measured(milliseconds{60'000}, 25), kCode25);
  EXPECT_EQ(pass_measured(milliseconds{60'040}, 25.1), std::nullopt);
}

TEST_F(Mpeg2GroupTest, AKeyframeRecoversFromLostFrames) {
  EXPECT_TRUE(pass(milliseconds{10})->keyframe);
  for (int i = 1; i < 5; ++i) EXPECT_FALSE(pass(milliseconds{10 + 40 * i})->keyframe);
  group_.recover({.first = 4, .last = 4});
  const auto recovery = pass(milliseconds{250});
  EXPECT_TRUE(recovery->keyframe);
  EXPECT_FALSE(recovery->recovers_from);
  EXPECT_FALSE(pass(milliseconds{290})->keyframe);
  EXPECT_EQ(group_.state().keyframes_forced, 1U);
  EXPECT_EQ(group_.state().recoveries, 0U);
}

TEST_F(Mpeg2GroupTest, ANewRateHoldsFromTheNextFrame) {
  for (int i = 0; i < 10; ++i) pass(milliseconds{33 * i});
  group_.retarget(base::BitRate::kbps(400));
  const auto packet = pass(milliseconds{330});
  EXPECT_FALSE(packet->keyframe);
  EXPECT_EQ(packet->rate, base::BitRate::kbps(400));
  // 1650 bytes of video; the container adds headers and pads its last packet.
  EXPECT_LE(packet->ts.size(), 1650 * 188 / 184 + 2 * 188U);
}

}  // namespace
}  // namespace transcoder
