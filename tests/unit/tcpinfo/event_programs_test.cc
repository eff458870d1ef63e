#include "tcpinfo/ebpf/event_programs.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "loopback.h"
#include "needs.h"
#include "tcpinfo/ebpf/control_group.h"

namespace tcpinfo {
namespace {

constexpr std::uint64_t kSession = 7'000'000'000;

constexpr int kSocketMark = 0x73796d;

/// While the returned link lives, packets that our control group sends with the socket mark
/// kSocketMark are reported to TCP as sent but congested (NET_XMIT_CN), as by a full local queue,
/// so TCP enters CWR. Returns an empty descriptor and sets errno if that is not possible.
base::UniqueFd congest_marked_packets() {
  // Results of an egress program of a control group: 1 passes the packet, 3 passes it and reports
  // congestion (__cgroup_bpf_run_filter_skb, kernel/bpf/cgroup.c).
  const std::array<bpf_insn, 5> code{{
      {BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 1},
      {BPF_LDX | BPF_MEM | BPF_W, BPF_REG_2, BPF_REG_1, offsetof(__sk_buff, mark), 0},
      {BPF_JMP | BPF_JNE | BPF_K, BPF_REG_2, 0, 1, kSocketMark},
      {BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 3},
      {BPF_JMP | BPF_EXIT, 0, 0, 0, 0},
  }};
  bpf_prog_load_opts options{};
  options.sz = sizeof options;
  options.expected_attach_type = BPF_CGROUP_INET_EGRESS;
  const base::UniqueFd program{bpf_prog_load(BPF_PROG_TYPE_CGROUP_SKB, "congest", "GPL",
                                             code.data(), code.size(), &options)};
  const base::UniqueFd group{open_control_group()};
  if (!program || !group) return {};
  return base::UniqueFd{
      bpf_link_create(program.get(), group.get(), BPF_CGROUP_INET_EGRESS, nullptr)};
}

bool has(const std::vector<EventKind>& kinds, EventKind kind) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

/// The real programs in the running kernel; each test runs for both sources.
class EventProgramsTest : public testing::TestWithParam<EventSource> {
 protected:
  void SetUp() override {
    auto loaded = EventPrograms::load(GetParam(), 2);
    if (!loaded) return end_without(loaded.error());
    programs_ = std::move(*loaded);
    connect();  // after load(): sockops sees only new connections
  }

  void connect() {
    for (auto* old : {connection_.get(), stranger_.get()}) {
      if (old) old->reset_by_receiver();  // no further timeouts
    }
    for (const int ring : {0, 1}) programs_->read(ring, [](auto...) {});
    connection_ = std::make_unique<Loopback>();
    stranger_ = std::make_unique<Loopback>();
  }

  /// Whether `scenario`, played on a new connection each time, reports `expected`, and later events
  /// at most after that: a process that pauses reads several timeouts at once. Linux
  /// skips a tracing program on a processor that is already running it (bpf_prog::active), so on a
  /// busy machine a few events of a thousand are missing, and one of five connections has to show
  /// all. Programs of a control group miss no events.
  template <typename Scenario>
  testing::AssertionResult reports(const std::vector<EventKind>& expected, Scenario scenario) {
    const int connections = GetParam() == EventSource::kTracepoint ? 5 : 1;
    std::string seen;
    for (int i = 0; i < connections; ++i, connect()) {
      const std::vector<EventKind> kinds = scenario();
      if (kinds.size() >= expected.size() &&
          std::ranges::equal(expected, kinds | std::views::take(expected.size())))
        return testing::AssertionSuccess();
      seen += " " + testing::PrintToString(kinds);
    }
    return testing::AssertionFailure() << "events:" << seen;
  }

  static void end_without(const std::string& why_not) {
    if (GetParam() == EventSource::kTracepoint) {
      return tcpinfo::end_without({CAP_BPF, CAP_PERFMON}, why_not);
    }
    // A program at a group above ours may exclude others; that is not a fault of this code.
    if (why_not.find("attach to cgroup") != std::string::npos) GTEST_SKIP() << why_not;
    tcpinfo::end_without({CAP_BPF, CAP_NET_ADMIN}, why_not);
  }

  /// Events of `ring` until one is a `kind`, for 3 s at least: ten times the first timeout. The
  /// first of that kind is `first_`.
  std::vector<EventKind> events_until(EventKind kind, int ring) {
    std::vector<EventKind> kinds;
    for (int tries = 0; tries < 30; ++tries) {
      pollfd ready{programs_->fd(ring), POLLIN, 0};
      ::poll(&ready, 1, 100);
      programs_->read(ring, [&](std::uint64_t session, const CongestionEvent& event) {
        EXPECT_EQ(session, kSession);
        if (event.kind == kind && !has(kinds, kind)) first_ = event;
        kinds.push_back(event.kind);
      });
      if (has(kinds, kind)) break;
    }
    return kinds;
  }

