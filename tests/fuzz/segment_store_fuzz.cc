#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/target.h"
#include "segments/segment_store.h"
#include "segments/stand_in.h"

// Packets of some encode groups, and questions of players between them. The first bytes choose the
// lengths, each later one an action.

namespace {

using namespace std::chrono_literals;
using segments::Segment;
using segments::SegmentClock;
using segments::SegmentStore;

constexpr std::uint32_t kGroups = 4;
constexpr std::array<base::Duration, 4> kFrameDurations{40ms, 16'666'667ns, 80ms, 900ms};

/// A stream whose groups all encode the same pictures, some later than others or not at all.
class Stream {
 public:
  explicit Stream(fuzz::Input& input)
      : clock_{chosen_clock(input)},
        window_{2 + input.take<std::uint8_t>() % 7u},
        frame_{kFrameDurations[input.take<std::uint8_t>() % kFrameDurations.size()]} {}

  void act(unsigned action, fuzz::Input& input) {
    const auto group = action % kGroups;
    switch (action / kGroups % 8) {
      case 0:
        now_ += frame_;
        break;
      case 1:
        now_ += clock_.segment / 4;
        break;
      case 2:
        now_ += input.take<std::uint8_t>() * clock_.segment;
        break;
      case 3:
        store_.close(group);
        begun_.erase(group);
        break;
      case 4:
        store_.forget_closed();
        newest_.reset();
        break;
      case 5:
        audio();
        break;
      case 6:
        check_number(input.take<std::uint64_t>());
        break;
      default:
        break;
    }
    video(group);
  }

  void check() {
    const auto revision = store_.revision();
    CHECK(revision >= revision_, revision, revision_);
    revision_ = revision;
    const auto newest = store_.newest();
    CHECK(!newest_ || (newest && *newest >= *newest_));
    const bool moved = newest != newest_;
    newest_ = newest;
    const auto oldest = store_.oldest(false);
    const auto with_audio = store_.oldest(true);
    CHECK(!with_audio || (oldest && *with_audio >= *oldest));
    if (!newest) return;
    CHECK(!oldest || *oldest + window_ > *newest, *oldest, *newest);
    if (moved) check_window();
  }

  void check_window() const {
    const auto newest = store_.newest();
    if (!newest) return;
    const auto begin = *newest - std::min<std::uint64_t>(*newest, window_ + 2);
    for (auto number = begin; number <= *newest + 4; ++number) check_number(number);
  }

  /// For the newest segment of each group and of the audio.
  void check_stand_ins() const {
    const auto newest = store_.newest();
    if (!newest) return;
    for (const auto& holder : store_.holders(*newest)) {
      check_stand_in(*store_.video(holder.track, *newest));
    }
    if (const auto segment = store_.audio(*newest)) check_stand_in(*segment);
  }

