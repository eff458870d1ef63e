#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/address.h"
#include "base/units.h"

namespace transcoder::access {

/// Looks up hosts for the sources of one stream without waiting: on one thread, as a name server
/// may take 30 s. If it hangs, later lookups wait for the same thread. Thread-safe.
class Resolver {
 public:
  struct Answer {
    int error = 0;  ///< of getaddrinfo(3)
    std::vector<base::Address> addresses;
  };
  /// May take its time. It outlives the Resolver if it does.
  using Resolve = std::function<Answer(const std::string& name)>;

  /// Throws base::SystemError.
  explicit Resolver(Resolve resolve = by_name_service);

  /// The answer, at most kAnswerLifetime old. If it is not known yet, fd() becomes readable when it
  /// may be: call clear() and ask again.
  std::optional<Answer> answer(const std::string& name, base::Time now);
  int fd() const;
  void clear();

  /// getaddrinfo(3)
  static Answer by_name_service(const std::string& name);

  /// As HostLookup::kMemory: a failed source is soon retried.
  static constexpr base::Duration kAnswerLifetime = std::chrono::seconds{10};

 private:
  struct State;
  const std::shared_ptr<State> state_;  ///< also of the thread
};

}  // namespace transcoder::access
