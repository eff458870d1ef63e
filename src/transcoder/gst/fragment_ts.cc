#include "transcoder/gst/fragment_ts.h"

#include <cmath>
#include <utility>

#include "transcoder/gst/pes_times.h"

namespace transcoder {

namespace {

using WritableBytes = std::span<std::uint8_t>;
using Packet = std::span<std::uint8_t, kTsPacketBytes>;

/// After a second of PCRs on other PIDs, the clock is there.
constexpr int kMaxOtherClocks = 10;

/// Calls visit(packet, bytes from it on) for each packet, until it returns false. Bytes between
/// them are left out.
template <typename Visit>
void for_each_packet(WritableBytes bytes, Visit visit) {
  while (bytes.size() >= kTsPacketBytes) {
    const bool aligned = bytes[0] == kTsSyncByte;
    if (aligned && !visit(bytes.first<kTsPacketBytes>(), bytes)) return;
    bytes = bytes.subspan(aligned ? kTsPacketBytes : 1);
  }
}

std::optional<std::uint64_t> pts_of(Packet packet) {
  const auto bytes = pts_bytes(packet);
  return bytes.empty() ? std::nullopt : std::optional{pes_time(bytes)};
}

std::uint64_t ticks(base::Duration time) {
  return static_cast<std::uint64_t>(
             std::llround(base::seconds(unwrapped(time)) * 90'000 + 0x1p33)) &
         kTsTimeMask;
}

/// The first times in the bytes.
struct First {
  std::optional<std::uint64_t> pcr;
  std::optional<std::uint64_t> pts;
  int pid = 0;  ///< of the PCR
};

First first_of(WritableBytes bytes) {
  First first;
  for_each_packet(bytes, [&](Packet packet, WritableBytes) {
    if (const auto pcr = pcr_base(packet); pcr && !first.pcr) {
      first.pcr = pcr;
      first.pid = ts_pid(packet);
    }
    if (!first.pts) first.pts = pts_of(packet);
    return !first.pcr || !first.pts;
  });
  return first;
}

}  // namespace

void FragmentTs::restart(std::optional<base::Duration> arrival) {
  arrival_ = arrival;
  round_due_ = restarted_ = true;
}

std::optional<base::Duration> FragmentTs::edit(std::span<std::uint8_t> bytes) {
  std::optional<base::Duration> begin;
  for_each_packet(bytes, [&](Packet packet, WritableBytes rest) {
    const auto time = reference(packet);
    if (time && newest_) {
      const auto step = unwrapped(ts_time(*time) - ts_time(*newest_));
      round_due_ = round_due_ || std::chrono::abs(step) > FragmentPosition::kMaxTrackStep;
    }
    if (round_due_) begin_round(rest);
    if (round_due_) return true;
    if (time) {
      const auto at = position_.timeline(ts_time(*time));
      newest_ = time;
      if (std::exchange(restarted_, false)) begin = at;
    }
    move(packet);
    return true;
  });
  return begin;
}

/// The time in the packet that a demuxer takes for its clock.
std::optional<std::uint64_t> FragmentTs::reference(Packet packet) {
  const auto pcr = pcr_base(packet);
  if (!clock_pid_) return pcr ? pcr : pts_of(packet);
  if (!pcr) return std::nullopt;
  const int pid = ts_pid(packet);
  if (pid == *clock_pid_ || ++other_clocks_ > kMaxOtherClocks) {
    clock_pid_ = pid;
    other_clocks_ = 0;
  }
  return pid == *clock_pid_ ? pcr : std::nullopt;
}

/// Audio and pictures go on, although another muxer may send them earlier before their time.
void FragmentTs::begin_round(std::span<std::uint8_t> rest) {
  const auto first = first_of(rest);
  if (!first.pcr && !first.pts) return;
  auto media = ts_time(first.pcr.value_or(first.pts.value_or(0)));
  if (first.pcr && first.pts) {
    const auto lead = unwrapped(ts_time(*first.pts) - ts_time(*first.pcr));
    media = ts_time(*first.pts) - lead_.value_or(lead);
    lead_ = lead;
  }
  clock_pid_ = first.pcr ? std::optional{first.pid} : std::nullopt;
  offset_ = ticks(position_.timeline(media, std::exchange(arrival_, std::nullopt)) - media);
  round_due_ = false;
}

void FragmentTs::move(Packet packet) const {
  if (const auto pcr = pcr_base(packet)) set_pcr_base(packet, (*pcr + offset_) & kTsTimeMask);
  for (const auto bytes : {pts_bytes(packet), dts_bytes(packet)}) {
    if (!bytes.empty()) set_pes_time(bytes, (pes_time(bytes) + offset_) & kTsTimeMask);
  }
}

}  // namespace transcoder
