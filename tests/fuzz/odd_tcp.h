#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/units.h"
#include "fuzz/input.h"
#include "tcpinfo/tcp_info.h"

namespace fuzz {

/// TCP_INFO of a connection as a kernel can have it, on any path: the input chooses, counters
/// rise, by no more than is possible in the time that passes, and segments are where the bytes are.
class OddTcp {
 public:
  /// `length`: of struct tcp_info, as the kernel knows it.
  explicit OddTcp(std::size_t length) {
    reading_.length = length;
    info().snd_mss = 1448;
    info().snd_cwnd = 10;
    info().snd_ssthresh = tcpinfo::kInfiniteSsthresh;
    info().min_rtt = std::numeric_limits<std::uint32_t>::max();
  }

  const tcpinfo::TcpInfoReading& reading() const { return reading_; }
  std::uint32_t mss() const { return reading_.info.snd_mss; }
  /// Of a frame that does not queue.
  std::chrono::microseconds round_trip() const {
    return std::chrono::microseconds{std::min(reading_.info.min_rtt, reading_.info.rtt)};
  }
  bool paces() const { return paces_; }
  /// When min_rtt was measured. At the end of the odd path TCP remembers it for a minute more.
  base::Time min_rtt_at() const { return min_rtt_at_; }

  void pass(base::Duration time) {
    const auto passed = static_cast<std::uint64_t>(time / std::chrono::microseconds{1});
    if (info().unacked > 0 || info().notsent_bytes > 0) info().busy_time += passed;
    info().rwnd_limited +=
        static_cast<std::uint64_t>(receiver_share_ * static_cast<double>(passed));
  }

  void write(std::uint64_t size) {
    written_ += size;
    info().data_segs_out += static_cast<std::uint32_t>(size / 1000 + 1);
    place_segments();
  }
  void acknowledge(std::uint64_t offset) {
    info().bytes_acked = offset;
    info().retransmits = 0;
    place_segments();
  }

  void choose_round_trip(Input& input, base::Time now) {
    constexpr std::uint32_t kLongest = 4'000'000;
    info().rtt = input.take<std::uint32_t>() % kLongest;
    info().min_rtt = input.take<std::uint32_t>() % (info().rtt + 1);
    min_rtt_at_ = now - std::chrono::minutes{4};
  }
  void choose_window(Input& input) {
    info().snd_cwnd = 1U + input.take<std::uint16_t>();
    const auto ssthresh = input.take<std::uint16_t>();
    info().snd_ssthresh = ssthresh == 0 ? tcpinfo::kInfiniteSsthresh : ssthresh;
    info().snd_mss = input.take<std::uint16_t>();
    place_segments();
  }
  void choose_rates(Input& input) {
    const auto bits = input.take<std::uint8_t>();
    const auto rate = [&] { return std::uint64_t{input.take<std::uint16_t>()} << bits % 48; };
    info().pacing_rate = bits == 255 ? std::numeric_limits<std::uint64_t>::max() : rate();
    info().delivery_rate = rate();
    info().flags = bits >> 7;
    paces_ = (bits & 64) != 0;
  }
  /// From now on, the receive window holds data back for a share of the time.
  void choose_receiver(Input& input) { receiver_share_ = input.take<std::uint8_t>() / 255.0; }
  void choose_unsent(Input& input) {
    info().notsent_bytes = 64U * input.take<std::uint16_t>();
    place_segments();
  }
  /// Returns a byte of which the upper half is unused.
  std::uint8_t lose(Input& input) {
    auto& i = info();
    i.ca_state = input.take<std::uint8_t>() % 5;
    const auto share = [&] {
      return static_cast<std::uint32_t>(std::uint64_t{input.take<std::uint8_t>()} * i.unacked /
                                        255);
    };
    i.sacked = share();
    i.lost = share();
    i.retrans = share();
    const auto counts = input.take<std::uint8_t>();
    const auto timeouts = counts % 4U;
    i.retransmits = static_cast<std::uint8_t>(std::min(255U, i.retransmits + timeouts));
    i.total_rto = static_cast<std::uint16_t>(i.total_rto + timeouts);
    i.total_retrans += i.retrans + timeouts;
    i.data_segs_out += i.retrans + timeouts;
    i.dsack_dups += counts / 4 % 4U;
    place_segments();
    return counts;
  }

  /// A reading that no kernel has: a counter is wrong, in some cases from now on.
  tcpinfo::TcpInfoReading mistake(Input& input) {
    const auto kind = input.take<std::uint8_t>();
    const auto amount = std::uint64_t{input.take<std::uint32_t>()} << kind / 8 % 8;
    auto wrong = reading_;
    const auto change = [&](auto& value) {
      using Number = std::remove_reference_t<decltype(value)>;
      const auto less = std::min<std::uint64_t>(value, amount);
      value = static_cast<Number>(kind % 2 == 0 ? value + amount : value - less);
    };
    switch (kind / 2 % 6) {
      case 0:
        change(wrong.info.bytes_acked);
        return wrong;
      case 1:
        change(wrong.info.rwnd_limited);
        break;
      case 2:
        change(wrong.info.busy_time);
        break;
      case 3:
        change(wrong.info.data_segs_out);
        break;
      case 4:
        change(wrong.info.total_retrans);
        break;
      default:
        change(wrong.info.total_rto);
    }
    if (kind / 32 % 2 == 1) reading_ = wrong;
    return wrong;
  }

 private:
  tcpinfo::TcpInfo& info() { return reading_.info; }

  void place_segments() {
    auto& i = info();
    const auto outstanding = written_ - i.bytes_acked;
    i.notsent_bytes =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(i.notsent_bytes, outstanding));
    const auto sent = outstanding - i.notsent_bytes;
    i.unacked = static_cast<std::uint32_t>(sent / std::max(1U, i.snd_mss) + (sent > 0 ? 1 : 0));
    i.sacked = std::min(i.sacked, i.unacked);
    i.lost = std::min(i.lost, i.unacked - i.sacked);
    i.retrans = std::min(i.retrans, i.unacked);
  }

  tcpinfo::TcpInfoReading reading_;
  std::uint64_t written_ = 0;
  double receiver_share_ = 0;
  base::Time min_rtt_at_{};
  bool paces_ = false;
};

}  // namespace fuzz
