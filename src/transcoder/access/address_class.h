#pragma once

#include <string_view>

#include "base/address.h"

namespace transcoder::access {

/// Why an address is not a public one, for people: "a private address". Empty if it is public: one
/// host anywhere on the internet, by IANA's registries of special-purpose addresses. Addresses of
/// translators (base::Address::translated) are what they lead to.
std::string_view special_purpose(const base::Address& address);

/// Whether connections to the address end on this machine: 127.0.0.0/8, ::1, and the addresses
/// 0.0.0.0 and ::, which the kernel takes for them.
bool is_this_machine(const base::Address& address);

/// Whether the address is that of one host, which 0.0.0.0, a group or a broadcast is not.
bool is_one_host(const base::Address& address);

}  // namespace transcoder::access
