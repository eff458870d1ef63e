#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "transcoder/gst/ts_section.h"

/// The programme map of a transport stream (PMT): ISO/IEC 13818-1, 2.4.4.8. Pure functions of whole
/// sections with an intact CRC.
namespace transcoder {

/// One stream of a programme.
struct TsStream {
  int pid = 0;
  bool pictures = false;
  bool audio = false;                   ///< or it may be
  bool impaired = false;                ///< an audio description, for the visually impaired
  std::span<const std::uint8_t> entry;  ///< of the section
};

/// In the order of the map.
std::vector<TsStream> ts_streams(const TsSection& map);

/// The PID with the programme's clock.
int ts_clock_pid(const TsSection& map);

/// The map with these streams alone.
TsSection with_streams(const TsSection& map, const std::set<int>& pids);

int ts_version(const TsSection& section);
/// The section with another version_number.
TsSection with_version(TsSection section, int version);

/// Two bytes at `at`.
int ts_number(std::span<const std::uint8_t> bytes, std::size_t at, int mask = 0xffff);

}  // namespace transcoder
