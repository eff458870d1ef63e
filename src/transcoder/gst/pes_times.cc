#include "transcoder/gst/pes_times.h"

#include <algorithm>

#include "transcoder/time/fragment_clock.h"

namespace transcoder {

namespace {

/// A demuxer holds fewer PES packets than this while it waits for its first PCR.
constexpr std::size_t kMaxTimes = 128;

/// The largest error of the expected time: the demuxer follows the arrival of data in smaller
/// steps, and PES packets are up to 0.4 s apart.
constexpr base::Duration kMaxError = std::chrono::milliseconds{500};

}  // namespace

std::uint64_t pes_time(std::span<const std::uint8_t> bytes) {
  return (std::uint64_t{bytes[0]} >> 1 & 7) << 30 | std::uint64_t{bytes[1]} << 22 |
         std::uint64_t{bytes[2]} >> 1 << 15 | std::uint64_t{bytes[3]} << 7 | bytes[4] >> 1;
}

std::optional<std::uint64_t> pcr_base(std::span<const std::uint8_t, kTsPacketBytes> packet) {
  const bool has_pcr = (packet[3] & 0x20) != 0 && packet[4] >= 7 && (packet[5] & 0x10) != 0;
  if (!has_pcr) return std::nullopt;
  return std::uint64_t{packet[6]} << 25 | std::uint64_t{packet[7]} << 17 |
         std::uint64_t{packet[8]} << 9 | std::uint64_t{packet[9]} << 1 | packet[10] >> 7;
}

void PesTimes::scan(std::span<const std::uint8_t, kTsPacketBytes> packet,
                    std::optional<base::Duration> arrival) {
  const auto pcr = pcr_base(packet);
  if (pcr && arrival && !offset_) offset_ = *arrival - ts_time(*pcr);
  if ((packet[1] & 0x40) == 0) return;
  const auto pes = ts_payload(packet);
  const bool has_time = pes.size() >= 14 && pes[0] == 0 && pes[1] == 0 && pes[2] == 1 &&
                        pes[3] >= 0xbd && (pes[7] & 0x80) != 0;
  if (!has_time) return;
  auto& times = streams_[ts_pid(packet)].times;
  times.push_back(ts_time(pes_time(pes.subspan(9))));
  if (times.size() > kMaxTimes) times.pop_front();
}

void PesTimes::restart() {
  offset_.reset();
  for (auto& [pid, stream] : streams_) stream.offset.reset();
}

std::optional<base::Duration> PesTimes::media_time(int pid, base::Duration out) {
  auto& stream = streams_[pid];
  const auto offset = stream.offset ? stream.offset : offset_;
  if (!offset || stream.times.empty()) return std::nullopt;
  const auto error = [&](base::Duration time) {
    return std::chrono::abs(unwrapped(out - time - *offset));
  };
  const auto nearest = *std::ranges::min_element(stream.times, {}, error);
  if (error(nearest) > kMaxError) return std::nullopt;
  stream.offset = out - nearest;
  return nearest;
}

}  // namespace transcoder
