#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/address.h"
#include "base/unique_fd.h"
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

  /// Wakes one who waits in poll(2) for an answer. Thread-safe.
  class Waker {
   public:
    Waker();  ///< throws base::SystemError
    int fd() const { return event_.get(); }
    void wake();   ///< fd() becomes readable
    void clear();  ///< and is not any more

   private:
    const base::UniqueFd event_;
  };

  explicit Resolver(Resolve resolve = by_name_service);

  /// The answer, at most kAnswerLifetime old. If it is not known yet, `waker` is called when it may
  /// be: ask again. Only the last one who asked is woken.
  std::optional<Answer> answer(const std::string& name, base::Time now,
                               const std::shared_ptr<Waker>& waker);

  /// getaddrinfo(3)
  static Answer by_name_service(const std::string& name);

  /// As HostLookup::kMemory: a failed source is soon retried.
  static constexpr base::Duration kAnswerLifetime = std::chrono::seconds{10};

 private:
  struct State;
  const std::shared_ptr<State> state_;  ///< also of the thread
};

}  // namespace transcoder::access
