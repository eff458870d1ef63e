#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace transcoder {

inline constexpr std::size_t kTsPacketBytes = 188;  // ISO/IEC 13818-1, 2.4.3.2

/// Reads and edits a transport stream on its way to a demuxer that plays the first programme it
/// sees: hides the programme maps (PMT) of other programmes than the wanted one, by default the
/// first one with pictures, and gives a map that changed without a new version number a new one.
/// No I/O, no clock.
class TsScanner {
 public:
  /// `program`: the number of the programme to play; 0 for the first one with pictures.
  explicit TsScanner(int program) : wanted_{program} {}

  /// Edits one packet. Its first byte is the sync byte.
  void scan(std::span<std::uint8_t, kTsPacketBytes> packet);

  /// Whether most of the programme's packets are encrypted.
  bool scrambled() const { return scrambled_; }
  /// Whether the audio of this PID is a description for the visually impaired.
  bool visually_impaired(int pid) const { return impaired_.contains(pid); }

 private:
  /// A section that is being received.
  struct Section {
    std::vector<std::uint8_t> bytes;
    bool complete() const;
  };

  struct Program {
    bool seen = false;
    bool has_pictures = false;
  };

  bool receive(Section& section, std::span<const std::uint8_t> payload, bool start);
  void read_programs(const std::vector<std::uint8_t>& section);
  /// Returns whether the section may be seen.
  bool read_map(const std::vector<std::uint8_t>& section);
  void choose();
  void renumber(std::span<std::uint8_t> payload);
  void count(int pid, bool scrambled);

  const int wanted_;
  int playing_ = 0;                  ///< number of the programme; 0 before the choice
  std::map<int, Program> programs_;  ///< by number
  std::map<int, Section> sections_;  ///< by PID: of the PAT and the maps
  std::set<int> streams_;            ///< PIDs of the programme
  std::set<int> impaired_;
  std::vector<std::uint8_t> map_;  ///< of the programme, as received
  int generation_ = 0;             ///< changes of the map without a new version
  int packets_ = 0;                ///< of the programme, since `scrambled_` was decided
  int encrypted_ = 0;              ///< of these
  bool scrambled_ = false;
};

}  // namespace transcoder
