#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/units.h"
#include "transcoder/gst/ts_map.h"
#include "transcoder/gst/ts_packet.h"
#include "transcoder/gst/ts_section.h"

namespace transcoder {

/// Selects the streams of a programme that a demuxer sees: one with pictures, and those that may be
/// audio, of which a track is chosen later. The first stream with pictures is selected, or another
/// one if that sends nothing.
///
/// tsdemux takes down all tracks for any change of the map. So a stream that only gets another PID
/// is shown under its old one, and a sender that changes its streams all the time is not followed
/// at once. No I/O, no clock.
class TsSelection {
 public:
  /// Takes the programme's map.
  void take(const TsSection& map, base::Time now);
  /// The map to show, with the version of its first arrival; empty before the first.
  const TsSection& map() const { return shown_; }
  /// Gives the packet the PID and the continuity counter under which it is shown. Returns false if
  /// it is not to be shown. The packet may change the map.
  bool pass(std::span<std::uint8_t, kTsPacketBytes> packet, base::Time now);

  /// How often the streams of the map or the programme have changed.
  std::uint64_t changes() const { return map_changes_; }

  /// Another programme follows.
  void reset();

  bool has(int pid) const { return tracks_.contains(pid); }
  /// `pid`: as shown.
  bool visually_impaired(int pid) const { return impaired_.contains(pid); }

 private:
  /// A stream in the map that is shown.
  struct Slot {
    std::vector<std::uint8_t> kind;  ///< its entry, without the PID
    int shown = 0;                   ///< PID
    bool pictures = false;
  };
  struct Track {
    int shown = 0;  ///< PID
    bool pictures = false;
    std::size_t unit_bytes = 0;         ///< since the last start of a PES packet
    std::optional<unsigned> counter{};  ///< added to that of its packets
  };

  std::vector<TsStream> selected(const TsSection& map) const;
  bool is_shown(const std::vector<TsStream>& streams) const;
  void follow(const std::vector<TsStream>& streams, const TsSection& map);
  void show(const std::vector<TsStream>& streams, const TsSection& map);
  bool has_same_pictures(const std::vector<TsStream>& streams) const;
  bool may_change(base::Time now, bool audio_alone);
  bool fits_clock(const TsSection& map) const;
  void renumber(Track& track, std::span<std::uint8_t, kTsPacketBytes> packet);
  void consider_other(int pid, base::Time now);

  std::uint64_t map_changes_ = 0;
  TsSection received_;
  TsSection shown_;
  std::vector<Slot> slots_;
  std::map<int, Track> tracks_;       ///< by PID, as received
  std::set<int> pictures_;            ///< PIDs of all streams with pictures of the map
  std::set<int> impaired_;            ///< PIDs, as shown
  std::map<int, unsigned> counters_;  ///< by PID, as shown: the last continuity counter
  int picture_ = -1;                  ///< the selected PID with pictures; -1 if there is none
  int clock_ = -1;                    ///< PID with the clock alone; -1 if a track has it
  int units_ = 0;                     ///< PES packets with pictures since the last change
  int others_ = 0;  ///< packets of others with pictures, before the selected stream sent
  std::deque<base::Time> changes_;
  std::deque<base::Time> audio_changes_;  ///< of audio alone
};

}  // namespace transcoder
