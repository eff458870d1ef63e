#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace base {

/// A queue in one block of memory. A full block grows by half. When the queue becomes empty and has
/// used less than half of the block since the last time, the block is halved, so that a burst does
/// not keep its memory. T is default-constructible and movable. One thread.
template <typename T>
class Ring {
 public:
  static constexpr std::size_t kLeastCapacity = 8;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return slots_.size(); }

  /// The i-th item from the front. REQUIRES: i < size()
  T& operator[](std::size_t i) { return slots_[place(i)]; }
  const T& operator[](std::size_t i) const { return slots_[place(i)]; }

  void push_back(T item) {
    if (size_ == slots_.size()) resize(std::max(kLeastCapacity, size_ + size_ / 2));
    slots_[place(size_)] = std::move(item);
    most_ = std::max(most_, ++size_);
  }

  /// REQUIRES: not empty
  T pop_front() {
    T item = std::move(slots_[head_]);
    --size_;
    head_ = place(1);
    if (empty()) restart();
    return item;
  }

  /// Where the next item goes, unless the block is full; for base::prefetch().
  const T* next_slot() const { return slots_.data() + place(size_); }

 private:
  std::size_t place(std::size_t i) const {
    const std::size_t at = head_ + i;
    return at < slots_.size() ? at : at - slots_.size();
  }

  /// An empty queue begins at the start, so that a queue that stays short stays in a cache line.
  void restart() {
    head_ = 0;
    if (2 * std::exchange(most_, 0) < slots_.size() && slots_.size() > kLeastCapacity) {
      resize(std::max(kLeastCapacity, slots_.size() / 2));
    }
  }

  void resize(std::size_t capacity) {
    std::vector<T> slots(capacity);
    for (std::size_t i = 0; i < size_; ++i) slots[i] = std::move((*this)[i]);
    slots_ = std::move(slots);
    head_ = 0;
  }

  std::vector<T> slots_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
  std::size_t most_ = 0;  ///< items at a time, since the queue was last empty
};

}  // namespace base
