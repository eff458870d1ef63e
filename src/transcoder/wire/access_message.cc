#include "transcoder/wire/access_message.h"

#include <utility>

#include "transcoder/wire/codec.h"

namespace transcoder::wire {

namespace {

constexpr int kMaxError = 4095;  // of the kernel (MAX_ERRNO); those of getaddrinfo(3) are smaller

template <typename Io>
void address_field(Io& io, SocketAddress& address) {
  io.bytes("address", address, sizeof(std::uint16_t), kMaxAddress);
}

template <typename Io>
void fields(Io& io, Connect& connect) {
  io.message("connect");
  address_field(io, connect.address);
}

template <typename Io>
void fields(Io& io, Bind& bind) {
  io.message("bind");
  address_field(io, bind.address);
}

template <typename Io>
void fields(Io& io, SendTo& send) {
  io.message("send_to");
  address_field(io, send.address);
  io.bytes("payload", send.payload, 0, kMaxPayload);
}

template <typename Io>
void fields(Io& io, Lookup& lookup) {
  io.message("lookup");
  io.exact_text("name", lookup.name, kMaxName);
}

template <typename Io>
void fields(Io& io, MayOpen& uri) {
  io.message("may_open");
  io.exact_text("scheme", uri.scheme, kMaxScheme);
  io.exact_text("host", uri.host, kMaxName);
  io.template number<std::uint16_t>("port", uri.port, 0, 65535);
  io.bytes("path", uri.path, 0, kMaxPath);
}

template <typename Io>
void fields(Io& io, Done& done) {
  io.message("done");
  io.template number<std::uint16_t>("bytes", done.bytes, 0, kMaxPayload);
}

template <typename Io>
void fields(Io& io, Failed& failed) {
  io.message("failed");
  io.template number<std::int16_t>("error", failed.error, -kMaxError, kMaxError);
}

template <typename Io>
void fields(Io& io, Found& found) {
  auto count = found.addresses.size();
  io.message("found");
  io.template number<std::uint8_t>("addresses", count, 0, kMaxFound);
  found.addresses.resize(count);
  for (auto& address : found.addresses) address_field(io, address);
}

template <typename Io>
void fields(Io& io, Refused& refused) {
  io.message("refused");
  io.text("reason", refused.reason, kMaxText);
}

constexpr auto kAccessFields = [](auto& io, auto& message) { fields(io, message); };

}  // namespace

std::vector<std::uint8_t> encode(AccessRequest message) {
  return encode_fields(std::move(message), kAccessFields);
}

std::vector<std::uint8_t> encode(AccessAnswer message) {
  return encode_fields(std::move(message), kAccessFields);
}

base::Result<AccessRequest> decode_access_request(std::span<const std::uint8_t> bytes) {
  return decode_fields<AccessRequest>(bytes, kAccessFields);
}

base::Result<AccessAnswer> decode_access_answer(std::span<const std::uint8_t> bytes) {
  return decode_fields<AccessAnswer>(bytes, kAccessFields);
}

}  // namespace transcoder::wire
