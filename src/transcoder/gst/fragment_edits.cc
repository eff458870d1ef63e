#include "transcoder/gst/fragment_edits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace transcoder {

namespace {

using Bytes = std::span<const std::uint8_t>;

// ISO/IEC 14496-12, 4.2: size and type, and a size of 64 bits if the other one is 1.
constexpr std::size_t kHeader = 8;
constexpr std::size_t kLongHeader = 16;

/// Larger boxes `moov` and `moof` are left out: those of fragments have some kilobytes.
constexpr std::uint64_t kMaxBox = 4 << 20;

/// ISO/IEC 14496-12, 8.8.8.1: flags of `trun`.
constexpr std::uint32_t kDataOffset = 0x1;
constexpr std::uint32_t kFirstFlags = 0x4;
constexpr std::uint32_t kCompositionOffsets = 0x800;
constexpr std::uint32_t kEntryFields[] = {0x100, 0x200, 0x400};  // before the composition offset

/// A number in network byte order; 0 beyond the end.
std::uint64_t read_number(Bytes bytes, std::size_t at, std::size_t size = 4) {
  std::uint64_t result = 0;
  if (at > bytes.size() || bytes.size() - at < size) return 0;
  for (const auto byte : bytes.subspan(at, size)) result = result << 8 | byte;
  return result;
}

std::string_view type(Bytes box) { return {reinterpret_cast<const char*>(box.data()) + 4, 4}; }

/// Calls visit(body) for each box `name` directly in `bytes`.
template <typename Visit>
void for_each(Bytes bytes, std::string_view name, Visit visit) {
  while (bytes.size() >= kHeader) {
    const auto size = std::clamp<std::uint64_t>(read_number(bytes, 0), kHeader, bytes.size());
    if (type(bytes) == name) visit(bytes.subspan(kHeader, size - kHeader));
    bytes = bytes.subspan(size);
  }
}

/// The first box `name` directly in `bytes`, without its header; empty if there is none.
Bytes find(Bytes bytes, std::string_view name) {
  Bytes result;
  for_each(bytes, name, [&](Bytes body) { result = result.empty() ? body : result; });
  return result;
}

bool is_long(Bytes full_box) { return !full_box.empty() && full_box[0] == 1; }

/// `timescale` of mvhd and mdhd.
std::uint32_t time_scale(Bytes header) {
  const auto scale = static_cast<std::uint32_t>(read_number(header, is_long(header) ? 20 : 12));
  return std::max<std::uint32_t>(scale, 1);
}

/// 0 for times that make no sense, whose sums would overflow.
base::Duration in_time(std::int64_t ticks, std::uint32_t scale) {
  constexpr double kCentury = 100 * 365.25 * 86'400;
  const auto seconds = static_cast<double>(ticks) / scale;
  return std::abs(seconds) < kCentury ? base::from_seconds(seconds) : base::Duration{};
}

struct Edit {
  std::uint64_t duration;  ///< in ticks of the movie
  std::int64_t begin;      ///< in ticks of the track; -1 in an empty edit
};

Edit edit_at(Bytes elst, std::size_t index) {
  if (is_long(elst)) {
    const auto at = 8 + 20 * index;
    return {read_number(elst, at, 8), static_cast<std::int64_t>(read_number(elst, at + 8, 8))};
  }
  const auto at = 8 + 12 * index;
  return {read_number(elst, at), static_cast<std::int32_t>(read_number(elst, at + 4))};
}

/// How much later the first edit that is not empty puts the track (8.6.6).
base::Duration first_edit(Bytes elst, std::uint32_t movie_scale, std::uint32_t scale) {
  std::uint64_t empty = 0;
  const auto count = std::min<std::uint64_t>(read_number(elst, 4), elst.size() / 12);
  for (std::size_t i = 0; i < count; ++i) {
    const auto edit = edit_at(elst, i);
    if (edit.begin >= 0) {
      return in_time(static_cast<std::int64_t>(empty), movie_scale) - in_time(edit.begin, scale);
    }
    empty += edit.duration;
  }
  return {};
}

/// The smallest composition offset of a `trun`, if it is negative. qtdemux reads them as signed in
/// version 0, too.
std::int64_t negative_offset(Bytes trun) {
  const auto flags = static_cast<std::uint32_t>(read_number(trun, 0)) & 0xffffff;
  if ((flags & kCompositionOffsets) == 0) return 0;
  std::size_t before = 0;
  for (const auto field : kEntryFields) before += (flags & field) != 0 ? 4 : 0;
  std::size_t at = 8 + ((flags & kDataOffset) != 0 ? 4 : 0) + ((flags & kFirstFlags) != 0 ? 4 : 0);
  std::int64_t result = 0;
  for (auto count = read_number(trun, 4); count > 0 && at + before + 4 <= trun.size(); --count) {
    result =
        std::min<std::int64_t>(result, static_cast<std::int32_t>(read_number(trun, at + before)));
    at += before + 4;
  }
  return result;
}

bool has_long_header(Bytes box) { return read_number(box, 0) == 1; }

/// The size that the box says it has, once its header has arrived.
std::uint64_t box_size(Bytes box) {
  const auto size = read_number(box, 0);
  if (size == 0) return std::numeric_limits<std::uint64_t>::max();  // to the end of the file
  return has_long_header(box) ? read_number(box, kHeader, 8) : size;
}

/// Whether the box is to be read as a whole.
bool matters(Bytes box) {
  return (type(box) == "moov" || type(box) == "moof") && read_number(box, 0) > kHeader &&
         read_number(box, 0) <= kMaxBox;
}

/// How many bytes of the box are needed next, counted from its beginning.
std::uint64_t wanted_bytes(Bytes box) {
  if (box.size() < kHeader) return kHeader;
  return has_long_header(box) ? kLongHeader : read_number(box, 0);
}

}  // namespace

