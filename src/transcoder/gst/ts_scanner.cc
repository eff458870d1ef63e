#include "transcoder/gst/ts_scanner.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace transcoder {

namespace {

constexpr int kNullPid = 0x1fff;
constexpr std::size_t kSectionHeader = 8;
constexpr std::size_t kCrcBytes = 4;

/// Encryption is judged anew after this number of packets: a tenth of a second of 1 Mbit/s. More
/// would report it later, fewer would take single errors for it.
constexpr int kJudgedPackets = 64;

// Descriptor tags: ISO/IEC 13818-1, 2.6, and ETSI EN 300 468, 6.1.
constexpr int kRegistration = 0x05;
constexpr int kLanguage = 0x0a;
constexpr int kExtension = 0x7f;
constexpr int kSupplementaryAudio = 0x06;

int number(std::span<const std::uint8_t> bytes, std::size_t at, int mask = 0xffff) {
  return (bytes[at] << 8 | bytes[at + 1]) & mask;
}

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const auto byte : bytes) {
    crc ^= std::uint32_t{byte} << 24;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x80000000) != 0 ? crc << 1 ^ 0x04c11db7 : crc << 1;
    }
  }
  return crc;
}

/// Calls visit(tag, body) for each descriptor.
template <typename Visit>
void for_each_descriptor(std::span<const std::uint8_t> bytes, Visit visit) {
  while (bytes.size() >= 2 && bytes.size() >= 2U + bytes[1]) {
    visit(bytes[0], bytes.subspan(2, bytes[1]));
    bytes = bytes.subspan(2U + bytes[1]);
  }
}

bool is_video_registration(std::span<const std::uint8_t> body) {
  if (body.size() < 4) return false;
  const std::string_view id{reinterpret_cast<const char*>(body.data()), 4};
  return id == "HEVC" || id == "AV01" || id == "VC-1" || id == "drac";
}

/// By stream_type (ISO/IEC 13818-1, table 2-34); private ones say it in a descriptor.
bool carries_pictures(int type, std::span<const std::uint8_t> descriptors) {
  switch (type) {
    case 0x01:
    case 0x02:
    case 0x10:
    case 0x1b:
    case 0x20:
    case 0x21:
    case 0x24:
    case 0x27:
    case 0x33:
    case 0x42:
    case 0xd1:
    case 0xea:
      return true;
    default:
      break;
  }
  bool result = false;
  for_each_descriptor(descriptors, [&](int tag, std::span<const std::uint8_t> body) {
    result = result || (type == 0x06 && tag == kRegistration && is_video_registration(body));
  });
  return result;
}

bool is_for_visually_impaired(std::span<const std::uint8_t> descriptors) {
  bool result = false;
  for_each_descriptor(descriptors, [&](int tag, std::span<const std::uint8_t> body) {
    if (tag == kLanguage && body.size() >= 4) result = result || body[3] == 3;
    if (tag == kExtension && body.size() >= 2 && body[0] == kSupplementaryAudio) {
      result = result || (body[1] >> 2 & 0x1f) == 1;
    }
  });
  return result;
}

/// Calls visit(type, pid, descriptors) for each stream of a programme map.
template <typename Visit>
void for_each_stream(const std::vector<std::uint8_t>& map, Visit visit) {
  std::span<const std::uint8_t> bytes{map};
  bytes = bytes.first(bytes.size() - kCrcBytes);
  if (bytes.size() < kSectionHeader + 4) return;
  const std::size_t begin = kSectionHeader + 4U + static_cast<unsigned>(number(bytes, 10, 0xfff));
  if (begin > bytes.size()) return;
  bytes = bytes.subspan(begin);
  while (bytes.size() >= 5) {
    const auto size =
        std::min<std::size_t>(static_cast<unsigned>(number(bytes, 3, 0xfff)), bytes.size() - 5);
    visit(bytes[0], number(bytes, 1, 0x1fff), bytes.subspan(5, size));
    bytes = bytes.subspan(5 + size);
  }
}

int version(const std::vector<std::uint8_t>& section) { return section[5] >> 1 & 0x1f; }

}  // namespace

bool TsScanner::Section::complete() const {
  return bytes.size() >= 3 && bytes.size() >= 3U + static_cast<unsigned>(number(bytes, 1, 0xfff));
}

