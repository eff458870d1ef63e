#include "transcoder/uri/host_lookup.h"

#include <fmt/format.h>
#include <netdb.h>

#include "transcoder/handle.h"
#include "transcoder/uri/source_uri.h"

namespace transcoder {

namespace {

using AddressesHandle = Handle<addrinfo, freeaddrinfo>;

int resolve(const std::string& host) {
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, nullptr, &found);
  const AddressesHandle addresses{found};
  return error;
}

}  // namespace

int HostLookup::error_of(const std::string& host, base::Time now) {
  {
    std::lock_guard lock{mutex_};
    std::erase_if(answers_, [&](const auto& answer) { return now - answer.second.at >= kMemory; });
    if (const auto known = answers_.find(host); known != answers_.end()) return known->second.error;
  }
  const int error = resolve_(host);
  std::lock_guard lock{mutex_};
  answers_[host] = {error, now};
  return error;
}

std::string HostLookup::failure(const std::string& uri, base::Time now) {
  const auto host = host_of(uri);
  const int error = host.empty() ? 0 : error_of(host, now);
  if (error == 0) return {};
  return fmt::format(
      "no address is known for '{}' ({}); check the name in the source's URI, and this host's DNS",
      host, ::gai_strerror(error));
}

std::string lookup_failure(const std::string& uri) {
  static auto& lookup = *new HostLookup{resolve};  // abandoned sources outlive main()
  return lookup.failure(uri, base::Clock::now());
}

}  // namespace transcoder
