#include "server/connection_output.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace server {

ConnectionOutput::ConnectionOutput(ViewerSocket& socket, OutputAccount::Share share,
                                   const Settings& settings)
    : socket_{socket}, share_{std::move(share)}, pace_{settings.stall_timeout, settings.min_rate} {
  connection_.fd = socket_.fd();
}

void ConnectionOutput::begin(base::Time now) {
  pace_.begin(acknowledged(), now);
  unread_ = true;
}

ConnectionOutput::Written ConnectionOutput::write() {
  Written written;
  OutputQueue::Pieces memory;
  auto& queue = response_.output();
  while (!queue.empty()) {
    const auto held = static_cast<std::int64_t>(socket_.unacknowledged());
    share_.set(base::ByteCount{held});
    const auto room = static_cast<std::size_t>(share_.room().bytes());
    if (room == 0) {
      written.status = socket_.broken() ? Written::Status::kBroken : Written::Status::kCrowded;
      return written;
    }
    if (turn_left_ == 0) {
      written.status = Written::Status::kTurnOver;
      return written;
    }
    const auto sent = socket_.send(queue.pieces(memory, std::min(room, turn_left_)));
    if (sent.error != 0) {
      written.status = Written::Status::kBroken;
      return written;
    }
    share_.set(base::ByteCount{held + static_cast<std::int64_t>(sent.bytes)});
    queue.advance(sent.bytes);
    turn_left_ -= sent.bytes;
    connection_.sent += sent.bytes;
    written.bytes += sent.bytes;
    if (!sent.full) continue;
    written.status = Written::Status::kFull;
    return written;
  }
  return written;
}

std::optional<TooSlow> ConnectionOutput::judge(bool responding, base::Time now) {
  if (!unread_) return std::nullopt;
  if (responding && now >= response_.finish_by()) return TooSlow::kExpired;
  const auto acknowledged = this->acknowledged();
  const base::ByteCount sent{static_cast<std::int64_t>(connection_.sent)};
  unread_ = responding || acknowledged < sent;
  return unread_ ? pace_.judge(acknowledged, now) : std::nullopt;
}

void ConnectionOutput::close() {
  connection_.state.reset();
  share_ = {};
}

/// Negative after a stream, whose bytes do not count as sent: only the difference matters.
base::ByteCount ConnectionOutput::acknowledged() {
  const base::ByteCount held{static_cast<std::int64_t>(socket_.unacknowledged())};
  share_.set(held);
  return base::ByteCount{static_cast<std::int64_t>(connection_.sent)} - held;
}

}  // namespace server
