#include "netlab/chunk_decoder.h"

#include <gtest/gtest.h>

#include <string_view>

namespace netlab {
namespace {

struct Decoded {
  std::string body;
  ChunkDecoder::State state;
};

Decoded decode(std::string_view text, std::size_t piece) {
  std::string body;
  ChunkDecoder decoder{[&body](auto bytes) { body.append(bytes.begin(), bytes.end()); }};
  for (std::size_t i = 0; i < text.size(); i += piece) {
    const std::string_view part = text.substr(i, piece);
    decoder.feed({reinterpret_cast<const std::uint8_t*>(part.data()), part.size()});
  }
  return {body, decoder.state()};
}

TEST(ChunkDecoderTest, JoinsChunksFedWhole) {
  EXPECT_EQ(decode("3\r\nabc\r\nA\r\n0123456789\r\n", 1000).body, "abc0123456789");
}

TEST(ChunkDecoderTest, JoinsChunksFedInAnyPieces) {
  for (std::size_t piece = 1; piece < 12; ++piece) {
    EXPECT_EQ(decode("3\r\nabc\r\na;name=value\r\n01234\r\n789\r\n", piece).body,
              "abc01234\r\n789");
  }
}

TEST(ChunkDecoderTest, EndsAtTheLastChunk) {
  EXPECT_EQ(decode("1\r\nx\r\n0\r\n\r\n", 1).state, ChunkDecoder::State::kDone);
  EXPECT_EQ(decode("0\r\nTrailer: x\r\n\r\n", 1).state, ChunkDecoder::State::kDone);
}

TEST(ChunkDecoderTest, NoticesBrokenFraming) {
  EXPECT_EQ(decode("xyz\r\n", 1).state, ChunkDecoder::State::kBroken);
  EXPECT_EQ(decode("\r\n", 1).state, ChunkDecoder::State::kBroken);
  EXPECT_EQ(decode("1\r\nab\r\n", 1).state, ChunkDecoder::State::kBroken);
  EXPECT_EQ(decode(std::string(2000, '0'), 1).state, ChunkDecoder::State::kBroken);
}

}  // namespace
}  // namespace netlab
