#include "tcpinfo/ebpf/event_programs.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
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

/// The real programs in the running kernel; each test runs for both sources.
class EventProgramsTest : public testing::TestWithParam<EventSource> {
 protected:
  void SetUp() override {
    auto loaded = EventPrograms::load(GetParam(), 2);
    if (!loaded) return end_without(loaded.error());
    programs_ = std::move(*loaded);
    connection_ = std::make_unique<Loopback>();  // after load(): sockops sees only new connections
    stranger_ = std::make_unique<Loopback>();
  }

  static void end_without(const std::string& why_not) {
    if (GetParam() == EventSource::kTracepoint) {
      return tcpinfo::end_without({CAP_BPF, CAP_PERFMON}, why_not);
    }
    // A program at a group above ours may exclude others; that is not a fault of this code.
    if (why_not.find("attach to cgroup") != std::string::npos) GTEST_SKIP() << why_not;
    tcpinfo::end_without({CAP_BPF, CAP_NET_ADMIN}, why_not);
  }

  /// Events of `ring` up to the first `kind`, for at most 3 s: ten times the first timeout.
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

TEST_P(EventProgramsTest, ATimeoutIsReportedAsRexmt) {
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

TEST_P(EventProgramsTest, AHoleInTheSequenceIsReportedAsDupack) {
  ASSERT_TRUE(programs_->watch(connection_->sender(), kSession, 0));
  connection_->lose('x');
  for (const char* segment : {"x", "a", "b", "c", "d"}) connection_->send(segment);
  EXPECT_EQ(events_until(EventKind::kDupack, 0), std::vector{EventKind::kDupack});
  EXPECT_GE(last_.sacked, 1u);
}

TEST_P(EventProgramsTest, ATimeoutDuringCwrIsReportedAsRexmt) {
  if (GetParam() == EventSource::kSockops) GTEST_SKIP() << "sockops does not report CWR";
  const auto congested = congest_marked_packets();
  if (!congested) GTEST_SKIP() << "no program at our control group: " << std::strerror(errno);
  ASSERT_TRUE(programs_->watch(connection_->sender(), kSession, 0));
  connection_->lose('x');
  connection_->send("x");  // CWR lasts while this is unacknowledged
  ASSERT_EQ(
      ::setsockopt(connection_->sender(), SOL_SOCKET, SO_MARK, &kSocketMark, sizeof kSocketMark),
      0);
  connection_->send("x");
  EXPECT_EQ(events_until(EventKind::kRexmt, 0),
            (std::vector{EventKind::kCwr, EventKind::kTlp, EventKind::kRexmt}));
  EXPECT_EQ(events_until(EventKind::kRexmt, 0), std::vector{EventKind::kRexmt});
}

TEST_P(EventProgramsTest, RefusesToWatchAFileThatIsNotASocket) {
  const base::UniqueFd null{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  ASSERT_TRUE(null);
  EXPECT_FALSE(programs_->watch(null.get(), kSession, 0));
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
