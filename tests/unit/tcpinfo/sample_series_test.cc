#include "tcpinfo/sample_series.h"

#include <gtest/gtest.h>

namespace tcpinfo {
namespace {

using namespace std::chrono_literals;

class SampleSeriesTest : public testing::Test {
 protected:
  TcpSample after(base::Duration time) {
    sample_.at += time;
    return series_.next(sample_);
  }
  SampleSeriesTest() { after(0ms); }

  TcpSample sample_{.at = base::Time{1h}, .bytes_acked = 1000, .busy = 20s, .receiver_limited = 3s};
  SampleSeries series_;
};

TEST_F(SampleSeriesTest, LeavesWhatAKernelCounts) {
  for (int i = 0; i < 1000; ++i) {
    sample_.bytes_acked += 5000;
    sample_.busy += 33ms;
    sample_.receiver_limited += i % 4 == 0 ? 4ms : 0ms;  // a jiffy
    const auto seen = after(i % 4 == 0 ? 30ms : 34ms);
    EXPECT_EQ(seen.bytes_acked, sample_.bytes_acked);
    EXPECT_EQ(seen.busy, sample_.busy);
    EXPECT_EQ(seen.receiver_limited, sample_.receiver_limited);
  }
}

TEST_F(SampleSeriesTest, LeavesAJiffyBetweenTwoSamplesOfOneMoment) {
  sample_.receiver_limited += 10ms;
  EXPECT_EQ(after(0ms).receiver_limited, 3s + 10ms);
}

TEST_F(SampleSeriesTest, ATimeGrowsNoFasterThanTimePasses) {
  sample_.receiver_limited += 1073s;
  sample_.busy += 1073s;
  const auto seen = after(33ms);
  EXPECT_LE(seen.receiver_limited, 3s + 33ms + 100ms);
  EXPECT_LE(seen.busy, 20s + 33ms + 100ms);
  const auto before = seen.receiver_limited;
  sample_.receiver_limited += 1073s;
  EXPECT_EQ(after(33ms).receiver_limited, before + 33ms) << "it is ahead already";
}

TEST_F(SampleSeriesTest, ATimeThatBeginsAgainGrowsOn) {
  sample_.busy = 0s;
  EXPECT_EQ(after(33ms).busy, 20s);
  sample_.busy = 33ms;
  EXPECT_EQ(after(33ms).busy, 20s + 33ms);
}

TEST_F(SampleSeriesTest, AWrongNumberOfBytesIsRightAgainWithTheNextSample) {
  sample_.bytes_acked += 1'000'000'000;
  after(33ms);
  sample_.bytes_acked = 2000;
  EXPECT_EQ(after(33ms).bytes_acked, 2000u);
}

TEST_F(SampleSeriesTest, TheClockMayBeOlderThanTheReading) {
  sample_.busy += 40ms;
  EXPECT_EQ(after(-5ms).busy, 20s + 40ms);
  sample_.busy += 33ms;
  EXPECT_EQ(after(33ms).busy, 20s + 73ms);
}

}  // namespace
}  // namespace tcpinfo
