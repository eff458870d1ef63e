#include "segments/segment_store.h"

#include <algorithm>

namespace segments {

namespace {

// Segments after the newest that a player may ask for. No playlist or manifest announces later
// ones.
constexpr unsigned kMaxSegmentsAhead = 2;

/// FNV-1a (draft-eastlake-fnv), 64 bits.
std::uint64_t hash(const std::vector<std::uint8_t>& bytes) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const auto byte : bytes) value = (value ^ byte) * 0x100000001b3;
  return value;
}

std::optional<Segment> copy(const Segment* segment) {
  return segment == nullptr ? std::nullopt : std::optional{*segment};
}

}  // namespace

void SegmentStore::publish(std::uint32_t group, const media::PacketPtr& packet) {
  std::lock_guard lock{mutex_};
  if (packet->kind == media::Packet::Kind::kAudio) {
    if (publish_audio(group, packet)) revision_.fetch_add(1, std::memory_order_release);
    return;
  }
  auto& track = tracks_of(group).video;
  if (!track.push(packet, packet->headers ? add_init(packet->headers) : 0)) return;
  if (const auto* segment = track.newest()) begin_segment(segment->number);
  revision_.fetch_add(1, std::memory_order_release);
}

/// Returns whether a part was completed or a segment begun.
bool SegmentStore::publish_audio(std::uint32_t group, const media::PacketPtr& packet) {
  const bool changed = tracks_of(group).audio.push(packet);
  if (newest_audio_ && packet->number <= *newest_audio_) return changed;  // another has been first
  newest_audio_ = packet->number;
  if (!audio_) audio_.emplace(clock_, window_);
  return audio_->push(packet) || changed;
}

/// The first group to begin a segment moves the window for all groups.
void SegmentStore::begin_segment(std::uint64_t number) {
  if (newest_ && number <= *newest_) return;
  if (newest_ && number > *newest_ + window_) ++discontinuities_;
  newest_ = number;
  const auto oldest = number + 1 - std::min<std::uint64_t>(window_, number + 1);
  for (auto& [id, tracks] : tracks_) {
    tracks.video.forget_before(oldest);
    tracks.audio.forget_before(oldest);
  }
  std::erase_if(
      tracks_, [this](const auto& entry) { return !is_open(entry.first) && entry.second.empty(); });
}

bool SegmentStore::is_open(TrackId track) const {
  return std::ranges::any_of(groups_, [=](const auto& open) { return open.second == track; });
}

void SegmentStore::close(std::uint32_t group) {
  std::lock_guard lock{mutex_};
  const auto node = groups_.extract(group);
  if (node.empty()) return;
  if (const auto tracks = tracks_.find(node.mapped()); tracks != tracks_.end()) {
    tracks->second.video.end();
    tracks->second.audio.end();
  }
  revision_.fetch_add(1, std::memory_order_release);
}

void SegmentStore::forget_closed() {
  std::lock_guard lock{mutex_};
  std::erase_if(tracks_, [this](const auto& entry) { return !is_open(entry.first); });
  newest_.reset();
  for (const auto& [id, tracks] : tracks_) {
    if (const auto* segment = tracks.video.newest()) newest_ = std::max(newest_, {segment->number});
  }
  if (tracks_.empty()) audio_.reset();
}

