#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>

#include "base/units.h"
#include "netlab/codel.h"

namespace netlab {

/// Packets that wait for one transmitter, in a queue for each flow. The queues are served in turn,
/// by deficit round robin with new flows first (RFC 8290, FQ-CoDel); one flow alone is a FIFO. No
/// I/O, no clock.
///
/// size_of(packet) is its base::ByteCount.
template <typename Packet>
class FlowQueues {
 public:
  void push(std::uint64_t flow, Packet packet, base::Time now);

  /// Chooses the packet to transmit next. With `codel`, first drops what CoDel drops of its queue.
  /// Returns the number of drops. REQUIRES: none is chosen.
  std::uint64_t choose(bool codel, base::Time now);
  /// The chosen packet, nullptr without one.
  const Packet* chosen() const { return serving_ ? &serving_->waiting.front().packet : nullptr; }
  /// The chosen packet, which leaves. REQUIRES: one is chosen.
  Packet take();

  /// Drops the oldest packet of the longest queue, but not the chosen one. REQUIRES: more than one
  /// packet waits.
  void drop_from_longest();

  bool empty() const { return bytes_.bytes() == 0; }
  base::ByteCount bytes() const { return bytes_; }  ///< the chosen packet included

 private:
  struct Waiting {
    base::Time since;
    Packet packet;
  };
  struct Flow {
    std::deque<Waiting> waiting;
    base::ByteCount bytes;
    std::int64_t deficit = 0;  ///< bytes that it may still send in this turn
    bool in_turn = false;      ///< is in one of the lists
    CoDel codel;
  };

  static constexpr std::int64_t kQuantum = 1514;  // RFC 8290, section 5.2.3: a packet of the MTU

  std::uint64_t drop_by_codel(Flow& flow, base::Time now);

  std::unordered_map<std::uint64_t, Flow> flows_;
  std::deque<Flow*> fresh_;   ///< have not had a whole turn yet
  std::deque<Flow*> served_;  ///< the other flows with packets
  Flow* serving_ = nullptr;   ///< that of the chosen packet
  base::ByteCount bytes_;
};

template <typename Packet>
void FlowQueues<Packet>::push(std::uint64_t flow_id, Packet packet, base::Time now) {
  Flow& flow = flows_[flow_id];
  flow.bytes += size_of(packet);
  bytes_ += size_of(packet);
  flow.waiting.push_back({now, std::move(packet)});
  if (std::exchange(flow.in_turn, true)) return;
  flow.deficit = kQuantum;
  fresh_.push_back(&flow);
}

template <typename Packet>
std::uint64_t FlowQueues<Packet>::choose(bool codel, base::Time now) {
  std::uint64_t drops = 0;
  for (;;) {
    auto& list = fresh_.empty() ? served_ : fresh_;
    if (list.empty()) return drops;
    Flow& flow = *list.front();
    if (flow.deficit <= 0) {
      flow.deficit += kQuantum;
      list.pop_front();
      served_.push_back(&flow);
      continue;
    }
    if (codel) drops += drop_by_codel(flow, now);
    if (!flow.waiting.empty()) {
      serving_ = &flow;
      return drops;
    }
    // A new flow that has sent all it had waits for its turn once, or it would be new at each
    // packet.
    const bool stays = &list == &fresh_ && !served_.empty();
    list.pop_front();
    if (stays) {
      served_.push_back(&flow);
    } else {
      flow.in_turn = false;
    }
  }
}

template <typename Packet>
Packet FlowQueues<Packet>::take() {
  Flow& flow = *std::exchange(serving_, nullptr);
  Packet packet = std::move(flow.waiting.front().packet);
  flow.deficit -= size_of(packet).bytes();
  flow.bytes -= size_of(packet);
  bytes_ -= size_of(packet);
  flow.waiting.pop_front();
  return packet;
}

template <typename Packet>
void FlowQueues<Packet>::drop_from_longest() {
  const auto droppable = [this](const auto& entry) {
    const Flow& flow = entry.second;
    return &flow == serving_ ? flow.bytes - size_of(*chosen()) : flow.bytes;
  };
  Flow& flow = std::ranges::max_element(flows_, {}, droppable)->second;
  const auto oldest = flow.waiting.begin() + (&flow == serving_ ? 1 : 0);
  flow.bytes -= size_of(oldest->packet);
  bytes_ -= size_of(oldest->packet);
  flow.waiting.erase(oldest);
}

template <typename Packet>
std::uint64_t FlowQueues<Packet>::drop_by_codel(Flow& flow, base::Time now) {
  std::uint64_t drops = 0;
  while (!flow.waiting.empty() &&
         flow.codel.drops(now - flow.waiting.front().since, flow.bytes, now)) {
    flow.bytes -= size_of(flow.waiting.front().packet);
    bytes_ -= size_of(flow.waiting.front().packet);
    flow.waiting.pop_front();
    ++drops;
  }
  return drops;
}

}  // namespace netlab
