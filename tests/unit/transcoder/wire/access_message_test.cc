#include "transcoder/wire/access_message.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <stdexcept>

#include "wire_bytes.h"

namespace transcoder::wire {
namespace {

const SocketAddress kAddress{2, 0, 0, 80, 127, 0, 0, 1};
const SocketAddress kLongest(kMaxAddress, 1);

std::vector<Bytes> requests() {
  return {encode(Connect{kAddress}), encode(Bind{kLongest}), encode(SendTo{kAddress, {1, 2, 3}}),
          encode(Lookup{"localhost"}), encode(MayOpen{"https", "a.example", 443, "/x"})};
}

std::vector<Bytes> answers() {
  return {encode(Done{kMaxPayload}), encode(Failed{-2}), encode(Found{{kAddress, kLongest}}),
          encode(Refused{"another host"})};
}

template <typename Message>
Message round_trip(const Message& message, auto decode) {
  auto decoded = decode(encode(message));
  EXPECT_TRUE(decoded) << decoded.error();
  return std::get<Message>(*decoded);
}

TEST(AccessMessageTest, Requests) {
  const auto decode = decode_access_request;
  EXPECT_EQ(round_trip(Connect{kAddress}, decode).address, kAddress);
  EXPECT_EQ(round_trip(Bind{kLongest}, decode).address, kLongest);
  const auto send = round_trip(SendTo{kAddress, Bytes(kMaxPayload, 7)}, decode);
  EXPECT_EQ(send.address, kAddress);
  EXPECT_EQ(send.payload, Bytes(kMaxPayload, 7));
  const auto lookup = round_trip(Lookup{"localhost"}, decode);
  EXPECT_EQ(lookup.name, "localhost");
  const auto uri = round_trip(MayOpen{"https", "a.example", 443, "/\xff"}, decode);
  EXPECT_EQ(uri.scheme, "https");
  EXPECT_EQ(uri.host, "a.example");
  EXPECT_EQ(uri.port, 443);
  EXPECT_EQ(uri.path, "/\xff");
}

TEST(AccessMessageTest, Answers) {
  const auto decode = decode_access_answer;
  EXPECT_EQ(round_trip(Done{9}, decode).bytes, 9u);
  EXPECT_EQ(round_trip(Failed{ECONNREFUSED}, decode).error, ECONNREFUSED);
  EXPECT_EQ(round_trip(Failed{-2}, decode).error, -2);
  const std::vector<SocketAddress> most(kMaxFound, kLongest);
  EXPECT_EQ(round_trip(Found{most}, decode).addresses, most);
  EXPECT_EQ(round_trip(Refused{"another host"}, decode).reason, "another host");
}

TEST(AccessMessageTest, EachFieldHasItsBounds) {
  const auto all = requests();
  const Field fields[]{
      {"a message of kind", all[0], 0, 1, {0, 1}, {5, 255}},
      {"connect: address", all[0], 1, 2, {8}, {0, 1, 129, 0xffff}},
      {"connect: end", all[0], 1, 2, {}, {7, 9, 128}},
      {"bind: address", all[1], 1, 2, {128}, {0, 1, 129}},
      {"send_to: address", all[2], 1, 2, {8}, {0, 1, 129}},
      {"send_to: payload", all[2], 11, 2, {3}, {2049, 0xffff}},
      {"lookup: name", all[3], 1, 2, {9}, {256, 0xffff}},
      {"lookup: name unprintable", all[3], 5, 1, {'x'}, {0, '\n', 0xff}},
      {"may_open: scheme", all[4], 1, 2, {5}, {33}},
      {"may_open: host", all[4], 8, 2, {9}, {256}},
      {"may_open: port", all[4], 19, 2, {0, 65535}, {}},
      {"may_open: path", all[4], 21, 2, {2}, {4097}},
  };
  for (const auto& field : fields) expect_bounds(field, decode_access_request);
}

TEST(AccessMessageTest, EachFieldOfAnAnswerHasItsBounds) {
  const auto all = answers();
  const Field fields[]{
      {"a message of kind", all[3], 0, 1, {3}, {4, 255}},
      {"done: bytes", all[0], 1, 2, {0, 2048}, {2049, 0xffff}},
      {"failed: error", all[1], 1, 2, {-4095, 4095}, {-4096, 4096, 0x7fff}},
      {"found: addresses", all[2], 1, 1, {2}, {17, 255}},
      {"found: end", all[2], 1, 1, {}, {1, 3}},
      {"found: address", all[2], 2, 2, {8}, {0, 1, 129}},
      {"refused: reason", all[3], 1, 2, {12}, {513}},
  };
  for (const auto& field : fields) expect_bounds(field, decode_access_answer);
}

TEST(AccessMessageTest, ANameThatDoesNotFitIsNotCut) {
  EXPECT_THROW(encode(Lookup{std::string(kMaxName + 1, 'a')}), std::length_error);
  EXPECT_THROW(encode(Lookup{std::string("a\0b", 3)}), std::length_error);
  EXPECT_THROW(encode(Connect{SocketAddress(kMaxAddress + 1)}), std::length_error);
  EXPECT_THROW(encode(Connect{SocketAddress(1)}), std::length_error);
  EXPECT_THROW(encode(SendTo{kAddress, Bytes(kMaxPayload + 1)}), std::length_error);
}

TEST(AccessMessageTest, MessagesHaveAnExactLength) {
  for (const auto& request : requests()) expect_exact_length(request, decode_access_request);
  for (const auto& answer : answers()) expect_exact_length(answer, decode_access_answer);
}

TEST(AccessMessageTest, RandomBytesAreRefusedOrEncodeToTheSame) {
  expect_refused_or_same(requests(), decode_access_request);
  expect_refused_or_same(answers(), decode_access_answer);
}

}  // namespace
}  // namespace transcoder::wire
