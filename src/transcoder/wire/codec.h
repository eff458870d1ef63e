#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/units.h"

/// Bytes of messages. Each message has one function fields(io, message), which names its fields in
/// order with their bounds. It runs with a FieldWriter, which brings values into their bounds, and
/// with a FieldReader, which refuses a message with a value outside. So decoded messages encode to
/// the same bytes. Numbers are in the order of the host: both processes run on it.
namespace transcoder::wire {

/// Bytes of a text for people. No reason needs more than a few lines of a log.
inline constexpr std::size_t kMaxText = 512;

/// A time beyond this is a lie, and differences of two such times do not overflow.
inline constexpr base::Duration kMaxTime = std::chrono::hours{24 * 365 * 100};

class FieldWriter {
 public:
  explicit FieldWriter(std::size_t kind) { put(static_cast<std::uint8_t>(kind)); }

  void message(const char* /*name*/) {}

  /// A whole number, an enum or a bool, as a `Wire`.
  template <typename Wire, typename T>
  void number(const char* /*name*/, T& value, std::int64_t least, std::int64_t most) {
    if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
      put(static_cast<Wire>(std::clamp(static_cast<std::int64_t>(value), least, most)));
    } else {
      put(std::cmp_less(value, least)     ? static_cast<Wire>(least)
          : std::cmp_greater(value, most) ? static_cast<Wire>(most)
                                          : static_cast<Wire>(value));
    }
  }
  void real(const char* name, double& value, double least, double most);
  void duration(const char* name, base::Duration& value, base::Duration least = -kMaxTime,
                base::Duration most = kMaxTime);
  /// A printable text of at most `most` bytes.
  void text(const char* name, std::string& value, std::size_t most);
  /// A printable text whose meaning a cut would change. Throws std::length_error if it is longer
  /// or unprintable.
  void exact_text(const char* name, std::string& value, std::size_t most);
  /// Any bytes. Throws std::length_error if they are fewer or more.
  template <typename Bytes>
  void bytes(const char* name, Bytes& value, std::size_t least, std::size_t most) {
    sized(name, value.data(), value.size(), least, most);
  }
  /// Audio, `channels` values a frame. Throws std::length_error unless it has 1 to `most` frames.
  void samples(std::vector<float>& values, std::size_t channels, std::size_t most);

  std::vector<std::uint8_t> take() { return std::move(out_); }

 private:
  template <typename T>
  void put(T value) {
    append(&value, sizeof value);
  }
  void append(const void* data, std::size_t size);
  /// The size, then the bytes.
  void sized(const char* name, const void* data, std::size_t size, std::size_t least,
             std::size_t most);

  std::vector<std::uint8_t> out_;
};

class FieldReader {
 public:
  explicit FieldReader(std::span<const std::uint8_t> bytes) : rest_{bytes} {}

  void message(const char* name) { message_ = name; }

  template <typename Wire, typename T>
  void number(const char* name, T& value, std::int64_t least, std::int64_t most) {
    const auto read = get<Wire>();
    if (std::cmp_less(read, least) || std::cmp_greater(read, most)) {
      return refuse(name, std::to_string(read));
    }
    value = static_cast<T>(read);
  }
  void real(const char* name, double& value, double least, double most);
  void duration(const char* name, base::Duration& value, base::Duration least = -kMaxTime,
                base::Duration most = kMaxTime);
  void text(const char* name, std::string& value, std::size_t most);
  void exact_text(const char* name, std::string& value, std::size_t most) {
    text(name, value, most);
  }
  template <typename Bytes>
  void bytes(const char* name, Bytes& value, std::size_t least, std::size_t most) {
    const auto read = sized(name, least, most);
    value.assign(read.begin(), read.end());
  }
  void samples(std::vector<float>& values, std::size_t channels, std::size_t most);

  /// The first reason to refuse the message; empty if there is none. To call after the last field.
  std::string finish();

 private:
  /// 0 if the message ends before.
  template <typename T>
  T get() {
    T value{};
    const auto from = next(sizeof value);
    if (!from.empty()) std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  /// Empty if the message ends before.
  std::span<const std::uint8_t> next(std::size_t size);
  std::span<const std::uint8_t> sized(const char* name, std::size_t least, std::size_t most);
  void refuse(const char* name, const std::string& value);

  std::span<const std::uint8_t> rest_;
  const char* message_ = "message";
  std::string error_;
};

/// The number of a message's kind, then its fields. `Message` is a std::variant of messages.
template <typename Message, typename Fields>
std::vector<std::uint8_t> encode_fields(Message message, Fields fields) {
  FieldWriter out{message.index()};
  std::visit([&](auto& kind) { fields(out, kind); }, message);
  return out.take();
}

/// An empty message of the kind that has this number.
template <typename Message, std::size_t kKind = 0>
std::optional<Message> message_of_kind(std::size_t kind) {
  if constexpr (kKind < std::variant_size_v<Message>) {
    if (kind == kKind) return Message{std::in_place_index<kKind>};
    return message_of_kind<Message, kKind + 1>(kind);
  }
  return std::nullopt;
}

template <typename Message, typename Fields>
base::Result<Message> decode_fields(std::span<const std::uint8_t> bytes, Fields fields) {
  if (bytes.empty()) return base::Error{"an empty message"};
  auto message = message_of_kind<Message>(bytes.front());
  if (!message) return base::Error{"a message of kind " + std::to_string(bytes.front())};
  FieldReader in{bytes.subspan(1)};
  std::visit([&](auto& kind) { fields(in, kind); }, *message);
  if (auto error = in.finish(); !error.empty()) return base::Error{std::move(error)};
  return std::move(*message);
}

}  // namespace transcoder::wire
