#include "tcpinfo/netlink/wire.h"

#include <linux/netlink.h>

#include <algorithm>
#include <limits>

namespace tcpinfo::wire {

namespace {

/// Takes an item of `length` bytes, which begins with a header of `header` bytes, from `rest`, and
/// returns the item without its header. `rest` then begins after the item's padding. nullopt if
/// `length` cannot be right.
std::optional<Bytes> take(Bytes& rest, std::size_t header, std::size_t length) {
  if (length < header || length > rest.size()) return std::nullopt;
  const auto payload = rest.subspan(header, length - header);
  rest = rest.subspan(std::min<std::size_t>(NLMSG_ALIGN(length), rest.size()));
  return payload;
}

}  // namespace

std::optional<Attribute> take_attribute(Bytes& rest) {
  const auto header = front<nlattr>(rest);
  if (!header) return std::nullopt;
  const auto value = take(rest, sizeof *header, header->nla_len);
  if (!value) return std::nullopt;
  return Attribute{static_cast<std::uint16_t>(header->nla_type & NLA_TYPE_MASK), *value};
}

std::optional<Bytes> take_message(Bytes& rest) {
  const auto header = front<nlmsghdr>(rest);
  if (!header) return std::nullopt;
  return take(rest, sizeof *header, header->nlmsg_len);
}

void put_attribute(std::vector<std::byte>& out, std::uint16_t type, Bytes value) {
  const auto length = sizeof(nlattr) + value.size();
  if (length > std::numeric_limits<std::uint16_t>::max()) return;
  const nlattr header{.nla_len = static_cast<std::uint16_t>(length), .nla_type = type};
  const auto bytes = std::as_bytes(std::span{&header, 1});
  out.insert(out.end(), bytes.begin(), bytes.end());
  out.insert(out.end(), value.begin(), value.end());
  out.resize(out.size() + NLA_ALIGN(length) - length);
}

}  // namespace tcpinfo::wire
