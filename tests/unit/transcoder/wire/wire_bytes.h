#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace transcoder::wire {

using Bytes = std::vector<std::uint8_t>;

/// One field of an encoded message, and values of it, within and beyond its bounds.
struct Field {
  const char* error;  ///< begin of the error for a value beyond
  Bytes message;
  std::size_t at;
  std::size_t size;
  std::vector<std::int64_t> within;
  std::vector<std::int64_t> beyond;

  Bytes with(std::int64_t value) const {
    Bytes bytes = message;
    std::memcpy(bytes.data() + at, &value, size);
    return bytes;
  }
};

/// `decode` returns a Result.
template <typename Decode>
void expect_bounds(const Field& field, Decode decode) {
  for (const auto value : field.within) {
    const auto bytes = field.with(value);
    const auto message = decode(bytes);
    ASSERT_TRUE(message) << field.error << ' ' << value << ": " << message.error();
    EXPECT_EQ(encode(*message), bytes) << field.error << ' ' << value;
  }
  for (const auto value : field.beyond) {
    const auto message = decode(field.with(value));
    ASSERT_FALSE(message) << field.error << ' ' << value;
    EXPECT_TRUE(message.error().starts_with(field.error)) << message.error();
  }
}

/// A message that is one byte shorter or longer is refused, as is any beginning of it.
template <typename Decode>
void expect_exact_length(const Bytes& message, Decode decode) {
  EXPECT_TRUE(decode(message));
  for (std::size_t size = 0; size < message.size(); size += 1 + size / 64) {
    EXPECT_FALSE(decode(Bytes{message.begin(), message.begin() + static_cast<long>(size)}));
  }
  auto longer = message;
  longer.push_back(0);
  EXPECT_FALSE(decode(longer));
}

/// Random bytes, and examples with random changes: refused, or what encode() makes of the message.
template <typename Decode>
void expect_refused_or_same(const std::vector<Bytes>& examples, Decode decode) {
  std::mt19937 random{32};
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes(random() % 80);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    if (i % 2 == 0) bytes = examples[random() % examples.size()];
    for (auto changes = random() % 4; changes > 0 && !bytes.empty(); --changes) {
      bytes[random() % std::min<std::size_t>(bytes.size(), 100)] >>= random() % 8;
    }
    if (!bytes.empty() && random() % 2 == 0) bytes.front() %= examples.size();
    if (const auto message = decode(bytes)) {
      ++accepted;
      ASSERT_EQ(encode(*message), bytes) << "iteration " << i;
    }
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace transcoder::wire
