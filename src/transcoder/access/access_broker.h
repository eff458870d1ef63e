#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/unique_fd.h"
#include "transcoder/access/access_rules.h"
#include "transcoder/access/address_policy.h"
#include "transcoder/access/host_history.h"
#include "transcoder/access/resolver.h"

namespace transcoder::access {

/// State that a stream's sources share over all tries.
struct StreamAccess {
  explicit StreamAccess(Resolver::Resolve resolve = Resolver::by_name_service)
      : resolver{std::move(resolve)} {}

  HostHistory history;
  Resolver resolver;
};

/// Makes the calls of a source's process that open something: connect, bind, sendto and
/// getaddrinfo, which that process may not make itself. AddressPolicy judges each. Trusts nothing
/// that the process sends. Its thread runs from the construction to the destruction.
class AccessBroker {
 public:
  /// Called on the broker's thread.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void on_refused(const Refusal& refusal) = 0;
    /// The process breaks the protocol: the last call.
    virtual void on_broken(std::string how) = 0;
  };

  /// `access`, `lookup`: our ends of the channels. Throws std::system_error if there is no thread.
  AccessBroker(const AccessRules& rules, std::shared_ptr<StreamAccess> stream,
               base::UniqueFd access, base::UniqueFd lookup, Listener& listener);
  ~AccessBroker();
  AccessBroker(const AccessBroker&) = delete;
  AccessBroker& operator=(const AccessBroker&) = delete;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder::access
