#include "transcoder/child/address_list.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/address.h"

namespace transcoder {
namespace {

sockaddr_storage address(const char* text) { return base::Endpoint::parse(text)->socket_address(); }

int name_service(const std::string& host, std::vector<sockaddr_storage>& addresses) {
  if (host != "two.example") return EAI_AGAIN;
  addresses = {address("192.0.2.1:0"), address("[2001:db8::1]:0")};
  return 0;
}

/// "tcp 192.0.2.1:80", for each address in order, or the error's name.
std::vector<std::string> found(const char* host, const char* service, addrinfo hints = {}) {
  addrinfo* list = nullptr;
  const int error = find_addresses(host, service, &hints, &list, name_service);
  if (error != 0) return {::gai_strerror(error)};
  std::vector<std::string> result;
  for (const auto* a = list; a != nullptr; a = a->ai_next) {
    sockaddr_storage storage{};
    std::memcpy(&storage, a->ai_addr, a->ai_addrlen);
    EXPECT_EQ(a->ai_family, storage.ss_family);
    const char* const type = a->ai_socktype == SOCK_STREAM  ? "tcp"
                             : a->ai_socktype == SOCK_DGRAM ? "udp"
                                                            : "raw";
    result.push_back(fmt::format("{} {}", type, base::Endpoint::of(storage).text()));
  }
  free_addresses(list);
  return result;
}

using Lines = std::vector<std::string>;

TEST(AddressListTest, HasOneEntryForEachKindOfSocket) {
  EXPECT_EQ(found("192.0.2.1", "80"),
            (Lines{"tcp 192.0.2.1:80", "udp 192.0.2.1:80", "raw 192.0.2.1:80"}));
  EXPECT_EQ(found("192.0.2.1", "80", {.ai_socktype = SOCK_DGRAM}), Lines{"udp 192.0.2.1:80"});
  EXPECT_EQ(found("192.0.2.1", "80", {.ai_protocol = IPPROTO_TCP}).front(), "tcp 192.0.2.1:80");
}

TEST(AddressListTest, AsksForNames) {
  const addrinfo tcp{.ai_socktype = SOCK_STREAM};
  EXPECT_EQ(found("two.example", "80", tcp), (Lines{"tcp 192.0.2.1:80", "tcp [2001:db8::1]:80"}));
  EXPECT_EQ(found("two.example", "80", {.ai_family = AF_INET6, .ai_socktype = SOCK_STREAM}),
            Lines{"tcp [2001:db8::1]:80"});
  EXPECT_EQ(found("other.example", "80", tcp), Lines{::gai_strerror(EAI_AGAIN)});
}

TEST(AddressListTest, ReadsNumbersItself) {
  const addrinfo tcp{.ai_socktype = SOCK_STREAM};
  EXPECT_EQ(found("::1", "8", tcp), Lines{"tcp [::1]:8"});
  EXPECT_EQ(found("fe80::1%1", "8", tcp), Lines{"tcp [fe80::1]:8"});
  EXPECT_EQ(found("127.1", nullptr, tcp), Lines{"tcp 127.0.0.1:0"});
  const addrinfo numbers{.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
  EXPECT_EQ(found("two.example", "80", numbers), Lines{::gai_strerror(EAI_NONAME)});
  EXPECT_EQ(found("::1", "8", {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}),
            Lines{::gai_strerror(EAI_NONAME)});
}

TEST(AddressListTest, WithoutAHostIsLocal) {
  EXPECT_EQ(found(nullptr, "9000", {.ai_flags = AI_PASSIVE, .ai_socktype = SOCK_DGRAM}),
            (Lines{"udp 0.0.0.0:9000", "udp [::]:9000"}));
  EXPECT_EQ(found(nullptr, "9000", {.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM}),
            Lines{"udp 127.0.0.1:9000"});
  EXPECT_EQ(found(nullptr, nullptr), Lines{::gai_strerror(EAI_NONAME)});
}

TEST(AddressListTest, RefusesOtherServices) {
  EXPECT_EQ(found("::1", "http"), Lines{::gai_strerror(EAI_SERVICE)});
  EXPECT_EQ(found("::1", "65536"), Lines{::gai_strerror(EAI_SERVICE)});
}

TEST(AddressListTest, RepeatsTheName) {
  const addrinfo hints{.ai_flags = AI_CANONNAME, .ai_socktype = SOCK_STREAM};
  addrinfo* list = nullptr;
  ASSERT_EQ(find_addresses("127.0.0.1", "80", &hints, &list, name_service), 0);
  EXPECT_STREQ(list->ai_canonname, "127.0.0.1");
  free_addresses(list);
}

}  // namespace
}  // namespace transcoder
