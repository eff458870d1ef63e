#include "transcoder/ingest/trouble_log.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

const std::map<SourceTrouble, std::string> kNone;
const std::map<SourceTrouble, std::string> kBroken{{SourceTrouble::kAudioBroken, "why"}};

bool logs(TroubleLog& log, const std::map<SourceTrouble, std::string>& troubles, bool playing) {
  testing::internal::CaptureStderr();
  log.note(troubles, playing);
  return testing::internal::GetCapturedStderr().find("trouble=audio_broken") != std::string::npos;
}

TEST(TroubleLogTest, SaysItOnce) {
  TroubleLog log{"live"};
  EXPECT_FALSE(logs(log, kNone, true));
  EXPECT_TRUE(logs(log, kBroken, true));
  EXPECT_FALSE(logs(log, kBroken, true));
}

TEST(TroubleLogTest, SaysItAgainAfterAWhileWithoutIt) {
  TroubleLog log{"live"};
  EXPECT_TRUE(logs(log, kBroken, true));
  EXPECT_FALSE(logs(log, kNone, true));
  EXPECT_TRUE(logs(log, kBroken, true));
}

TEST(TroubleLogTest, AReconnectIsNoReasonToSayItAgain) {
  TroubleLog log{"live"};
  EXPECT_TRUE(logs(log, kBroken, true));
  EXPECT_FALSE(logs(log, kNone, false));
  EXPECT_FALSE(logs(log, kBroken, true));
}

TEST(TroubleLogTest, SaysEachKindOfWrongDataOnce) {
  TroubleLog log{"live"};
  const auto lines = [&](const std::string& what) {
    testing::internal::CaptureStderr();
    log.note({{SourceTrouble::kWrongData, what}}, false);
    return testing::internal::GetCapturedStderr().find("(" + what + ")") != std::string::npos;
  };
  EXPECT_TRUE(lines("JPEG pictures"));
  EXPECT_TRUE(lines("an HTTP request"));
  EXPECT_FALSE(lines("JPEG pictures"));
}

}  // namespace
}  // namespace transcoder
