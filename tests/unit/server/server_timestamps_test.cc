#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "http_client.h"
#include "packets.h"
#include "running_server.h"

namespace {

using packets::frame;
using std::chrono::milliseconds;

const std::string kGet = "GET /live.ts HTTP/1.1\r\nHost: x\r\n\r\n";

/// Marks every frame's write, and checks the kernel's reports.
class ServerTimestampsTest : public RunningServer {
 protected:
  static constexpr std::size_t kTsPackets = 30;
  static constexpr std::size_t kFrame = 188 * kTsPackets;

  ServerTimestampsTest() { handler_.seen.marks = true; }

  /// Publishes a frame `number` milliseconds into the stream, so that no bound in media time
  /// matters.
  void publish(std::uint64_t number) {
    auto packet = std::make_shared<media::Packet>(*frame(number, number == 0, 0, kTsPackets));
    packet->pts = milliseconds{number};
    server_->publish(kChannel, packet);
  }

  void watch(HttpClient& client, std::uint64_t frames) {
    client.send(kGet);
    ASSERT_TRUE(viewers_are(1));
    client.read_head();
    for (std::uint64_t n = 0; n < frames; ++n) {
      publish(n);
      client.read_chunked(kFrame);
    }
  }

  /// The ends of heads and frames, in the order of the stream.
  std::vector<std::uint64_t> marked() {
    std::vector<std::uint64_t> ends;
    for (const auto& frame : handler_.seen.frames) {
      if (frame.head_end > 0) ends.push_back(frame.head_end);
      ends.push_back(frame.marked_end);
    }
    return ends;
  }

  /// The frames and marks without a report, for the message of a failed test.
  std::string unreported() {
    std::lock_guard lock{handler_.seen.mutex};
    const auto& seen = handler_.seen;
    std::string text = std::to_string(seen.frames.size()) + " frames, up to " +
                       std::to_string(seen.frames.empty() ? 0 : seen.frames.back().number) + ", " +
                       std::to_string(seen.reported.size()) + " reports, without:";
    for (const auto& frame : seen.frames) {
      for (const auto end : {frame.head_end, frame.marked_end}) {
        if (end == 0 || std::ranges::count(seen.reported, end) > 0) continue;
        text += " " + std::to_string(frame.number) + (end == frame.head_end ? " head" : "") +
                " at " + std::to_string(end);
      }
    }
    return text;
  }

  bool all_reported(std::size_t frames) {
    return eventually([&] {
      std::lock_guard lock{handler_.seen.mutex};
      return handler_.seen.frames.size() == frames && handler_.seen.reported == marked();
    });
  }
};

TEST_F(ServerTimestampsTest, ReportsTheEndsOfFrames) {
  start();
  HttpClient client{endpoint_};
  watch(client, 20);
  EXPECT_TRUE(all_reported(20));
  const auto& frames = handler_.seen.frames;
  EXPECT_EQ(frames[0].marked_end, frames[0].end_offset + 2) << "with the chunk's line end";
  EXPECT_EQ(frames[0].head_end, 0u);
}

TEST_F(ServerTimestampsTest, ReportsHeadsOnTheirOwn) {
  handler_.seen.head = 2000;
  start();
  HttpClient client{endpoint_};
  watch(client, 20);
  EXPECT_TRUE(all_reported(20));
  const auto& frames = handler_.seen.frames;
  EXPECT_EQ(frames[1].head_end, frames[0].marked_end + 2000);
}

TEST_F(ServerTimestampsTest, OffsetsCountEarlierResponses) {
  start();
  HttpClient client{endpoint_};
  client.get("/");
  client.read_page();
  watch(client, 3);
  EXPECT_TRUE(all_reported(3));
}

TEST_F(ServerTimestampsTest, NoReportIsLostOrMisplacedIfTheKernelTakesPartsOfFrames) {
  handler_.seen.head = 2000;
  handler_.seen.notsent_lowat = 1024;
  start();
  HttpClient client{endpoint_, 4096};
  client.send(kGet);
  ASSERT_TRUE(viewers_are(1));
  constexpr std::uint64_t kFrames = 600;
  // The kernel keeps about 200 reports of a socket, which a busy machine may read late.
  constexpr std::uint64_t kAtOnce = 20;
  publish(0);
  ASSERT_TRUE(eventually([&] { return handler_.seen.ticks > 0; }));
  client.read_head();
  client.read_chunked(kFrame);
  for (std::uint64_t n = 1; n < kFrames; ++n) {
    publish(n);
    if ((n + 1) % kAtOnce == 0) client.read_chunked(std::min(n, kAtOnce) * kFrame);
  }
  publish(kFrames);  // its tick shows the last frame
  client.read_chunked(kFrame);
  const auto& seen = handler_.seen;
  ASSERT_TRUE(eventually([&] {
    std::lock_guard lock{handler_.seen.mutex};
    return !seen.frames.empty() && seen.frames.back().number >= kFrames - 1 &&
           std::ranges::includes(seen.reported, marked());
  })) << unreported();
  std::lock_guard lock{handler_.seen.mutex};
  EXPECT_TRUE(std::ranges::is_sorted(seen.reported));
  EXPECT_GT(std::ranges::count(seen.frames, 0u, &server::SentFrame::head_end), 0)
      << "some heads and tails did not go together";
}

TEST_F(ServerTimestampsTest, NoticesALeavingViewerBehindReports) {
  start();
  for (int i = 0; i < 20; ++i) {
    HttpClient client{endpoint_};
    watch(client, 1);
    publish(1);
  }
  EXPECT_TRUE(viewers_are(0));
}

}  // namespace
