#include "tcpinfo/ebpf/event_programs.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <string>
#include <utility>
#include <vector>

#include "loopback.h"

namespace tcpinfo {
namespace {

constexpr std::uint64_t kSession = 7'000'000'000;

/// The real programs in the running kernel; each fact for each of the two.
class EventProgramsTest : public testing::TestWithParam<EventSource> {
 protected:
  void SetUp() override {
    auto loaded = EventPrograms::load(GetParam(), 2);
    if (!loaded) GTEST_SKIP() << name(GetParam()) << ": " << loaded.error();
    programs_ = std::move(*loaded);
    connection_ = std::make_unique<Loopback>();  // after it: sockops sees connections begin
    stranger_ = std::make_unique<Loopback>();
  }

  /// What comes to `ring` until `kind` has, or 3 s have passed: ten times the first timeout.
  std::vector<EventKind> events_until(EventKind kind, int ring) {
    std::vector<EventKind> kinds;
    for (int tries = 0; tries < 30; ++tries) {
      pollfd ready{programs_->fd(ring), POLLIN, 0};
      ::poll(&ready, 1, 100);
      programs_->read(ring, [&](std::uint64_t session, const CongestionEvent& event) {
        EXPECT_EQ(session, kSession);
        last_ = event;
        kinds.push_back(event.kind);
      });
      if (!kinds.empty() && kinds.back() == kind) break;
    }
    return kinds;
  }

  std::unique_ptr<EventPrograms> programs_;
  std::unique_ptr<Loopback> connection_;
  std::unique_ptr<Loopback> stranger_;
  CongestionEvent last_;
};

TEST_P(EventProgramsTest, ATimeoutIsRexmt) {
  ASSERT_TRUE(programs_->watch(connection_->sender(), kSession, 1));
  for (auto* c : {connection_.get(), stranger_.get()}) c->lose('x');
  for (auto* c : {connection_.get(), stranger_.get()}) c->send("x");
  const auto before = base::Clock::now();
  // The tail loss probe is lost as well.
  EXPECT_EQ(events_until(EventKind::kRexmt, 1), (std::vector{EventKind::kTlp, EventKind::kRexmt}));
  EXPECT_GT(last_.at, before);
  EXPECT_LE(last_.at, base::Clock::now());
  EXPECT_GT(last_.cwnd, 0u);
  // The next one is a back-off.
  EXPECT_EQ(events_until(EventKind::kRexmt, 1), std::vector{EventKind::kRexmt});
  EXPECT_EQ(programs_->lost(1), 0u);
}

TEST_P(EventProgramsTest, AHoleInTheSequenceIsDupack) {
  ASSERT_TRUE(programs_->watch(connection_->sender(), kSession, 0));
  connection_->lose('x');
  for (const char* segment : {"x", "a", "b", "c", "d"}) connection_->send(segment);
  EXPECT_EQ(events_until(EventKind::kDupack, 0), std::vector{EventKind::kDupack});
  EXPECT_GE(last_.sacked, 1u);
}

TEST_P(EventProgramsTest, WhatIsNoTcpSocketCannotBeWatched) {
  EXPECT_FALSE(programs_->watch(0, kSession, 0));
}

INSTANTIATE_TEST_SUITE_P(Ebpf, EventProgramsTest,
                         testing::Values(EventSource::kTracepoint, EventSource::kSockops),
                         [](const auto& test) { return std::string{name(test.param)}; });

TEST(EventProgramsRingsTest, ThereIsARingForEachOf64Loops) {
  const auto loaded = EventPrograms::load(EventSource::kTracepoint, 65);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().find("server.threads"), std::string::npos);
}

}  // namespace
}  // namespace tcpinfo