 private:
  static SegmentClock chosen_clock(fuzz::Input& input) {
    constexpr std::array<base::Duration, 4> kSegments{2s, 1s, 500ms, 2'002ms};
    constexpr std::array<base::Duration, 4> kParts{200ms, 400ms, 100ms, 3s};
    const auto choice = input.take<std::uint8_t>();
    const auto segment = kSegments[choice % 4];
    const auto origin = choice / 16 % 2 == 0 ? base::Duration{} : 800'000'000 * segment;
    return {.segment = segment, .part = kParts[choice / 4 % 4], .origin = origin};
  }

  void video(std::uint32_t group) {
    auto& last = last_[group];
    if (last && *last >= now_) return;
    auto packet = std::make_shared<media::Packet>();
    packet->number = static_cast<std::uint64_t>(now_ / frame_);
    packet->pts = now_;
    packet->duration = frame_;
    packet->rate = base::BitRate::kbps(500.0 * (1 + group));
    packet->unit = {0, 0, 1, 0x65, 1, 2, 3};
    packet->keyframe =
        !begun_.contains(group) || !last || clock_.number(*last) != clock_.number(now_);
    if (packet->keyframe) packet->headers = headers_[group];
    begun_[group] = true;
    last = now_;
    store_.publish(group, packet);
  }

  void audio() {
    auto packet = std::make_shared<media::Packet>();
    packet->kind = media::Packet::Kind::kAudio;
    packet->number = static_cast<std::uint64_t>(now_ / 21'333us);
    packet->pts = now_;
    packet->duration = 21'333us;
    packet->unit = {1, 2, 3};
    store_.publish(0, packet);
    store_.publish(1, packet);
  }

  void check_number(std::uint64_t number) const {
    const auto newest = store_.newest();
    if (newest) {
      const bool expired = store_.has_expired(number);
      const bool current = store_.is_current(number);
      CHECK(expired == (number < *newest && *newest - number >= window_), number, *newest);
      CHECK(!store_.is_due(number) || current, number, *newest);
      CHECK(number <= *newest || number - *newest <= 2 || !current, number, *newest);
      CHECK(!(current && expired), number, *newest);
    }
    const auto holders = store_.holders(number);
    for (const auto& holder : holders) {
      const auto segment = store_.video(holder.track, number);
      CHECK(segment.has_value(), number, holder.track);
      CHECK(!newest || !store_.has_expired(number), number, *newest);
      CHECK(segment->rate == holder.rate, number);
      CHECK(store_.headers(segment->init) != nullptr, number, segment->init);
      check_segment(number, *segment);
      if (const auto audio = store_.audio(holder.track, number)) check_segment(number, *audio);
    }
    if (const auto segment = store_.audio(number)) check_segment(number, *segment);
  }

  void check_segment(std::uint64_t number, const Segment& segment) const {
    CHECK(segment.number == number, segment.number, number);
    CHECK(segment.complete || !segment.cut, number);
    CHECK(segment.parts.size() <= clock_.max_parts() + clock_.segment / frame_, number);
    auto end = segment.begin;
    for (const auto& part : segment.parts) {
      CHECK(part->begin() == end, number, part->begin().count(), end.count());
      CHECK(part->end() > part->begin(), number);
      end = part->end();
      for (const auto& packet : part->packets()) {
        CHECK(clock_.number(packet->pts) == number, number, packet->pts.count());
      }
    }
  }

  void check_stand_in(const Segment& next) const {
    const auto number = next.number - std::min<std::uint64_t>(next.number, 1);
    const auto stand_in = segments::stand_in(number, next, clock_, true);
    CHECK(stand_in.has_value() == !next.parts.empty(), number);
    if (!stand_in) return;
    CHECK(stand_in->number == number && stand_in->complete, number);
    CHECK(stand_in->begin == clock_.begin(number), number);
    CHECK(stand_in->duration() == clock_.segment, number, stand_in->duration().count());
    CHECK(!stand_in->parts.front()->bytes().empty(), number);
  }

  static media::HeadersPtr headers_of(std::uint8_t group) {
    return std::make_shared<const media::Headers>(media::Headers{
        .mp4_video = {group}, .mp4_audio = {7}, .format = {.width = 320 + group, .height = 180}});
  }

  const SegmentClock clock_;
  const std::size_t window_;
  const base::Duration frame_;
  const std::array<media::HeadersPtr, kGroups> headers_{headers_of(0), headers_of(1), headers_of(2),
                                                        headers_of(2)};
  SegmentStore store_{clock_, window_};
  media::Pts now_{};
  std::map<std::uint32_t, bool> begun_;
  std::array<std::optional<media::Pts>, kGroups> last_;
  std::optional<std::uint64_t> newest_;
  std::uint64_t revision_ = 0;
};

}  // namespace

FUZZ_TARGET(segment_store) {
  Stream stream{input};
  // Inputs of thousands would take seconds, and show no more.
  for (int actions = 0; !input.empty() && actions < 500; ++actions) {
    stream.act(input.take<std::uint8_t>(), input);
    stream.check();
  }
  stream.check_window();
  stream.check_stand_ins();
}
