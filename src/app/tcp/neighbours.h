#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "base/address.h"

namespace app {

/// Counts the viewers at each address (IPv6: in each /64), who probably share one link.
/// Thread-safe.
class Neighbours {
  using Counts = std::map<base::Address, std::atomic<unsigned>>;

 public:
  /// One viewer, from construction to destruction.
  class Place {
   public:
    /// `neighbours` must outlive this object. `peer`: the other end of the TCP connection.
    Place(Neighbours& neighbours, const base::Address& peer);
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place();

    /// The other viewers there. Takes no lock.
    unsigned others() const { return count_->second.load(std::memory_order_relaxed) - 1; }

   private:
    Neighbours& all_;
    const Counts::iterator count_;
  };

 private:
  std::mutex mutex_;
  Counts counts_;  // the keys are GUARDED_BY(mutex_)
};

}  // namespace app