void TsScanner::scan(std::span<std::uint8_t, kTsPacketBytes> packet) {
  const int pid = number(packet, 1, 0x1fff);
  const int control = packet[3];
  count(pid, (control & 0xc0) != 0);
  if (pid != 0 && !sections_.contains(pid)) return;
  std::size_t begin = 4;
  if ((control & 0x20) != 0) begin += 1U + packet[4];
  if ((control & 0x10) == 0 || begin >= packet.size()) return;
  const auto payload = std::span{packet}.subspan(begin);
  auto& section = sections_[pid];
  if (!receive(section, payload, (packet[1] & 0x40) != 0)) return;
  const auto bytes = std::exchange(section.bytes, {});
  if (pid == 0) {
    if (bytes[0] == 0) read_programs(bytes);
  } else if (bytes[0] == 2 && !read_map(bytes)) {
    packet[1] = static_cast<std::uint8_t>((packet[1] & 0xe0) | kNullPid >> 8);
    packet[2] = kNullPid & 0xff;
  } else if (bytes[0] == 2) {
    renumber(payload);
  }
}

/// Returns whether a section is complete now.
bool TsScanner::receive(Section& section, std::span<const std::uint8_t> payload, bool start) {
  if (start) {
    if (payload.size() < 1U + payload[0]) return false;
    payload = payload.subspan(1U + payload[0]);
    section.bytes.clear();
  } else if (section.bytes.empty()) {
    return false;
  }
  section.bytes.insert(section.bytes.end(), payload.begin(), payload.end());
  if (!section.complete()) return false;
  section.bytes.resize(3U + static_cast<unsigned>(number(section.bytes, 1, 0xfff)));
  const bool good = section.bytes.size() >= kSectionHeader + kCrcBytes && crc32(section.bytes) == 0;
  if (!good) section.bytes.clear();  // or each further packet would check it again
  return good;
}

void TsScanner::read_programs(const std::vector<std::uint8_t>& section) {
  std::map<int, Program> programs;
  for (auto at = kSectionHeader; at + 4 + kCrcBytes <= section.size(); at += 4) {
    const int program = number(section, at);
    if (program == 0) continue;  // the network's own table
    programs[program] = programs_[program];
    sections_[number(section, at + 2, 0x1fff)];
  }
  programs_ = std::move(programs);
  if (!programs_.contains(playing_)) playing_ = 0;
}

bool TsScanner::read_map(const std::vector<std::uint8_t>& section) {
  const int program = number(section, 3);
  auto& entry = programs_[program];
  entry.seen = true;
  entry.has_pictures = false;
  for_each_stream(section, [&](int type, int, auto descriptors) {
    entry.has_pictures = entry.has_pictures || carries_pictures(type, descriptors);
  });
  choose();
  if (program != playing_) return false;
  if (section == map_) return true;
  const bool same_program = map_.size() > 5 && number(map_, 3) == program;
  const bool unmarked = same_program && version(section) == version(map_);
  generation_ = same_program ? generation_ + unmarked : 0;
  map_ = section;
  streams_.clear();
  impaired_.clear();
  for_each_stream(section, [&](int, int pid, auto descriptors) {
    streams_.insert(pid);
    if (is_for_visually_impaired(descriptors)) impaired_.insert(pid);
  });
  return true;
}

void TsScanner::choose() {
  if (playing_ != 0) return;
  if (wanted_ != 0) {
    playing_ = wanted_;
    return;
  }
  bool all_seen = true;
  for (const auto& [program, entry] : programs_) {
    all_seen = all_seen && entry.seen;
    if (playing_ == 0 && entry.has_pictures) playing_ = program;
  }
  if (playing_ == 0 && all_seen) playing_ = programs_.begin()->first;
}

/// Gives a map within one packet its new version.
void TsScanner::renumber(std::span<std::uint8_t> payload) {
  const std::size_t begin = 1U + payload[0];
  if (generation_ == 0 || begin + map_.size() > payload.size()) return;
  auto section = payload.subspan(begin, map_.size());
  section[5] =
      static_cast<std::uint8_t>((section[5] & 0xc1) | ((version(map_) + generation_) & 0x1f) << 1);
  const auto crc = crc32(section.first(section.size() - kCrcBytes));
  for (std::size_t i = 0; i < kCrcBytes; ++i) {
    section[section.size() - kCrcBytes + i] = static_cast<std::uint8_t>(crc >> (24 - 8 * i));
  }
}

void TsScanner::count(int pid, bool scrambled) {
  if (!streams_.contains(pid)) return;
  ++packets_;
  encrypted_ += scrambled;
  if (packets_ < kJudgedPackets) return;
  scrambled_ = 2 * encrypted_ > packets_;
  packets_ = encrypted_ = 0;
}

}  // namespace transcoder
