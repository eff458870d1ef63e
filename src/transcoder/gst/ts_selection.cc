#include "transcoder/gst/ts_selection.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace transcoder {

namespace {

using namespace std::chrono_literals;

/// More audio than any broadcast has. Each costs the demuxer some memory, also if it is not chosen.
constexpr std::size_t kMaxAudioStreams = 32;

/// Changes of the map within kChangeWindow: more would have the demuxer set up and take down tracks
/// all the time, fewer would follow a sender late that corrects itself.
constexpr std::size_t kMaxChanges = 8;
constexpr base::Duration kChangeWindow = 8s;

/// Changes of audio alone within kAudioWindow. Each costs the pictures up to the next keyframe, and
/// without it the audio is silent. Programmes and advertisements take turns more slowly.
constexpr std::size_t kMaxAudioChanges = 4;
constexpr base::Duration kAudioWindow = 60s;

/// After this number of pictures a change is another one than the last, also in a file that is read
/// faster than it plays.
constexpr int kSettledUnits = 10;

/// Packets of another stream with pictures, after which the selected one is taken for empty: a
/// tenth of a second of 1 Mbit/s.
constexpr int kMaxOthers = 64;

/// A demuxer keeps a PES packet until its end. That of a picture has no length (ISO/IEC 13818-1,
/// 2.4.3.7), and 32 MB are a second of 250 Mbit/s. Others have up to 64 KiB; some muxers leave the
/// length out.
constexpr std::size_t kMaxPictureUnit = 32 << 20;
constexpr std::size_t kMaxOtherUnit = 1 << 20;

// Bits of the header: ISO/IEC 13818-1, 2.4.3.2.
constexpr unsigned kUnitStart = 0x40;  // payload_unit_start_indicator, of byte 1
constexpr unsigned kHasPayload = 0x10;
constexpr unsigned kCounter = 0xf;

/// For tables, and for null packets (ISO/IEC 13818-1, table 2-3).
bool is_reserved(int pid) { return pid < 0x10 || pid == 0x1fff; }

/// The entry of a stream without the PID, which may change.
std::vector<std::uint8_t> kind_of(const TsStream& stream) {
  std::vector<std::uint8_t> kind{stream.entry.begin(), stream.entry.end()};
  kind[1] = kind[2] = 0;
  return kind;
}

/// Whether two maps differ at most in their version.
bool has_same_streams(const TsSection& a, const TsSection& b) {
  return std::ranges::equal(ts_streams(a), ts_streams(b), {}, &TsStream::pid, &TsStream::pid) &&
         std::ranges::equal(ts_streams(a), ts_streams(b), {}, kind_of, kind_of);
}

}  // namespace

void TsSelection::take(const TsSection& map, base::Time now) {
  if (map != received_) {
    if (!received_.empty() && !has_same_streams(map, received_)) ++map_changes_;
    received_ = map;
    pictures_.clear();
    for (const auto& stream : ts_streams(map)) {
      if (stream.pictures) pictures_.insert(stream.pid);
    }
  }
  const auto streams = selected(map);
  if (!shown_.empty()) follow(streams, map);
  const bool shown = !shown_.empty() && is_shown(streams) && fits_clock(map);
  if (!shown && may_change(now, !shown_.empty() && has_same_pictures(streams))) show(streams, map);
}

void TsSelection::reset() {
  TsSelection next;
  next.map_changes_ = map_changes_ + (received_.empty() ? 0 : 1);
  next.changes_ = std::move(changes_);
  next.audio_changes_ = std::move(audio_changes_);
  *this = std::move(next);
}

std::vector<TsStream> TsSelection::selected(const TsSection& map) const {
  std::vector<TsStream> result;
  std::set<int> pids;
  std::size_t audio = 0;
  int picture = pictures_.contains(picture_) ? picture_ : -1;
  for (const auto& stream : ts_streams(map)) {
    if (is_reserved(stream.pid) || !pids.insert(stream.pid).second) continue;
    if (stream.pictures && picture < 0) picture = stream.pid;
    const bool wanted =
        stream.pictures ? stream.pid == picture : stream.audio && audio++ < kMaxAudioStreams;
    if (wanted) result.push_back(stream);
  }
  return result;
}

bool TsSelection::has_same_pictures(const std::vector<TsStream>& streams) const {
  const auto stream = std::ranges::find_if(streams, &TsStream::pictures);
  const auto slot = std::ranges::find_if(slots_, &Slot::pictures);
  if (stream == streams.end() || slot == slots_.end()) return false;
  return kind_of(*stream) == slot->kind;
}

/// Whether the slots are for these streams, in any order.
bool TsSelection::is_shown(const std::vector<TsStream>& streams) const {
  std::vector<std::vector<std::uint8_t>> kinds;
  std::vector<std::vector<std::uint8_t>> shown;
  std::ranges::transform(streams, std::back_inserter(kinds), kind_of);
  std::ranges::transform(slots_, std::back_inserter(shown), &Slot::kind);
  return std::ranges::is_permutation(kinds, shown);
}

