#include "tcpinfo/event_record.h"

#include <gtest/gtest.h>

#include <span>

#include "bpf/event.h"

namespace tcpinfo {
namespace {

using namespace std::chrono_literals;

std::optional<SessionEvent> parse(const symcast_event& record) {
  return parse_event_record(std::as_bytes(std::span{&record, 1}));
}

constexpr symcast_event kRecord{.time_ns = 5'000'000'000,
                                .session = 7,
                                .kind = SYMCAST_CWR,
                                .cwnd = 40,
                                .ssthresh = 30,
                                .srtt_us = 20'000,
                                .sacked = 3,
                                .lost = 2};

TEST(EventRecordTest, IsReadAsTheProgramsWriteIt) {
  const auto read = parse(kRecord);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->session, 7u);
  EXPECT_EQ(read->event.kind, EventKind::kCwr);
  EXPECT_EQ(read->event.at, base::Time{5s});
  EXPECT_EQ(read->event.cwnd, 40u);
  EXPECT_EQ(read->event.ssthresh, 30u);
  EXPECT_EQ(read->event.srtt, 20ms);
  EXPECT_EQ(read->event.sacked, 3u);
  EXPECT_EQ(read->event.lost, 2u);
}

TEST(EventRecordTest, AnInfiniteThresholdIsNone) {
  auto record = kRecord;
  record.ssthresh = 0x7fffffff;
  EXPECT_FALSE(parse(record)->event.ssthresh);
}

// Counters have a place for each known kind.
TEST(EventRecordTest, AnUnknownKindIsNoEvent) {
  auto record = kRecord;
  record.kind = SYMCAST_RTT + 1;
  EXPECT_FALSE(parse(record));
  record.kind = 256 + SYMCAST_CWR;  // the low byte is known
  EXPECT_FALSE(parse(record));
}

TEST(EventRecordTest, ATimeNeverLiesBeforeTheStart) {
  auto record = kRecord;
  record.time_ns = ~0ull;
  EXPECT_EQ(parse(record)->event.at, base::Time::max());
}

TEST(EventRecordTest, AShortRecordIsNoEvent) {
  const auto bytes = std::as_bytes(std::span{&kRecord, 1});
  EXPECT_FALSE(parse_event_record(bytes.first(bytes.size() - 1)));
}

}  // namespace
}  // namespace tcpinfo
