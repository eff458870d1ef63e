#include "server/output_queue.h"

#include <algorithm>
#include <utility>

namespace server {

namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

SharedBytes SharedBytes::of(std::string text) {
  const auto owner = std::make_shared<const std::string>(std::move(text));
  return {owner, bytes_of(*owner)};
}

SharedBytes SharedBytes::permanent(std::string_view text) { return {nullptr, bytes_of(text)}; }

std::string_view SharedBytes::text() const {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void OutputQueue::push(SharedBytes bytes) {
  if (!bytes.bytes.empty()) queue_.push_back(std::move(bytes));
}

std::span<iovec> OutputQueue::pieces(Pieces& memory, std::size_t most) const {
  std::size_t count = 0;
  while (count < std::min(queue_.size(), kMaxWritePieces) && most > 0) {
    const auto bytes = queue_[count].bytes;
    const auto size = std::min(bytes.size(), most);
    memory[count++] = {const_cast<std::uint8_t*>(bytes.data()), size};
    most -= size;
  }
  return std::span{memory}.first(count);
}

void OutputQueue::advance(std::size_t bytes) {
  while (bytes > 0) {
    auto& first = queue_[0].bytes;
    const auto taken = std::min(bytes, first.size());
    first = first.subspan(taken);
    bytes -= taken;
    if (first.empty()) queue_.pop_front();
  }
}

}  // namespace server