std::optional<SegmentStore::TrackId> SegmentStore::track(std::uint32_t group) const {
  std::lock_guard lock{mutex_};
  const auto found = groups_.find(group);
  return found == groups_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<Segment> SegmentStore::video(TrackId track, std::uint64_t number) const {
  std::lock_guard lock{mutex_};
  const auto found = tracks_.find(track);
  return found == tracks_.end() ? std::nullopt : copy(found->second.video.find(number));
}

std::vector<media::PacketPtr> SegmentStore::being_made(TrackId track) const {
  std::lock_guard lock{mutex_};
  const auto found = tracks_.find(track);
  if (found == tracks_.end()) return {};
  const auto packets = found->second.video.being_made();
  return {packets.begin(), packets.end()};
}

std::optional<Segment> SegmentStore::audio(std::uint64_t number) const {
  std::lock_guard lock{mutex_};
  auto segment = audio_ ? copy(audio_->find(number)) : std::nullopt;
  if (segment) segment->init = audio_init_;
  return segment;
}

std::optional<Segment> SegmentStore::audio(TrackId track, std::uint64_t number) const {
  std::lock_guard lock{mutex_};
  auto segment = copy(find_audio(track, number));
  if (segment) segment->init = audio_init_;
  return segment;
}

const Segment* SegmentStore::find_audio(TrackId track, std::uint64_t number) const {
  const auto whole = [number](const Tracks& tracks) {
    const auto* segment = tracks.audio.find(number);
    return segment == nullptr || segment->cut ? nullptr : segment;
  };
  if (const auto own = tracks_.find(track); own != tracks_.end()) {
    if (const auto* segment = whole(own->second)) return segment;
  }
  for (const auto& [id, tracks] : tracks_) {
    if (const auto* segment = whole(tracks)) return segment;
  }
  return audio_ ? audio_->find(number) : nullptr;
}

std::vector<SegmentStore::Holder> SegmentStore::holders(std::uint64_t number) const {
  std::lock_guard lock{mutex_};
  std::vector<Holder> result;
  std::vector<Holder> cut;
  for (const auto& [id, tracks] : tracks_) {
    if (const auto* segment = tracks.video.find(number)) {
      (segment->cut ? cut : result).push_back({id, segment->rate});
    }
  }
  return result.empty() ? cut : result;
}

media::HeadersPtr SegmentStore::headers(std::uint64_t init) const {
  std::lock_guard lock{mutex_};
  const auto found = inits_.find(init);
  return found == inits_.end() ? nullptr : found->second;
}

media::HeadersPtr SegmentStore::largest() const {
  std::lock_guard lock{mutex_};
  const auto pixels = [](const auto& init) {
    return init.second->format.width * init.second->format.height;
  };
  const auto found = std::ranges::max_element(inits_, {}, pixels);
  return found == inits_.end() ? nullptr : found->second;
}

std::optional<std::uint64_t> SegmentStore::oldest(bool with_audio) const {
  std::lock_guard lock{mutex_};
  std::optional<std::uint64_t> result;
  for (const auto& [id, tracks] : tracks_) {
    const auto& track = tracks.video;
    if (!track.empty()) result = std::min(result.value_or(track.oldest()), track.oldest());
  }
  if (!result || !with_audio) return result;
  if (!audio_ || audio_->empty()) return {};
  return std::max(*result, audio_->oldest());
}

std::optional<std::uint64_t> SegmentStore::newest() const {
  std::lock_guard lock{mutex_};
  return newest_;
}

unsigned SegmentStore::discontinuities() const {
  std::lock_guard lock{mutex_};
  return discontinuities_;
}

bool SegmentStore::is_due(std::uint64_t number) const {
  std::lock_guard lock{mutex_};
  return !newest_ || (number >= *newest_ && number <= *newest_ + kMaxSegmentsAhead);
}

bool SegmentStore::is_current(std::uint64_t number) const {
  std::lock_guard lock{mutex_};
  return !newest_ || (number + window_ > *newest_ && number <= *newest_ + kMaxSegmentsAhead);
}

bool SegmentStore::has_expired(std::uint64_t number) const {
  std::lock_guard lock{mutex_};
  return !newest_ || (*newest_ >= window_ && number <= *newest_ - window_);
}

std::uint64_t SegmentStore::init_of(const media::HeadersPtr& headers) {
  std::lock_guard lock{mutex_};
  return add_init(headers);
}

std::uint64_t SegmentStore::add_init(const media::HeadersPtr& headers) {
  if (!headers->mp4_audio.empty()) {
    audio_init_ = hash(headers->mp4_audio);
    inits_.try_emplace(audio_init_, headers);
  }
  const auto id = hash(headers->mp4_video);
  inits_.try_emplace(id, headers);
  return id;
}

SegmentStore::Tracks& SegmentStore::tracks_of(std::uint32_t group) {
  const auto [entry, is_new] = groups_.try_emplace(group, last_track_ + 1);
  if (is_new) ++last_track_;
  const Track none{clock_, window_};
  return tracks_.try_emplace(entry->second, Tracks{none, none}).first->second;
}

}  // namespace segments
