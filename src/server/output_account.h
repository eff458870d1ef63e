#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/units.h"
#include "server/address_counts.h"

namespace server {

/// The bytes of responses that clients have been sent and have not acknowledged. The kernel keeps
/// them, in up to twice as much memory. When all clients together, or those of an AddressBlock,
/// have more than their limit, their connections are sent only kLeast at a time: those who take
/// nothing cost little, and those who read go on, more slowly. Addresses of proxies have only the
/// limit in all. Endless streams do not count: their number is limited (Places), and so are their
/// queues. Thread-safe. Must outlive its shares.
class OutputAccount {
 public:
  /// Enough for a playlist, and for 2.6 Mbit/s with the loop's 20 looks per second. With more,
  /// thousands of clients that read nothing cost more; with less, those who read are slower.
  static constexpr base::ByteCount kLeast{16 * 1024};
  /// The part of the limit in all that one block may have.
  static constexpr int kParts = 4;

  /// One connection's part. Used by one thread.
  class Share {
   public:
    Share() = default;
    Share(Share&& o) noexcept { *this = std::move(o); }
    Share& operator=(Share&& o) noexcept {
      std::swap(account_, o.account_);
      std::swap(of_block_, o.of_block_);
      std::swap(held_, o.held_);
      return *this;
    }
    ~Share() { set({}); }

    /// The kernel holds this for the connection now.
    void set(base::ByteCount held);
    /// The bytes that may be sent now: none if the connection has to wait.
    base::ByteCount room() const;

   private:
    friend class OutputAccount;
    using Sum = std::shared_ptr<std::atomic<std::int64_t>>;
    Share(OutputAccount* account, Sum of_block)
        : account_{account}, of_block_{std::move(of_block)} {}

    OutputAccount* account_ = nullptr;
    Sum of_block_;  ///< null for a proxy
    std::int64_t held_ = 0;
  };

  OutputAccount(base::ByteCount limit, std::vector<Network> proxies)
      : limit_{limit.bytes()}, proxies_{std::move(proxies)} {}

  Share open(const Address& address);
  base::ByteCount held() const { return base::ByteCount{held_.load()}; }
  base::ByteCount limit() const { return base::ByteCount{limit_}; }

 private:
  const std::int64_t limit_;
  const std::vector<Network> proxies_;
  std::atomic<std::int64_t> held_{0};
  std::mutex mutex_;
  std::map<AddressBlock, std::weak_ptr<std::atomic<std::int64_t>>>
      of_block_;  // GUARDED_BY(mutex_); blocks that have connections, or had until sweep_
  std::size_t sweep_at_ = 64;  // GUARDED_BY(mutex_)
};

}  // namespace server