void FragmentEdits::push(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    if (skipped_bytes_ > 0) {
      const auto skipped = std::min<std::uint64_t>(skipped_bytes_, bytes.size());
      skipped_bytes_ -= skipped;
      bytes = bytes.subspan(skipped);
      continue;
    }
    const auto wanted = wanted_bytes(box_);
    const auto taken = std::min<std::uint64_t>(wanted - box_.size(), bytes.size());
    box_.insert(box_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    bytes = bytes.subspan(taken);
    if (box_.size() == wanted) read_box();
  }
}

/// The header, or the whole box, has arrived.
void FragmentEdits::read_box() {
  const auto size = box_size(box_);
  const bool whole = size == box_.size();
  if (!whole && (has_long_header(box_) ? box_.size() == kHeader : matters(box_))) return;
  const auto body = Bytes{box_}.subspan(kHeader);
  if (matters(box_)) type(box_) == "moov" ? read_movie(body) : read_fragment(body);
  skipped_bytes_ = size - std::min<std::uint64_t>(size, box_.size());
  box_.clear();
}

void FragmentEdits::restart() {
  box_.clear();
  skipped_bytes_ = 0;
}

base::Duration FragmentEdits::shift(int track) const {
  const auto found = tracks_.find(track);
  if (found == tracks_.end()) return {};
  const auto& [scale, edit, composition] = found->second;
  return edit + in_time(composition, scale);
}

void FragmentEdits::read_movie(Bytes moov) {
  tracks_.clear();
  const auto scale = time_scale(find(moov, "mvhd"));
  for_each(moov, "trak", [&](Bytes trak) { read_track(trak, scale); });
}

void FragmentEdits::read_track(Bytes trak, std::uint32_t movie_scale) {
  const auto header = find(trak, "tkhd");
  const auto scale = time_scale(find(find(trak, "mdia"), "mdhd"));
  tracks_[static_cast<int>(read_number(header, is_long(header) ? 20 : 12))] = {
      .scale = scale, .edit = first_edit(find(find(trak, "edts"), "elst"), movie_scale, scale)};
}

void FragmentEdits::read_fragment(Bytes moof) {
  for_each(moof, "traf", [&](Bytes traf) {
    const auto track = tracks_.find(static_cast<int>(read_number(find(traf, "tfhd"), 4)));
    if (track == tracks_.end()) return;
    for_each(traf, "trun", [&](Bytes trun) { track->second.composition = negative_offset(trun); });
  });
}

}  // namespace transcoder
