#include "transcoder/gst/ts_scanner.h"

#include <algorithm>
#include <utility>

#include "transcoder/gst/ts_map.h"

namespace transcoder {

namespace {

constexpr int kPatPid = 0;
constexpr std::size_t kSectionHeader = 8;  // of the tables of ISO/IEC 13818-1, 2.4.4
constexpr std::size_t kCrcBytes = 4;

/// Encryption is reassessed after this number of packets: a tenth of a second of 1 Mbit/s. More
/// would report it later, fewer would take single errors for it.
constexpr int kJudgedPackets = 64;

/// A programme whose map or data did not come within this number of repetitions of the PAT does not
/// come at all. Broadcasters repeat the PAT every 0.1 s (ETSI TS 101 154, 4.1.7) and maps at least
/// every 0.5 s (ETSI TR 101 290, 5.2.1), so that one map may be lost.
constexpr int kPatRepeats = 10;

/// Packets of tables that may wait. A map has up to six, and comes again.
constexpr std::size_t kMaxTables = 16;

constexpr int kProgramTable = 0;  // table_id
constexpr int kMapTable = 2;

/// Whether the section is in force, and not one to come (current_next_indicator).
bool is_current(const TsSection& section) { return (section[5] & 1) != 0; }

/// Removes the content of a packet. Its adaptation field, which may have a clock, stays.
void blank(std::span<std::uint8_t, kTsPacketBytes> packet) {
  const bool adapted = (packet[3] & 0x20) != 0 && packet[4] > 0 && packet[4] < kTsPacketBytes - 5;
  if (!adapted) return hide_ts_packet(packet);
  std::ranges::fill(packet.subspan(5U + packet[4]), std::uint8_t{0xff});
  packet[1] &= 0xbf;  // no start of a section
  packet[3] = static_cast<std::uint8_t>((packet[3] & 0xcf) | 0x20);
  packet[4] = kTsPacketBytes - 5;
}

}  // namespace

void TsScanner::scan(std::span<std::uint8_t, kTsPacketBytes> packet, base::Time now) {
  const int pid = ts_pid(packet);
  now_ = now;
  const int control = packet[3];
  count(pid, (control & 0xc0) != 0);
  if (playing_ == 0) note_delivery(pid);
  const bool table = pid == kPatPid || (readers_.contains(pid) && !selection_.has(pid));
  if (table && (control & 0x10) != 0) {
    const bool error = (packet[1] & 0x80) != 0;
    if (!error) read_payload(packet);
    blank(packet);
  } else if (!table) {
    select(packet);
  }
  if (ts_pid(packet) != kTsNullPid) return;
  if (const auto next = take_table()) std::ranges::copy(*next, packet.begin());
}

/// Hides what the demuxer does not need.
void TsScanner::select(std::span<std::uint8_t, kTsPacketBytes> packet) {
  const bool shown = selection_.pass(packet, now_);
  if (!shown || ts_pid(packet) == map_pid_) hide_ts_packet(packet);
  if (map_.version >= 0 && selection_.map() != map_.source) show_map();
}

void TsScanner::read_payload(std::span<const std::uint8_t, kTsPacketBytes> packet) {
  const auto payload = ts_payload(packet);
  if (payload.empty()) return;
  const int pid = ts_pid(packet);
  const bool start = (packet[1] & 0x40) != 0;
  for (const auto& section : readers_[pid].read(payload, start, packet[3] & 0x0f)) {
    read(pid, section);
  }
}

std::optional<TsPacket> TsScanner::take_table() {
  if (tables_.empty()) return std::nullopt;
  const auto result = tables_.front();
  tables_.pop_front();
  return result;
}

void TsScanner::read(int pid, const TsSection& section) {
  if (!is_current(section)) return;
  if (pid == kPatPid && section[0] == kProgramTable) read_programs(section);
  if (pid != kPatPid && section[0] == kMapTable) read_map(pid, section);
}

/// A PAT may have several sections, which are of one version.
void TsScanner::read_programs(const TsSection& section) {
  const int last = section[7];
  const bool same = !parts_.empty() && ts_version(parts_.begin()->second) == ts_version(section) &&
                    parts_.begin()->second[7] == last;
  if (!same) parts_.clear();
  parts_[section[6]] = section;
  if (static_cast<int>(parts_.size()) <= last) return;
  replace_programs();
  ++repeats_;
  if (playing_ != 0) return show_programs();
  choose(repeats_ > kPatRepeats);
}

void TsScanner::replace_programs() {
  std::map<int, Program> programs;
  for (const auto& [unused, part] : parts_) {
    for (auto at = kSectionHeader; at + 4 + kCrcBytes <= part.size(); at += 4) {
      const int program = ts_number(part, at);
      const int pid = ts_number(part, at + 2, 0x1fff);
      // Program 0 is the network's table.
      if (program == 0 || pid == kPatPid || pid == kTsNullPid) continue;
      const auto known = programs_.find(program);
      const bool same = known != programs_.end() && known->second.pid == pid;
      programs[program] = same ? known->second : Program{.pid = pid};
      readers_[pid];
    }
  }
  const auto changed = [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.pid == b.second.pid;
  };
  if (!std::ranges::equal(programs, programs_, changed)) repeats_ = 0;
  std::erase_if(readers_, [&](const auto& reader) {
    return reader.first != kPatPid && std::ranges::none_of(programs, [&](const auto& p) {
             return p.second.pid == reader.first;
           });
  });
  programs_ = std::move(programs);
  if (programs_.contains(playing_)) return;
  playing_ = 0;
  selection_.reset();
}

void TsScanner::read_map(int pid, const TsSection& section) {
  const int program = ts_number(section, 3);
  const auto found = programs_.find(program);
  if (found == programs_.end() || found->second.pid != pid) return;
  auto& entry = found->second;
  if (entry.map != section) {
    std::set<int> all;
    std::set<int> pictures;
    for (const auto& stream : ts_streams(section)) {
      all.insert(stream.pid);
      if (stream.pictures) pictures.insert(stream.pid);
    }
    entry = {pid, section, pictures.empty() ? all : pictures, !pictures.empty(), false};
  }
  if (playing_ == 0) return choose(false);
  if (program != playing_) return;
  selection_.take(section, now_);
  show_map();
}

void TsScanner::note_delivery(int pid) {
  bool newly_delivered = false;
  for (auto& [number, program] : programs_) {
    newly_delivered = newly_delivered || (!program.delivered && program.media.contains(pid));
    program.delivered = program.delivered || program.media.contains(pid);
  }
  if (newly_delivered) choose(false);
}

/// `now`: also if something better may still come.
void TsScanner::choose(bool now) {
  if (playing_ != 0) return;
  const auto choice = best(now);
  if (!choice) return;
  playing_ = *choice;
  const auto& map = programs_.at(playing_).map;
  selection_.reset();
  map_pid_ = programs_.at(playing_).pid;
  show_programs();
  if (map.empty()) return;
  selection_.take(map, now_);
  show_map();
}

std::optional<int> TsScanner::best(bool now) const {
  if (programs_.empty()) return std::nullopt;
  if (wanted_ != 0) return programs_.contains(wanted_) ? std::optional{wanted_} : std::nullopt;
  if (programs_.size() == 1) return programs_.begin()->first;
  const auto rank = [](const auto& entry) { return entry.second.rank(); };
  const auto& best = *std::ranges::max_element(programs_, {}, rank);
  const auto& program = best.second;
  const bool better_may_come = std::ranges::any_of(programs_, [&](const auto& other) {
    const bool pictures = other.second.map.empty() || other.second.pictures;
    return pictures == program.pictures ? other.first < best.first : pictures;
  });
  const bool sure = program.delivered && !better_may_come;
  return sure || (now && !program.map.empty()) ? std::optional{best.first} : std::nullopt;
}

/// The PAT with the programme alone.
void TsScanner::show_programs() {
  const int pid = map_pid_;
  const auto byte = [](int value) { return static_cast<std::uint8_t>(value); };
  TsSection pat{kProgramTable, 0xb0, 13, 0, 1, 0xc1, 0, 0};
  for (const int value : {playing_ >> 8, playing_, 0xe0 | pid >> 8, pid})
    pat.push_back(byte(value));
  pat.resize(pat.size() + kCrcBytes);
  show(kPatPid, pat_, pat);
}

void TsScanner::show_map() {
  if (!selection_.map().empty()) show(map_pid_, map_, selection_.map());
}

void TsScanner::show(int pid, Output& output, const TsSection& section) {
  const bool first = output.version < 0;
  if (section != output.source) {
    output.version = first ? ts_version(section) : output.version + 1;
    output.source = section;
  }
  auto& counter = counters_[pid];
  for (const auto& packet : ts_packets(pid, with_version(section, output.version), counter)) {
    tables_.push_back(packet);
  }
  while (tables_.size() > kMaxTables) tables_.pop_front();
}

void TsScanner::count(int pid, bool scrambled) {
  if (!selection_.has(pid)) return;
  ++packets_;
  encrypted_ += scrambled;
  if (packets_ < kJudgedPackets) return;
  scrambled_ = 2 * encrypted_ > packets_;
  packets_ = encrypted_ = 0;
}

}  // namespace transcoder
