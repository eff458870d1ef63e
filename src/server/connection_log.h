#pragma once

#include <array>
#include <atomic>
#include <exception>
#include <map>
#include <string>
#include <string_view>

#include "base/log_period.h"
#include "base/units.h"
#include "server/address.h"
#include "server/client.h"
#include "server/reading_pace.h"

namespace server {

/// The log lines of one loop's connections. Each kind of line is limited, and says how many lines
/// it stands for. Used on the loop's thread.
class ConnectionLog {
 public:
  /// Tells the operator why someone's encoder or player fails, because the client will not show the
  /// response. Logs nothing if `received`, which is not HTTP, is no protocol we know.
  void other_protocol(const Address& from, std::string_view received, base::Time now);
  /// The handler threw instead of admitting a viewer: an encoder could not be opened, for instance
  /// because the system allows no more threads.
  void admission_failed(const std::string& stream, const std::exception& error, base::Time now);
  /// The handler threw instead of responding.
  void request_failed(const std::string& path, const std::exception& error, base::Time now);
  /// A streaming response threw after its head was sent.
  void response_failed(const std::exception& error, base::Time now);
  /// A request has to wait because its address sends too many.
  void slowed(const Address& client, base::Time now);
  /// A response has to wait because its client's address, or all, have too much unread.
  void delayed(const Address& client, base::Time now);
  /// A connection is reset because its client reads too slowly.
  void too_slow(const Address& client, TooSlow reason, base::Time now);

 private:
  base::LogPeriod slowed_;
  base::LogPeriod delayed_;
  base::LogPeriod failed_admissions_;
  base::LogPeriod failed_requests_;
  base::LogPeriod failed_responses_;
  std::array<base::LogPeriod, kTooSlowCount> too_slow_;
  std::map<std::string_view, base::LogPeriod> other_protocols_;  ///< by OtherProtocol::name
};

/// Logs that viewers come through a proxy: one line per 10 minutes for trusted proxies, and one for
/// others. Any client may send a header of proxies, and must not hide a proxy that comes later.
/// Thread-safe.
class ProxyLog {
 public:
  void request(const Client& client, base::Time now);

 private:
  std::atomic<base::Time> trusted_{};
  std::atomic<base::Time> unknown_{};
};

}  // namespace server
