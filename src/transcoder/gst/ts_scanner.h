#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "base/units.h"
#include "transcoder/gst/ts_section.h"
#include "transcoder/gst/ts_selection.h"

namespace transcoder {

/// Reads and edits a transport stream on its way to a demuxer, which sees only one programme: the
/// wanted one, by default the first one with pictures whose data arrives; and of that only what is
/// selected (TsSelection). The scanner replaces its tables (PAT and PMT) with complete ones, and
/// raises their version number whenever they change, even if the sender does not. It ignores
/// damaged tables. No I/O, no clock.
class TsScanner {
 public:
  /// `program`: the number of the programme to play; 0 for the first one with pictures.
  explicit TsScanner(int program) : wanted_{program} {}

  /// Edits one packet, which begins with the sync byte. A packet of the tables, or a null packet,
  /// is replaced by the next packet of the new tables, or by a null packet if there is none.
  void scan(std::span<std::uint8_t, kTsPacketBytes> packet, base::Time now = {});
  /// The next packet of the new tables, to be inserted here; nullopt if there is none. scan() uses
  /// those that are not inserted.
  std::optional<TsPacket> take_table();

  /// Whether most of the programme's packets are encrypted.
  bool scrambled() const { return scrambled_; }
  /// Whether the audio of this PID is a description for the visually impaired.
  /// See TsSelection::changes().
  std::uint64_t track_changes() const { return selection_.changes(); }
  bool visually_impaired(int pid) const { return selection_.visually_impaired(pid); }

 private:
  struct Program {
    int pid = 0;          ///< of its map
    TsSection map;        ///< empty until it came
    std::set<int> media;  ///< PIDs of its pictures; of all its streams, if it has none
    bool pictures = false;
    bool delivered = false;  ///< data of its media came

    /// By default the first programme of the highest rank is played.
    int rank() const { return map.empty() ? -1 : 2 * delivered + pictures; }
  };

  /// A table for the demuxer.
  struct Output {
    TsSection source;  ///< as received
    int version = -1;  ///< as shown; -1 before the first one
  };

  void read_payload(std::span<const std::uint8_t, kTsPacketBytes> packet);
  void read(int pid, const TsSection& section);
  void read_programs(const TsSection& section);
  void replace_programs();
  void read_map(int pid, const TsSection& section);
  void select(std::span<std::uint8_t, kTsPacketBytes> packet);
  void note_delivery(int pid);
  void choose(bool now);
  std::optional<int> best(bool now) const;
  void show_programs();
  void show_map();
  void show(int pid, Output& output, const TsSection& section);
  void count(int pid, bool scrambled);

  const int wanted_;
  int playing_ = 0;                         ///< number of the programme; 0 before the choice
  int repeats_ = 0;                         ///< of the PAT, since the programmes changed
  std::map<int, TsSection> parts_;          ///< of the PAT, by section_number
  std::map<int, Program> programs_;         ///< by number
  std::map<int, TsSectionReader> readers_;  ///< by PID: of the PAT and the maps
  int map_pid_ = -1;                        ///< as shown: the first one of the programme's map
  Output pat_;
  Output map_;
  std::map<int, int> counters_;  ///< by PID: the continuity counter of the next packet
  std::deque<TsPacket> tables_;  ///< that were not sent yet
  TsSelection selection_;        ///< of the programme's streams
  base::Time now_{};
  int packets_ = 0;    ///< of the programme, since `scrambled_` was decided
  int encrypted_ = 0;  ///< of these
  bool scrambled_ = false;
};

}  // namespace transcoder