  /// Those that have been reported.
  std::vector<EventKind> events_of(int ring) {
    std::vector<EventKind> kinds;
    programs_->read(ring, [&](auto, const CongestionEvent& event) { kinds.push_back(event.kind); });
    return kinds;
  }

  std::vector<EventKind> two_timeouts(int ring) {
    auto kinds = events_until(EventKind::kRexmt, ring);
    const auto second = events_until(EventKind::kRexmt, ring);
    kinds.insert(kinds.end(), second.begin(), second.end());
    return kinds;
  }

  std::unique_ptr<EventPrograms> programs_;
  std::unique_ptr<Loopback> connection_;
  std::unique_ptr<Loopback> stranger_;
  CongestionEvent first_;
};

TEST_P(EventProgramsTest, ATimeoutIsReportedAsRexmt) {
  const auto before = base::Clock::now();
  // The tail loss probe is lost as well. The second timeout is a back-off.
  EXPECT_TRUE(reports({EventKind::kTlp, EventKind::kRexmt, EventKind::kRexmt}, [&] {
    EXPECT_TRUE(programs_->watch(connection_->sender(), kSession, 1));
    for (auto* c : {connection_.get(), stranger_.get()}) c->lose('x');
    for (auto* c : {connection_.get(), stranger_.get()}) c->send("x");
    return two_timeouts(1);
  }));
  EXPECT_GT(first_.at, before);
  EXPECT_LE(first_.at, base::Clock::now());
  EXPECT_GT(first_.cwnd, 0u);
  EXPECT_EQ(programs_->lost(1), 0u);
}

TEST_P(EventProgramsTest, AHoleInTheSequenceIsReportedAsDupack) {
  EXPECT_TRUE(reports({EventKind::kDupack}, [&] {
    EXPECT_TRUE(programs_->watch(connection_->sender(), kSession, 0));
    connection_->lose('x');
    for (const char* segment : {"x", "a", "b", "c", "d"}) connection_->send(segment);
    return events_until(EventKind::kDupack, 0);
  }));
  EXPECT_GE(first_.sacked, 1u);
}

TEST_P(EventProgramsTest, ATimeoutDuringCwrIsReportedAsRexmt) {
  if (GetParam() == EventSource::kSockops) GTEST_SKIP() << "sockops does not report CWR";
  const auto congested = congest_marked_packets();
  if (!congested) GTEST_SKIP() << "no program at our control group: " << std::strerror(errno);
  const std::vector expected{EventKind::kCwr, EventKind::kTlp, EventKind::kRexmt,
                             EventKind::kRexmt};
  EXPECT_TRUE(reports(expected, [&] {
    EXPECT_TRUE(programs_->watch(connection_->sender(), kSession, 0));
    connection_->lose('x');
    connection_->send("x");  // CWR lasts while this is unacknowledged
    EXPECT_EQ(
        ::setsockopt(connection_->sender(), SOL_SOCKET, SO_MARK, &kSocketMark, sizeof kSocketMark),
        0);
    connection_->send("x");
    return two_timeouts(0);
  }));
}

TEST_P(EventProgramsTest, AnRttBeyondTheLimitIsReportedOnce) {
  EXPECT_TRUE(reports({EventKind::kRtt}, [&] {
    EXPECT_TRUE(programs_->watch(connection_->sender(), kSession, 1));
    EXPECT_TRUE(programs_->watch_rtt(connection_->sender(), std::chrono::microseconds{1}));
    for (const char* segment : {"a", "b", "c"}) connection_->send(segment);
    return events_until(EventKind::kRtt, 1);
  }));
  EXPECT_GT(first_.srtt, std::chrono::microseconds{1});
  for (const char* segment : {"a", "b", "c"}) connection_->send(segment);
  EXPECT_FALSE(has(events_of(1), EventKind::kRtt)) << "again";
  for (const auto limit : {std::chrono::hours{0}, std::chrono::hours{1}}) {
    EXPECT_TRUE(programs_->watch_rtt(connection_->sender(), limit));
    for (const char* segment : {"a", "b", "c"}) connection_->send(segment);
    EXPECT_FALSE(has(events_of(1), EventKind::kRtt)) << limit.count() << " h";
  }
}

TEST_P(EventProgramsTest, RefusesToWatchAFileThatIsNotASocket) {
  const base::UniqueFd null{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  ASSERT_TRUE(null);
  EXPECT_FALSE(programs_->watch(null.get(), kSession, 0));
  EXPECT_FALSE(programs_->watch_rtt(null.get(), std::chrono::microseconds{1}));
}

INSTANTIATE_TEST_SUITE_P(Ebpf, EventProgramsTest,
                         testing::Values(EventSource::kTracepoint, EventSource::kSockops),
                         [](const auto& test) { return std::string{name(test.param)}; });

TEST(EventProgramsRingsTest, RefusesMoreThan64Rings) {
  const auto loaded = EventPrograms::load(EventSource::kTracepoint, 65);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().find("server.threads"), std::string::npos);
}

}  // namespace
}  // namespace tcpinfo
