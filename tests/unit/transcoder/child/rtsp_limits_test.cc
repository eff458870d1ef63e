#include "transcoder/child/rtsp_limits.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using namespace std::chrono_literals;
using Message = RtspLimits::Message;

const base::Time kStart{1000s};

/// Reads a head in single bytes. Returns the reason for the end.
std::string read_head(RtspLimits& limits, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    if (auto reason = limits.read(1, 1); !reason.empty()) return reason;
  }
  return {};
}

std::string arrive(RtspLimits& limits, Message what, int times, base::Duration apart = 1ms) {
  for (int i = 0; i < times; ++i) {
    if (auto reason = limits.arrived(what, kStart + i * apart); !reason.empty()) return reason;
  }
  return {};
}

TEST(RtspLimits, EndsAHeadWithoutEnd) {
  RtspLimits limits;
  EXPECT_EQ(read_head(limits, 64 << 10), "");
  EXPECT_EQ(limits.read(1, 1), "the head of an RTSP message is longer than 64 KB");
}

TEST(RtspLimits, CountsEachMessageForItself) {
  RtspLimits limits;
  for (int i = 0; i < 100; ++i) {
    limits.begins();
    EXPECT_EQ(read_head(limits, 4000), "");
    EXPECT_EQ(limits.read(1 << 20, 1 << 20), "") << "a body";
  }
}

TEST(RtspLimits, EndsAMessageWhoseReadsAreLong) {  // TLS has records
  RtspLimits limits;
  std::string reason;
  for (int i = 0; i < 70 && reason.empty(); ++i) reason = limits.read(16 << 10, 16 << 10);
  EXPECT_EQ(reason, "a message of RTSP is longer than 1 MB");
}

TEST(RtspLimits, EndsDataInsteadOfAnAnswer) {
  RtspLimits limits;
  limits.sent(false);
  EXPECT_EQ(arrive(limits, Message::kData, 5000), "");
  EXPECT_EQ(limits.arrived(Message::kData, kStart),
            "the RTSP server has sent 5000 other messages, but no answer to a request");
}

TEST(RtspLimits, EndsDataInsteadOfTheAnswerToPlay) {
  RtspLimits limits;
  limits.sent(false);
  EXPECT_EQ(limits.arrived(Message::kAnswer, kStart), "");
  limits.sent(true);
  EXPECT_EQ(arrive(limits, Message::kData, 5000), "");
  EXPECT_NE(limits.arrived(Message::kData, kStart), "");
}

TEST(RtspLimits, TakesDataWithoutEndOnceItPlays) {
  RtspLimits limits;
  limits.sent(true);
  EXPECT_EQ(limits.arrived(Message::kAnswer, kStart), "");
  EXPECT_EQ(arrive(limits, Message::kData, 100'000), "");
  limits.sent(false);  // a request that keeps the session, which need not have an answer
  EXPECT_EQ(arrive(limits, Message::kData, 100'000), "");
}

TEST(RtspLimits, EndsTooManyRequests) {
  RtspLimits limits;
  limits.sent(true);
  EXPECT_EQ(limits.arrived(Message::kAnswer, kStart), "");
  EXPECT_EQ(arrive(limits, Message::kRequest, 1000, 1s), "");
  EXPECT_EQ(arrive(limits, Message::kRequest, 1000),
            "the RTSP server sends more than one request per second");
}

}  // namespace
}  // namespace transcoder
