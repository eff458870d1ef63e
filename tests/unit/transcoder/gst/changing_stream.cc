#include "changing_stream.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <utility>

namespace transcoder::test {
namespace {

constexpr int kMapPid = 0x1000;
constexpr int kFirstPid = 0x100;  // of ffmpeg's pictures; the audio has the next one
constexpr std::uint64_t kTicksPerPiece = 36'000;

/// The tables of piece `number`.
void add_tables(Bytes& stream, int number, int pid) {
  const auto low = static_cast<unsigned>(pid);
  const Bytes programs =
      with_crc({0, 0, 0, 0, 1, 0xc1, 0, 0, 0, 1, 0xe0 | kMapPid >> 8, kMapPid & 0xff});
  const auto entry = [](unsigned at) { return std::pair{byte(0xe0 | at >> 8), byte(at)}; };
  const auto [video_high, video_low] = entry(low);
  const auto [audio_high, audio_low] = entry(low + 1);
  const Bytes map =
      with_crc({2,          0,          0,
                0,          1,          byte(0xc1U | (static_cast<unsigned>(number) % 32) << 1),
                0,          0,          video_high,
                video_low,  0xf0,       0,
                0x1b,       video_high, video_low,
                0xf0,       0,          0x0f,
                audio_high, audio_low,  0xf0,
                0});
  for (auto table : {section_packet(0, programs), section_packet(kMapPid, map)}) {
    table[3] = byte(0x10U | static_cast<unsigned>(number) % 16);
    stream.insert(stream.end(), table.begin(), table.end());
  }
}

/// Adds `ticks` to a time of 33 bits in a PES header.
void move_time(std::uint8_t* time, std::uint64_t ticks) {
  const std::uint64_t old = std::uint64_t{time[0] & 0x0eU} << 29 | std::uint64_t{time[1]} << 22 |
                            std::uint64_t{time[2] & 0xfeU} << 14 | std::uint64_t{time[3]} << 7 |
                            std::uint64_t{time[4]} >> 1;
  const auto moved = old + ticks;
  time[0] = byte((time[0] & 0xf1) | (moved >> 29 & 0x0e));
  time[1] = byte(moved >> 22);
  time[2] = byte((moved >> 14 & 0xfe) | 1);
  time[3] = byte(moved >> 7);
  time[4] = byte((moved << 1 & 0xfe) | 1);
}

void move_clock(std::uint8_t* pcr, std::uint64_t ticks) {
  std::uint64_t base = std::uint64_t{pcr[0]} << 25 | std::uint64_t{pcr[1]} << 17 |
                       std::uint64_t{pcr[2]} << 9 | std::uint64_t{pcr[3]} << 1 |
                       std::uint64_t{pcr[4]} >> 7;
  base += ticks;
  for (int i = 0; i < 4; ++i) pcr[i] = byte(base >> (25 - 8 * i));
  pcr[4] = byte((pcr[4] & 0x7f) | (base & 1) << 7);
}

void move_times(std::span<std::uint8_t, kTsPacketBytes> packet, std::uint64_t ticks) {
  const bool adapted = (packet[3] & 0x20) != 0;
  if (adapted && packet[4] > 0 && (packet[5] & 0x10) != 0) move_clock(&packet[6], ticks);
  if ((packet[1] & 0x40) == 0) return;
  const auto size = ts_payload(packet).size();
  std::uint8_t* const pes = packet.data() + kTsPacketBytes - size;
  if ((pes[7] & 0x80) != 0) move_time(pes + 9, ticks);
  if ((pes[7] & 0x40) != 0) move_time(pes + 14, ticks);
}

}  // namespace

Bytes output_of(const std::string& command) {
  Bytes result;
  FILE* const out = popen(command.c_str(), "r");
  if (out == nullptr) return result;
  for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out))
    result.push_back(byte(static_cast<std::size_t>(c)));
  EXPECT_EQ(pclose(out), 0);
  return result;
}

Bytes changing_stream(int pieces) {
  const auto piece = output_of(
      "ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25 -f lavfi -i sine -t 0.4 -c:v libx264"
      " -preset ultrafast -pix_fmt yuv420p -c:a aac -f mpegts -");
  Bytes stream;
  for (int number = 0; number < pieces; ++number) {
    const int pid = kFirstPid + 2 * number;
    add_tables(stream, number, pid);
    for (std::size_t at = 0; at + kTsPacketBytes <= piece.size(); at += kTsPacketBytes) {
      TsPacket packet;
      std::copy_n(piece.begin() + static_cast<std::ptrdiff_t>(at), packet.size(), packet.begin());
      const int old = ts_pid(packet);
      if (old != kFirstPid && old != kFirstPid + 1) continue;
      const auto now = static_cast<unsigned>(pid + old - kFirstPid);
      packet[1] = byte((packet[1] & 0xe0U) | now >> 8);
      packet[2] = byte(now);
      move_times(packet, static_cast<std::uint64_t>(number) * kTicksPerPiece);
      stream.insert(stream.end(), packet.begin(), packet.end());
    }
  }
  return stream;
}

PipeWriter::PipeWriter(Bytes data) {
  std::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(pipe(ends_), 0);
  thread_ = std::thread{[out = ends_[1], data = std::move(data)] {
    for (std::size_t at = 0; at < data.size();) {
      const auto written = write(out, data.data() + at, data.size() - at);
      if (written <= 0) break;
      at += static_cast<std::size_t>(written);
    }
    close(out);
  }};
}

PipeWriter::~PipeWriter() {
  close(ends_[0]);  // ends a write that waits
  thread_.join();
}

}  // namespace transcoder::test
