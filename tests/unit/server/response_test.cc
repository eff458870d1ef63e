#include "server/response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

namespace {

using server::OutgoingResponse;
using server::ResponseConnection;
using server::ResponseHead;
using server::SharedBytes;
using server::StreamingResponse;

constexpr std::size_t kMost = 1 << 20;

/// Returns the chunks it was constructed with.
class Scripted : public StreamingResponse {
 public:
  explicit Scripted(std::deque<Chunk>& steps) : steps_{steps} {}
  Chunk next(ResponseConnection&, base::Time) override {
    if (steps_.empty()) return {};
    auto step = std::move(steps_.front());
    steps_.pop_front();
    return step;
  }
  Wait wait() const override { return {.stream = 7, .until = {}}; }

 private:
  std::deque<Chunk>& steps_;
};

class ResponseTest : public ::testing::Test {
 protected:
  void begin(OutgoingResponse::Framing framing) {
    response_.begin(std::make_unique<Scripted>(steps_), framing, [](const ResponseHead& head) {
      return head.length ? "HEAD " + std::to_string(*head.length) + "\n" : std::string{"HEAD\n"};
    });
  }

  static StreamingResponse::Chunk step(const std::string& text, bool complete = false) {
    return {.head = {}, .body = {SharedBytes::of(text)}, .complete = complete};
  }

  /// All bytes that can be sent now.
  std::string read() {
    std::string out;
    while (response_.pull(response_connection_, {})) {
      server::OutputQueue::Pieces memory;
      for (const auto& piece : response_.output().pieces(memory, kMost)) {
        out.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
        response_.output().advance(piece.iov_len);
      }
    }
    return out;
  }

  std::deque<StreamingResponse::Chunk> steps_;
  ResponseConnection response_connection_;
  OutgoingResponse response_;
};

TEST_F(ResponseTest, AWholeResponseIsDoneOnceTaken) {
  response_.begin("all of it");
  EXPECT_EQ(read(), "all of it");
  EXPECT_TRUE(response_.done());
}

TEST_F(ResponseTest, ABodyOfKnownLengthIsSentAsItIs) {
  steps_ = {{.head = ResponseHead{.length = 4}, .body = {}}, step("ab"), step("cd", true)};
  begin({});
  EXPECT_EQ(read(), "HEAD 4\nabcd");
  EXPECT_TRUE(response_.done());
}

TEST_F(ResponseTest, ABodyOfUnknownLengthIsSentInChunks) {
  steps_ = {{.head = ResponseHead{}, .body = {SharedBytes::of("ab"), SharedBytes::of("cd")}},
            step(std::string(16, 'x')),
            {.head = {}, .body = {}, .complete = true}};
  begin({});
  EXPECT_EQ(read(), "HEAD\n4\r\nabcd\r\n10\r\n" + std::string(16, 'x') + "\r\n0\r\n\r\n");
}

TEST_F(ResponseTest, Http10ClientsReceiveNoChunks) {
  steps_ = {{.head = ResponseHead{}, .body = {}}, step("ab", true)};
  begin({.http_1_0 = true});
  EXPECT_EQ(read(), "HEAD\nab");
}

TEST_F(ResponseTest, TheResponseToHeadIsOnlyItsHead) {
  steps_ = {{.head = ResponseHead{}, .body = {SharedBytes::of("ab")}}};
  begin({.head_only = true});
  EXPECT_EQ(read(), "HEAD\n");
  EXPECT_TRUE(response_.done());
}

TEST_F(ResponseTest, WaitsWhileThereIsNothingToSend) {
  begin({});
  EXPECT_EQ(read(), "");
  EXPECT_TRUE(response_.waits());
  EXPECT_EQ(response_.wait().stream, 7u);
  steps_ = {{.head = ResponseHead{.length = 2}, .body = {}}, step("ab", true)};
  EXPECT_EQ(read(), "HEAD 2\nab");
  EXPECT_FALSE(response_.waits());
}

TEST_F(ResponseTest, BytesAreNotCopied) {
  const auto bytes = SharedBytes::of("ab");
  steps_ = {{.head = ResponseHead{.length = 2}, .body = {bytes}, .complete = true}};
  begin({});
  ASSERT_TRUE(response_.pull(response_connection_, {}));
  server::OutputQueue::Pieces memory;
  EXPECT_EQ(response_.output().pieces(memory, kMost).back().iov_base, bytes.bytes.data());
}

TEST_F(ResponseTest, APageIsNotCopied) {
  const auto page = SharedBytes::of("ab");
  response_.begin("HEAD\n", page);
  server::OutputQueue::Pieces memory;
  const auto pieces = response_.output().pieces(memory, kMost);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces.back().iov_base, page.bytes.data());
  EXPECT_EQ(read(), "HEAD\nab");
}

TEST_F(ResponseTest, ALimitOfItsTimeBeginsWithItsHead) {
  const base::Time began{std::chrono::hours{1}};
  begin({});
  EXPECT_FALSE(response_.pull(response_connection_, {}));
  EXPECT_EQ(response_.finish_by(), base::Time::max());
  steps_ = {{.head = ResponseHead{.finish_within = std::chrono::seconds{30}}, .body = {}},
            step("ab", true)};
  ASSERT_TRUE(response_.pull(response_connection_, began));
  EXPECT_EQ(response_.finish_by(), began + std::chrono::seconds{30});
  read();
  response_.begin("a page");
  EXPECT_EQ(response_.finish_by(), base::Time::max());
}

TEST_F(ResponseTest, SocketsMayTakePartsOfAPiece) {
  response_.begin("abcdef");
  response_.output().advance(4);
  EXPECT_EQ(read(), "ef");
}

}  // namespace
