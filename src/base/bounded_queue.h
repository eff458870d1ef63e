#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace base {

/// A bounded queue between threads. When it is full, push() drops and counts the oldest item,
/// because in live media the newest is worth most. Thread-safe. close() wakes every waiting pop().
template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t bound) : bound_{bound} {}

  /// Returns false if an item had to be dropped or the queue is closed.
  bool push(T item) {
    bool dropped = false;
    {
      std::lock_guard lock{mutex_};
      if (closed_) return false;
      if (items_.size() >= bound_) {
        items_.pop_front();
        ++dropped_;
        dropped = true;
      }
      items_.push_back(std::move(item));
    }
    available_.notify_one();
    return !dropped;
  }

  /// Waits for an item. nullopt once the queue is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock{mutex_};
    available_.wait(lock, [this] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    std::optional<T> item{std::move(items_.front())};
    items_.pop_front();
    return item;
  }

  /// Takes all items without waiting.
  std::deque<T> take() {
    std::lock_guard lock{mutex_};
    return std::exchange(items_, {});
  }

  void close() {
    {
      std::lock_guard lock{mutex_};
      closed_ = true;
    }
    available_.notify_all();
  }

  bool closed() const {
    std::lock_guard lock{mutex_};
    return closed_;
  }

  std::uint64_t dropped() const {
    std::lock_guard lock{mutex_};
    return dropped_;
  }

 private:
  const std::size_t bound_;
  mutable std::mutex mutex_;
  std::condition_variable available_;
  std::deque<T> items_;        // GUARDED_BY(mutex_)
  std::uint64_t dropped_ = 0;  // GUARDED_BY(mutex_)
  bool closed_ = false;        // GUARDED_BY(mutex_)
};

}  // namespace base
