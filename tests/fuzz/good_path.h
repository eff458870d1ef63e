#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/units.h"
#include "tcpinfo/tcp_info.h"

namespace fuzz {

/// TCP on a path that carries 40 Mbit/s in 20 ms and loses nothing, in the state that an earlier
/// path has left it in. Its window grows by an ACK each (slow start) or one segment per round trip,
/// while it is used; TCP's pacing follows it; its min_rtt remembers the earlier path for 300 s. The
/// viewer acknowledges each segment. Offsets count the bytes of the connection. `now` never goes
/// back.
class GoodPath {
 public:
  static constexpr base::BitRate kRate = base::BitRate::mbps(40);
  static constexpr base::Duration kRoundTrip = std::chrono::milliseconds{20};
  static constexpr std::uint32_t kMss = 1448;

  /// `left`: the last TCP_INFO; all that was in flight is sent again. `min_rtt_at`: when its
  /// min_rtt was measured. `written`: bytes so far. `bbr`: BBR, which knows the path already.
  GoodPath(const tcpinfo::TcpInfoReading& left, base::Time min_rtt_at, std::uint64_t written,
           bool bbr, base::Time now)
      : left_{left},
        bbr_{bbr},
        min_rtt_at_{min_rtt_at},
        now_{now},
        written_{written},
        next_{left.info.bytes_acked} {
    auto& info = left_.info;
    info.ca_state = info.retransmits = 0;
    info.sacked = info.lost = info.retrans = 0;
    info.flags = 1;  // app-limited
    info.snd_mss = kMss;
    info.snd_cwnd = std::clamp<std::uint32_t>(info.snd_cwnd, 1, kMostWindow);
    info.snd_ssthresh = std::max<std::uint32_t>(info.snd_ssthresh, 2);
    info.delivery_rate = static_cast<std::uint64_t>(kRate.bps() / 8);
    if (bbr_) info.snd_cwnd = kBbrWindow;
    if (written_ > next_) ends_.push_back(written_);
  }

  /// One write; no segment has bytes of two.
  void write(base::ByteCount size) {
    written_ += static_cast<std::uint64_t>(size.bytes());
    ends_.push_back(written_);
    while (may_send() && pace_next_ <= now_) transmit();
  }
  void set_window(std::uint32_t segments) {
    if (bbr_) return;  // it soon has its own again
    left_.info.snd_cwnd = std::clamp<std::uint32_t>(segments, 2, kMostWindow);
    left_.info.snd_ssthresh = left_.info.snd_cwnd;
  }
  /// Zero: no limit.
  void limit_pacing(base::BitRate most) {
    most_pacing_ = most;
    paces_ |= most.bps() > 0;
  }
  bool paces() const { return paces_ || bbr_; }
  /// When the minimum RTT of a shorter path is forgotten; zero if there is none.
  base::Time forgets_min_rtt() const {
    const bool shorter = std::chrono::microseconds{left_.info.min_rtt} < kRoundTrip;
    return shorter ? min_rtt_at_ + kMinRttMemory : base::Time{};
  }

  /// Runs until `until`, or until the next ACK if that comes earlier; returns that time.
  base::Time run(base::Time until) {
    for (;;) {
      const auto ack = flight_.empty() ? base::Time::max() : flight_.front().acked;
      const auto send = may_send() ? std::max(now_, pace_next_) : base::Time::max();
      if (std::min(ack, send) > until) return now_ = until;
      now_ = std::min(ack, send);
      if (send < ack) {
        transmit();
        continue;
      }
      acknowledge();
      return now_;
    }
  }

  std::uint64_t acked() const { return left_.info.bytes_acked; }
  base::ByteCount notsent() const {
    return base::ByteCount{static_cast<std::int64_t>(written_ - next_)};
  }

  tcpinfo::TcpInfoReading info(base::Time now) const {
    auto reading = left_;
    reading.info.unacked = static_cast<std::uint32_t>(flight_.size());
    reading.info.notsent_bytes = static_cast<std::uint32_t>(written_ - next_);
    reading.info.pacing_rate = static_cast<std::uint64_t>(pacing().bps() / 8);
    reading.info.last_ack_recv = static_cast<std::uint32_t>(
        std::chrono::floor<std::chrono::milliseconds>(now - acked_at_).count());
    return reading;
  }

