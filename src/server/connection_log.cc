#include "server/connection_log.h"

#include <chrono>

#include "base/log.h"
#include "server/other_protocol.h"

namespace server {

namespace {

constexpr base::Duration kProxyLogInterval = std::chrono::minutes{10};

const char* proxy_hint(bool trusted) {
  return trusted ? "the viewers' TCP connections end at the proxy, so rates cannot follow their "
                   "links, and video may be late; docs/PROXIES.md says what to use instead"
                 : "a request seems to come through a proxy: then rates cannot follow the viewers' "
                   "links, and their addresses are unknown; if the proxy is yours, add it to "
                   "server.trusted_proxies, and see docs/PROXIES.md";
}

const char* too_slow_hint(TooSlow reason) {
  switch (reason) {
    case TooSlow::kStalled:
      return "the client read nothing for server.stall_timeout: a paused player, a dead link or an "
             "attack";
    case TooSlow::kRate:
      return "the client read less than server.min_rate: a very slow link or an attack";
    case TooSlow::kExpired:
      return "the client took longer for a segment than the segment is kept: its link is too slow "
             "for the rate, or it is an attack";
  }
  return "";
}

}  // namespace

void ConnectionLog::other_protocol(const Address& from, std::string_view received, base::Time now) {
  const auto protocol = server::other_protocol(received);
  if (!protocol) return;
  const auto times = other_protocols_[protocol->name].count(now);
  if (!times) return;
  base::log::info("not_http", {{"address", from.text()},
                               {"protocol", protocol->name},
                               {"times", *times},
                               {"hint", protocol->hint}});
}

void ConnectionLog::admission_failed(const std::string& stream, const std::exception& error,
                                     base::Time now) {
  const auto times = failed_admissions_.count(now);
  if (!times) return;
  base::log::error("admission_failed",
                   {{"stream", stream},
                    {"error", error.what()},
                    {"times", *times},
                    {"hint", "raise TasksMax= of the systemd unit, or add memory"}});
}

void ConnectionLog::request_failed(const std::string& path, const std::exception& error,
                                   base::Time now) {
  const auto times = failed_requests_.count(now);
  if (!times) return;
  base::log::error("request_failed", {{"path", path}, {"error", error.what()}, {"times", *times}});
}

void ConnectionLog::response_failed(const std::exception& error, base::Time now) {
  const auto times = failed_responses_.count(now);
  if (!times) return;
  base::log::error("response_failed", {{"error", error.what()}, {"times", *times}});
}

void ConnectionLog::slowed(const Address& client, base::Time now) {
  const auto times = slowed_.count(now);
  if (!times) return;
  base::log::info(
      "requests_slowed",
      {{"address", client.text()},
       {"times", *times},
       {"hint",
        "the address sends more requests than its viewers can need: an attack, or a proxy that "
        "should be in server.trusted_proxies"}});
}

void ConnectionLog::delayed(const Address& client, base::Time now) {
  const auto times = delayed_.count(now);
  if (!times) return;
  base::log::info("responses_delayed",
                  {{"address", client.text()},
                   {"times", *times},
                   {"hint",
                    "clients leave unread as much as server.max_unread allows, or one address a "
                    "quarter of it: an attack, or raise it"}});
}

void ConnectionLog::too_slow(const Address& client, TooSlow reason, base::Time now) {
  const auto times = too_slow_[static_cast<std::size_t>(reason)].count(now);
  if (!times) return;
  base::log::info("responses_too_slow", {{"address", client.text()},
                                         {"reason", name(reason)},
                                         {"times", *times},
                                         {"hint", too_slow_hint(reason)}});
}

void ProxyLog::request(const Client& client, base::Time now) {
  const bool trusted = client.proxy == Proxy::kTrusted;
  auto& logged = trusted ? trusted_ : unknown_;
  const auto last = logged.load();
  if (last != base::Time{} && now - last < kProxyLogInterval) return;
  logged = now;
  base::log::warning("proxy_in_front", {{"address", client.peer.text()},
                                        {"trusted", trusted},
                                        {"sign", client.proxy_sign},
                                        {"hint", proxy_hint(trusted)}});
}

}  // namespace server
