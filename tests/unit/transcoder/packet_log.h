#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "media/packet.h"

namespace transcoder::test {

/// Records packets that are published on another thread. wait() throws after 60 s, so that a hang
/// becomes a failure.
class PacketLog {
 public:
  void add(media::PacketPtr packet) {
    std::lock_guard lock{mutex_};
    packets_.push_back(std::move(packet));
    changed_.notify_all();
  }

  /// Waits for `count` packets and returns the first `count`.
  std::vector<media::PacketPtr> wait(std::size_t count) {
    std::unique_lock lock{mutex_};
    if (!changed_.wait_for(lock, std::chrono::seconds{60},
                           [&] { return packets_.size() >= count; })) {
      throw std::runtime_error{"packets did not arrive"};
    }
    return {packets_.begin(), packets_.begin() + static_cast<std::ptrdiff_t>(count)};
  }

  std::size_t size() const {
    std::lock_guard lock{mutex_};
    return packets_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<media::PacketPtr> packets_;  // GUARDED_BY(mutex_)
};

}  // namespace transcoder::test