 private:
  static constexpr std::int64_t kHeaders = 52;
  static constexpr std::uint32_t kMostWindow = 1 << 16;
  static constexpr std::uint32_t kBbrWindow = 200;  // about 2 x 40 Mbit/s x 20 ms
  static constexpr base::Duration kMinRttMemory = std::chrono::minutes{5};  // tcp_min_rtt_wlen

  struct Segment {
    std::uint64_t end;
    base::Time sent;
    base::Time acked;
  };

  bool full() const { return flight_.size() >= left_.info.snd_cwnd; }
  bool may_send() const { return next_ < written_ && !full(); }
  bool starts_slowly() const { return left_.info.snd_cwnd < left_.info.snd_ssthresh; }

  /// tcp_update_pacing_rate(); zero before the first round trip.
  base::BitRate own_pacing() const {
    constexpr double kBbrGain = 1.25;
    if (bbr_) return kBbrGain * kRate;
    const auto rtt = std::chrono::microseconds{left_.info.rtt};
    if (rtt.count() == 0) return {};
    const base::ByteCount window{std::int64_t{left_.info.snd_cwnd} * kMss};
    const bool fast = left_.info.snd_cwnd < left_.info.snd_ssthresh / 2;
    return (fast ? 2.0 : 1.2) * base::BitRate::of(window, rtt);
  }
  base::BitRate pacing() const {
    const auto own = own_pacing();
    if (most_pacing_.bps() == 0) return own;
    return own.bps() == 0 ? most_pacing_ : std::min(own, most_pacing_);
  }

  void transmit() {
    while (ends_.front() <= next_) ends_.pop_front();
    const auto end = std::min(next_ + kMss, ends_.front());
    const base::ByteCount size{static_cast<std::int64_t>(end - next_) + kHeaders};
    link_free_ = std::max(link_free_, now_) + size / kRate;
    flight_.push_back({end, now_, link_free_ + kRoundTrip});
    if (paces() && pacing().bps() > 0) pace_next_ = std::max(pace_next_, now_) + size / pacing();
    next_ = end;
    ++left_.info.data_segs_out;
    used_ |= full() || (starts_slowly() && 2 * flight_.size() >= left_.info.snd_cwnd);
  }

  void acknowledge() {
    const auto segment = flight_.front();
    flight_.pop_front();
    auto& info = left_.info;
    now_ = acked_at_ = segment.acked;
    info.bytes_acked = segment.end;
    ++info.delivered;
    measure(std::chrono::duration_cast<std::chrono::microseconds>(now_ - segment.sent));
    if (bbr_ || !used_) return;
    if (starts_slowly()) {
      ++info.snd_cwnd;
    } else if (++acked_of_window_ >= info.snd_cwnd) {
      info.snd_cwnd = std::min(info.snd_cwnd + 1, kMostWindow);
      acked_of_window_ = 0;
    }
    if (flight_.empty()) used_ = false;
  }

  void measure(std::chrono::microseconds rtt) {
    auto& info = left_.info;
    const auto measured = static_cast<std::uint32_t>(rtt.count());
    info.rtt = info.rtt == 0 ? measured : info.rtt - info.rtt / 8 + measured / 8;
    if (measured > info.min_rtt && now_ - min_rtt_at_ < kMinRttMemory) return;
    info.min_rtt = measured;
    min_rtt_at_ = now_;
  }

  tcpinfo::TcpInfoReading left_;
  const bool bbr_;
  base::Time min_rtt_at_;
  base::Time now_;
  std::uint64_t written_;
  std::uint64_t next_;              ///< first byte that has not been sent
  std::deque<std::uint64_t> ends_;  ///< of writes
  std::deque<Segment> flight_;
  base::Time link_free_{};
  base::Time pace_next_{};
  base::Time acked_at_ = now_;
  base::BitRate most_pacing_;
  bool paces_ = false;
  bool used_ = false;  ///< the window has been full, or half full in slow start
  std::uint32_t acked_of_window_ = 0;
};

}  // namespace fuzz
