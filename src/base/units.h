#pragma once

#include <chrono>
#include <cmath>
#include <compare>
#include <cstdint>

namespace base {

/// Monotonic time (CLOCK_MONOTONIC). Algorithms take `now` as an argument; only `app` and the event
/// loops read a clock.
using Clock = std::chrono::steady_clock;
using Duration = std::chrono::nanoseconds;
using Time = std::chrono::time_point<Clock, Duration>;

constexpr double seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

constexpr Duration from_seconds(double s) { return Duration{static_cast<Duration::rep>(s * 1e9)}; }

/// An amount of data, in bytes.
class ByteCount {
 public:
  constexpr ByteCount() = default;
  constexpr explicit ByteCount(std::int64_t bytes) : bytes_{bytes} {}

  constexpr std::int64_t bytes() const { return bytes_; }
  constexpr std::int64_t bits() const { return bytes_ * 8; }

  constexpr auto operator<=>(const ByteCount&) const = default;
  constexpr ByteCount& operator+=(ByteCount o) { return bytes_ += o.bytes_, *this; }
  constexpr ByteCount& operator-=(ByteCount o) { return bytes_ -= o.bytes_, *this; }
  friend constexpr ByteCount operator+(ByteCount a, ByteCount b) { return a += b; }
  friend constexpr ByteCount operator-(ByteCount a, ByteCount b) { return a -= b; }

 private:
  std::int64_t bytes_ = 0;
};

/// A rate of data, in bits per second.
class BitRate {
 public:
  constexpr BitRate() = default;
  constexpr explicit BitRate(std::int64_t bits_per_second) : bps_{bits_per_second} {}

  static constexpr BitRate kbps(double k) { return BitRate{static_cast<std::int64_t>(k * 1e3)}; }
  static constexpr BitRate mbps(double m) { return BitRate{static_cast<std::int64_t>(m * 1e6)}; }
  static constexpr BitRate of(ByteCount amount, Duration time) {
    return BitRate{static_cast<std::int64_t>(static_cast<double>(amount.bits()) / seconds(time))};
  }

  constexpr std::int64_t bps() const { return bps_; }

  constexpr auto operator<=>(const BitRate&) const = default;
  friend constexpr BitRate operator+(BitRate a, BitRate b) { return BitRate{a.bps_ + b.bps_}; }
  friend constexpr BitRate operator-(BitRate a, BitRate b) { return BitRate{a.bps_ - b.bps_}; }
  friend constexpr BitRate operator*(BitRate a, double f) {
    return BitRate{static_cast<std::int64_t>(static_cast<double>(a.bps_) * f)};
  }
  friend constexpr BitRate operator*(double f, BitRate a) { return a * f; }
  friend constexpr double operator/(BitRate a, BitRate b) {
    return static_cast<double>(a.bps_) / static_cast<double>(b.bps_);
  }
  /// The data this rate carries in `time`.
  friend constexpr ByteCount operator*(BitRate a, Duration time) {
    return ByteCount{static_cast<std::int64_t>(static_cast<double>(a.bps_) * seconds(time) / 8)};
  }

 private:
  std::int64_t bps_ = 0;
};

/// How long `amount` takes at `rate`. REQUIRES: `rate` is positive.
constexpr Duration operator/(ByteCount amount, BitRate rate) {
  return from_seconds(static_cast<double>(amount.bits()) / static_cast<double>(rate.bps()));
}

}  // namespace base
