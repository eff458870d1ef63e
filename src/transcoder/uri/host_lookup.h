#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/units.h"

namespace transcoder {

/// Asks the resolver whether hosts have an address. Caches each answer for kMemory, because a
/// failed source is soon retried and a resolver may take seconds. Thread-safe.
class HostLookup {
 public:
  /// Returns 0, or the error of getaddrinfo().
  using Resolve = std::function<int(const std::string& host)>;

  explicit HostLookup(Resolve resolve) : resolve_{std::move(resolve)} {}

  /// See lookup_failure().
  std::string failure(const std::string& uri, base::Time now);

  /// A longer time would report failures that are over, a shorter one would query the resolver at
  /// every attempt of a source.
  static constexpr base::Duration kMemory = std::chrono::seconds{10};

 private:
  struct Answer {
    int error;
    base::Time at;
  };

  int error_of(const std::string& host, base::Time now);

  const Resolve resolve_;
  std::mutex mutex_;
  std::map<std::string, Answer> answers_;  // GUARDED_BY(mutex_); by host, none older than kMemory
};

/// Why the host of a URI has no address ("no address is known for 'camera.local' (Name or service
/// not known); check ..."); empty if it has one, or if the URI has no host. The answer may be up to
/// HostLookup::kMemory old; a new one may take seconds.
std::string lookup_failure(const std::string& uri);

}  // namespace transcoder