/// Gives each slot a stream of its kind: the one that it had, or else one that has none.
void TsSelection::follow(const std::vector<TsStream>& streams, const TsSection& map) {
  const auto before = std::exchange(tracks_, {});
  std::set<int> taken;  // PIDs as shown
  const auto assign = [&](const TsStream& stream, const Slot& slot) {
    const auto old = before.find(stream.pid);
    const auto bytes = old != before.end() ? old->second.unit_bytes : 0;
    const bool moved = old == before.end() || old->second.shown != slot.shown;
    const auto counter = moved ? std::nullopt : old->second.counter;
    tracks_[stream.pid] = {slot.shown, slot.pictures, bytes, counter};
    taken.insert(slot.shown);
    if (slot.pictures) picture_ = stream.pid;
  };
  for (const bool same : {true, false}) {
    for (const auto& stream : streams) {
      if (tracks_.contains(stream.pid)) continue;
      const auto old = before.find(stream.pid);
      const auto kind = kind_of(stream);
      const auto slot = std::ranges::find_if(slots_, [&](const Slot& s) {
        const bool had = old != before.end() && old->second.shown == s.shown;
        return s.kind == kind && !taken.contains(s.shown) && (had || !same);
      });
      if (slot != slots_.end()) assign(stream, *slot);
    }
  }
  const int clock = ts_clock_pid(map);
  clock_ = tracks_.contains(clock) ? -1 : clock;
}

void TsSelection::show(const std::vector<TsStream>& streams, const TsSection& map) {
  std::set<int> pids;
  slots_.clear();
  impaired_.clear();
  picture_ = -1;
  for (const auto& stream : streams) {
    pids.insert(stream.pid);
    slots_.push_back({kind_of(stream), stream.pid, stream.pictures});
    if (stream.impaired) impaired_.insert(stream.pid);
  }
  shown_ = with_streams(map, pids);
  units_ = others_ = 0;
  tracks_.clear();
  counters_.clear();
  follow(streams, map);
}

bool TsSelection::may_change(base::Time now, bool audio_alone) {
  auto& changes = audio_alone ? audio_changes_ : changes_;
  const auto window = audio_alone ? kAudioWindow : kChangeWindow;
  const auto most = audio_alone ? kMaxAudioChanges : kMaxChanges;
  while (!changes.empty() && now - changes.front() >= window) changes.pop_front();
  const bool settled = !audio_alone && units_ >= kSettledUnits;
  if (changes.size() >= most && !settled) return false;
  changes.push_back(now);
  if (changes.size() > most) changes.pop_front();
  return true;
}

/// The map says on which PID the clock is.
bool TsSelection::fits_clock(const TsSection& map) const {
  const auto track = tracks_.find(ts_clock_pid(map));
  const int shown = ts_clock_pid(shown_);
  if (track != tracks_.end()) return track->second.shown == shown;
  return std::ranges::find(slots_, shown, &Slot::shown) == slots_.end();
}

bool TsSelection::pass(std::span<std::uint8_t, kTsPacketBytes> packet, base::Time now) {
  if (shown_.empty()) return true;
  const int pid = ts_pid(packet);
  if (pictures_.contains(pid)) consider_other(pid, now);
  const auto found = tracks_.find(pid);
  if (found == tracks_.end()) {
    if (pid == clock_) set_ts_pid(packet, ts_clock_pid(shown_));
    return pid == clock_;
  }
  auto& track = found->second;
  const bool start = (packet[1] & kUnitStart) != 0;
  const auto size = ts_payload(packet).size();
  units_ = std::min(units_ + (start && track.pictures), kSettledUnits);
  track.unit_bytes = start ? size : track.unit_bytes + size;
  if (track.unit_bytes > (track.pictures ? kMaxPictureUnit : kMaxOtherUnit)) return false;
  set_ts_pid(packet, track.shown);
  renumber(track, packet);
  return true;
}

/// tsdemux drops the last picture before a gap in the numbers, which another PID would leave.
void TsSelection::renumber(Track& track, std::span<std::uint8_t, kTsPacketBytes> packet) {
  const unsigned counter = packet[3] & kCounter;
  const bool payload = (packet[3] & kHasPayload) != 0;
  const auto last = counters_.find(track.shown);
  if (!track.counter) {
    const auto next = last == counters_.end() ? counter : last->second + (payload ? 1 : 0);
    track.counter = (next - counter) & kCounter;
  }
  const auto shown = (counter + *track.counter) & kCounter;
  packet[3] = static_cast<std::uint8_t>((packet[3] & ~kCounter) | shown);
  counters_[track.shown] = shown;
}

void TsSelection::consider_other(int pid, base::Time now) {
  if (pid == picture_ || units_ > 0) {
    others_ = 0;
  } else if (++others_ >= kMaxOthers) {
    others_ = 0;
    picture_ = pid;
    take(TsSection{received_}, now);
  }
}

}  // namespace transcoder
