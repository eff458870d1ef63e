#include "server/admin_access.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <climits>
#include <utility>

#include "base/ascii.h"
#include "server/request_target.h"

namespace server {

namespace {

std::string this_machine() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return gethostname(name.data(), HOST_NAME_MAX) == 0 ? name.data() : "";
}

bool may_be_in_name(char c) {
  return std::islower(static_cast<unsigned char>(c)) ||
         std::isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_';
}

/// The part of an origin that a Host header repeats: "https://example.com" names example.com.
std::string_view authority_in(std::string_view origin) {
  const auto scheme = origin.find("://");
  return scheme == std::string_view::npos ? std::string_view{} : origin.substr(scheme + 3);
}

}  // namespace

base::Result<HostName> HostName::parse(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, may_be_in_name))
    return HostName{std::string{text}};
  return base::Error{
      fmt::format("\"{}\" is not a host name: write it as in a URL, such as \"tv.example.com\", in "
                  "lower case, without scheme and port",
                  text)};
}

AdminAccess::AdminAccess(std::vector<Network> allow, std::vector<HostName> hosts)
    : allow_{std::move(allow)}, hosts_{std::move(hosts)}, machine_{this_machine()} {}

std::optional<std::string> AdminAccess::refusal(const Client& client) const {
  if (client.proxy == Proxy::kUnknown) {
    return fmt::format(
        "a proxy seems to have passed this request on ({}), so its address proves nothing: add the "
        "proxy to server.trusted_proxies",
        client.proxy_sign);
  }
  if (!contains(allow_, client.address)) {
    return fmt::format("{} is not in admin.allow: ask the server's operator to add it",
                       client.address.text());
  }
  // A proxy may have replaced the host that the client asked for, or it may pass on a header of the
  // client's own. So both have to be ours.
  const bool forwarded = !client.forwarded_host.empty();
  const auto& host =
      is_ours(host_name(client.host)) && forwarded ? client.forwarded_host : client.host;
  if (!is_ours(host_name(host))) {
    return fmt::format(
        "the host \"{}\" in the URL is not in admin.hosts: ask the server's operator to add it, or "
        "use an IP address",
        host_name(host));
  }
  if (client.cross_site) return "a page of another site may not read this: open it by itself";
  const auto page = authority_in(client.origin);
  if (!client.origin.empty() && !base::equal_ignoring_case(page, host) &&
      !listed(host_name(page))) {
    return fmt::format("a page of {} may not read this: open it by itself", client.origin);
  }
  return std::nullopt;
}

bool AdminAccess::listed(std::string_view host) const {
  return std::ranges::any_of(
      hosts_, [&](const auto& own) { return base::equal_ignoring_case(own.name, host); });
}

bool AdminAccess::is_ours(std::string_view host) const {
  return Address::parse(host) || base::equal_ignoring_case(host, "localhost") ||
         (!machine_.empty() && base::equal_ignoring_case(host, machine_)) || listed(host);
}

}  // namespace server
