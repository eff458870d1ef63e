#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "netlab/stream_parser.h"
#include "netlab/ticks.h"

namespace netlab {

/// Errors that a strict receiver would report, and totals.
struct TsCounters {
  std::uint64_t packets = 0;
  std::uint64_t null_packets = 0;  ///< padding
  std::uint64_t sync_losses = 0;
  std::uint64_t transport_errors = 0;
  std::uint64_t continuity_errors = 0;
  std::uint64_t discontinuities_signalled = 0;
  std::uint64_t section_errors = 0;  ///< PAT or PMT: CRC, or longer than a packet
  std::uint64_t pes_errors = 0;
  std::uint64_t audio_frames = 0;
  std::uint64_t audio_errors =
      0;  ///< ADTS sync lost, or a PTS off by more than 2 ms that is not signalled
  std::uint64_t pcr_count = 0;
  std::uint64_t pcr_backwards = 0;
  Ticks pcr_longest_gap = 0;
  std::uint64_t pts_before_pcr = 0;  ///< frames or audio too late for a decoder's clock
};

/// Demultiplexes one MPEG-TS programme with H.264 or MPEG-2 video and AAC (ISO/IEC 13818-1). A
/// keyframe has a random_access_indicator, an H.264 IDR slice or an MPEG-2 I picture.
class TsParser : public StreamParser {
 public:
  explicit TsParser(OnPicture on_picture) : on_picture_{std::move(on_picture)} {}

  void feed(std::span<const std::uint8_t> bytes, base::Time arrival) override;
  std::uint64_t errors() const override;
  const TsCounters& counters() const { return counters_; }

 private:
  static constexpr std::size_t kPacketSize = 188;
  using Bytes = std::span<const std::uint8_t>;

  struct Pid {
    std::optional<std::uint8_t> counter;
    bool duplicate = false;
    std::array<std::uint8_t, kPacketSize> last{};
  };
  struct Header {
    std::uint16_t pid;
    bool unit_start;
    bool has_payload;
    std::uint8_t counter;
    Bytes adaptation;
    Bytes payload;
  };

  void take_packet(Bytes packet, base::Time arrival);
  std::optional<Header> parse_header(Bytes packet);
  bool check_continuity(const Header& header, Bytes packet);
  void take_adaptation(const Header& header);
  std::optional<Bytes> section(const Header& header, std::uint8_t table);
  void take_pat(const Header& header);
  void take_pmt(const Header& header);
  std::optional<Bytes> take_pes_start(Bytes payload, TickUnwrapper& unwrapper);
  void take_video(const Header& header, base::Time arrival);
  void end_picture();
  void scan_for_keyframe(Bytes payload);
  void take_audio(const Header& header);
  void count_adts_frames();
  void check_audio_time(Ticks pts);

  OnPicture on_picture_;
  TsCounters counters_;
  std::vector<std::uint8_t> partial_;
  bool synchronised_ = true;
  std::map<std::uint16_t, Pid> pids_;
  std::optional<std::uint16_t> pmt_pid_, video_pid_, audio_pid_;

  TickUnwrapper pcr_unwrapper_, video_unwrapper_, audio_unwrapper_;
  std::optional<Ticks> pcr_;
  std::optional<Ticks> pes_pts_;

  std::optional<Picture> picture_;
  std::uint64_t pictures_ = 0;
  bool mpeg2_ = false;            // the video codec; otherwise H.264
  std::uint64_t window_ = ~0ull;  // the last eight bytes, for start codes across packets
  std::vector<std::uint8_t> adts_;
  std::optional<double> audio_expected_;  // ticks
};

}  // namespace netlab
