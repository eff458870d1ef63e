#include "server/response_writer.h"

#include <gtest/gtest.h>

#include <random>

#include "media/mpegts.h"
#include "packets.h"

namespace server {
namespace {

using Framing = ResponseWriter::Framing;
using packets::audio;
using packets::frame;
using packets::queued;

struct Sent {
  std::uint64_t number;
  std::uint64_t end;
};

/// A socket that takes at most `most` bytes per write.
class Wire {
 public:
  void drain(ResponseWriter& writer, std::size_t most = std::string::npos) {
    while (!writer.idle()) write(writer, most);
  }

  void write(ResponseWriter& writer, std::size_t most) {
    ResponseWriter::Pieces memory;
    std::size_t taken = 0;
    for (const auto& piece : writer.pieces(memory)) {
      const auto part = std::min(piece.iov_len, most - taken);
      bytes.append(static_cast<const char*>(piece.iov_base), part);
      taken += part;
    }
    writer.advance(taken, [this](const media::Packet& packet, std::uint64_t end) {
      sent.push_back({packet.number, end});
    });
  }

  std::string bytes;
  std::vector<Sent> sent;
};

std::string text(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

TEST(ResponseWriterTest, PaddingEndsOneBatchOnly) {
  ResponseWriter writer{Framing::kChunked, "", 0};
  const auto v = frame(1);
  const auto padding = media::ts_padding(376);
  writer.add(queued(v));
  writer.pad(padding.size());
  writer.seal();
  EXPECT_EQ(writer.batch_end(), 5u + 376 + 376 + 2);
  Wire wire;
  wire.drain(writer);
  EXPECT_EQ(wire.bytes, "2f0\r\n" + text(v->ts) + text({padding.begin(), padding.end()}) + "\r\n");
  EXPECT_EQ(wire.sent.front().end, 5u + 376);
  writer.add(queued(v));
  writer.seal();
  EXPECT_EQ(writer.padding(), 0u);
}

TEST(ResponseWriterTest, ABatchIsOneChunk) {
  ResponseWriter writer{Framing::kChunked, "HEAD\r\n\r\n", 0};
  const auto a = audio(1);
  const auto v = frame(1);
  writer.add(queued(a));
  writer.add(queued(v));
  writer.seal();
  Wire wire;
  wire.drain(writer);
  EXPECT_EQ(wire.bytes, "HEAD\r\n\r\n234\r\n" + text(a->ts) + text(v->ts) + "\r\n");
}

TEST(ResponseWriterTest, AddsNoFramingForHttp10) {
  ResponseWriter writer{Framing::kUntilClose, "H", 0};
  const auto v = frame(1);
  writer.add(queued(v));
  writer.seal();
  Wire wire;
  wire.drain(writer);
  writer.finish();
  EXPECT_TRUE(writer.idle());
  EXPECT_EQ(wire.bytes, "H" + text(v->ts));
}

TEST(ResponseWriterTest, PutsASpliceBeforeItsPacket) {
  ResponseWriter writer{Framing::kChunked, "", 0};
  const auto v = frame(5);
  writer.add({v, true});
  writer.seal();
  Wire wire;
  wire.drain(writer);
  EXPECT_EQ(wire.bytes, "234\r\n" + text(media::ts_splice(v->ts)) + text(v->ts) + "\r\n");
}

TEST(ResponseWriterTest, ReportsWhereEachPacketEnds) {
  ResponseWriter writer{Framing::kChunked, "0123456789", 1000};
  writer.add(queued(audio(7)));
  writer.add(queued(frame(3)));
  writer.seal();
  Wire wire;
  wire.drain(writer);
  ASSERT_EQ(wire.sent.size(), 2u);
  const std::uint64_t begin = 1000 + 10 + 5;  // head, "234\r\n"
  EXPECT_EQ(wire.sent[0].end, begin + 188);
  EXPECT_EQ(wire.sent[1].end, begin + 3 * 188);
  EXPECT_EQ(writer.offset(), begin + 3 * 188 + 2);
}

TEST(ResponseWriterTest, ReportsAFrameWithItsLastByte) {
  ResponseWriter writer{Framing::kChunked, "", 0};
  writer.add(queued(frame(3)));
  writer.seal();
  Wire wire;
  wire.write(writer, 5 + 2 * 188 - 1);
  EXPECT_TRUE(wire.sent.empty());
  wire.write(writer, 1);
  EXPECT_EQ(wire.sent.size(), 1u);
  EXPECT_FALSE(writer.idle()) << "the chunk's line end is missing";
}

/// A batch of 381 bytes, after 1000 sent before, whose first 100 are to be sent on their own.
class ResponseWriterHeadTest : public testing::Test {
 protected:
  ResponseWriterHeadTest() {
    writer_.add(queued(frame(3)));
    writer_.seal();
    writer_.split(100);
  }

  /// One write to a socket that takes at most `most` bytes. Records the ends of head and batch once
  /// the frame is sent.
  void write(std::size_t most) {
    ResponseWriter::Pieces memory;
    std::size_t offered = 0;
    for (const auto& piece : writer_.pieces(memory)) offered += piece.iov_len;
    offered_.push_back(offered);
    writer_.advance(std::min(offered, most), [&](const media::Packet&, std::uint64_t) {
      head_end_ = writer_.head_end();
      batch_end_ = writer_.batch_end();
    });
  }

  ResponseWriter writer_{Framing::kChunked, "", 1000};
  std::vector<std::size_t> offered_;
  std::uint64_t head_end_ = 0;
  std::uint64_t batch_end_ = 0;
};

TEST_F(ResponseWriterHeadTest, IsSentFirst) {
  write(1000);
  write(1000);
  EXPECT_TRUE(writer_.idle());
  EXPECT_EQ(offered_, (std::vector<std::size_t>{100, 283}));
  EXPECT_EQ(head_end_, 1100u);
  EXPECT_EQ(batch_end_, 1383u);
}

TEST_F(ResponseWriterHeadTest, IsSentWithTheRestIfItIsTakenInParts) {
  write(99);
  write(1000);
  EXPECT_TRUE(writer_.idle());
  EXPECT_EQ(offered_, (std::vector<std::size_t>{100, 284}));
  EXPECT_EQ(head_end_, 0u);
  EXPECT_EQ(batch_end_, 1383u);
}

TEST_F(ResponseWriterHeadTest, DoesNotCountIfTheRestIsTakenInParts) {
  write(1000);
  write(200);
  write(1000);
  EXPECT_TRUE(writer_.idle());
  EXPECT_EQ(head_end_, 0u);
  EXPECT_EQ(batch_end_, 1383u);
}

TEST_F(ResponseWriterHeadTest, DoesNotCountIfTheRestHasToWait) {
  write(1000);
  write(0);
  write(1000);
  EXPECT_TRUE(writer_.idle());
  EXPECT_EQ(head_end_, 0u);
}

TEST_F(ResponseWriterHeadTest, BelongsToOneBatchOnly) {
  write(1000);
  write(1000);
  writer_.add(queued(frame(4)));
  writer_.seal();
  write(1000);
  EXPECT_TRUE(writer_.idle());
  EXPECT_EQ(head_end_, 0u);
}

TEST(ResponseWriterTest, EndsWithTheLastChunk) {
  ResponseWriter writer{Framing::kChunked, "", 0};
  writer.finish();
  Wire wire;
  wire.drain(writer);
  EXPECT_EQ(wire.bytes, "0\r\n\r\n");
}

TEST(ResponseWriterTest, CompletesABatchThatHasBegunBeforeTheLastChunk) {
  ResponseWriter writer{Framing::kChunked, "", 0};
  const auto v = frame(3);
  writer.add(queued(v));
  writer.seal();
  Wire wire;
  wire.write(writer, 100);
  writer.finish();
  wire.drain(writer);
  EXPECT_EQ(wire.bytes, "178\r\n" + text(v->ts) + "\r\n0\r\n\r\n");
}

TEST(ResponseWriterTest, ReleasesPacketsOnceSent) {
  ResponseWriter writer{Framing::kChunked, "", 0};
  const auto v = frame(3);
  writer.add(queued(v));
  writer.seal();
  EXPECT_EQ(v.use_count(), 2);
  Wire wire;
  wire.drain(writer);
  EXPECT_EQ(v.use_count(), 1);
}

TEST(ResponseWriterTest, SendsTheSameBytesHoweverTheSocketTakesThem) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random{seed};
  for (int round = 0; round < 200; ++round) {
    ResponseWriter whole{Framing::kChunked, "HEAD", 0};
    ResponseWriter cut{Framing::kChunked, "HEAD", 0};
    Wire at_once;
    Wire in_parts;
    for (std::uint64_t batch = 0; batch < 5; ++batch) {
      const auto count = 1 + random() % Packager::kMaxBatchPackets;
      for (std::uint64_t i = 0; i < count; ++i) {
        const QueuedPacket item{frame(batch * 100 + i), random() % 4 == 0};
        whole.add(item);
        cut.add(item);
      }
      const auto padding = random() % 2000;
      whole.pad(padding);
      cut.pad(padding);
      whole.seal();
      cut.seal();
      cut.split(random() % 300);
      at_once.drain(whole);
      while (!cut.idle()) in_parts.write(cut, 1 + random() % 900);
    }
    ASSERT_EQ(at_once.bytes, in_parts.bytes);
    ASSERT_EQ(at_once.sent.size(), in_parts.sent.size());
    for (std::size_t i = 0; i < at_once.sent.size(); ++i) {
      ASSERT_EQ(at_once.sent[i].end, in_parts.sent[i].end);
      ASSERT_EQ(at_once.sent[i].number, in_parts.sent[i].number);
    }
  }
}

}  // namespace
}  // namespace server
