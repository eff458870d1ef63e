#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

#include "fuzz/check.h"
#include "fuzz/target.h"
#include "transcoder/gst/track_joiner.h"
#include "transcoder/time/frame_rate_limit.h"
#include "transcoder/time/loop_time.h"
#include "transcoder/time/media_clock.h"
#include "transcoder/time/pacer.h"
#include "transcoder/time/source_time.h"
#include "transcoder/time/timeline.h"

// A source's timestamps: any at first, then good ones, with which the stream recovers. The input is
// a list of steps: a byte with the Step, and for some a number.

namespace {

using namespace std::chrono_literals;
using transcoder::Pacer;

enum class Step : std::uint8_t {
  kNext,
  kStamp,
  kEarlier,
  kAudio,
  kLate,
  kRestart,
  kRepeat,
  kRound
};
constexpr unsigned kSteps = 8;

constexpr base::Duration kFrame = 40ms;
constexpr base::Time kEpoch{1h};

/// Any number as a running time, as those of gst_sample.h are.
std::optional<base::Duration> stamp(std::int64_t number) {
  if (number == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
  return number < 0 ? transcoder::source_time(-1, static_cast<std::uint64_t>(-number))
                    : transcoder::source_time(1, static_cast<std::uint64_t>(number));
}

/// All that passes a source's times on.
class Stream {
 public:
  void act(Step step, fuzz::Input& input) {
    switch (step) {
      case Step::kNext:
        now_ += kFrame;
        return picture(source_ + kFrame);
      case Step::kStamp:
        if (const auto time = stamp(input.take<std::int64_t>())) picture(*time);
        return;
      case Step::kEarlier:
        return picture(source_ - std::chrono::milliseconds{input.take<std::uint16_t>()});
      case Step::kAudio:
        return audio(std::chrono::milliseconds{input.take<std::int16_t>()});
      case Step::kLate:
        now_ += std::chrono::milliseconds{input.take<std::uint16_t>()};
        return;
      case Step::kRestart:
        timeline_.restart();
        limit_.restart();
        return;
      case Step::kRepeat:
        if (const auto pts = timeline_.repeat(now_)) rise_to(*pts);
        return;
      case Step::kRound:
        return round();
    }
  }

  /// A source that is good from now on has pictures near their time within 6 s.
  void recover() {
    constexpr int kFrames = 200;
    constexpr int kSettled = 150;
    int kept = 0;
    source_ =
        std::min(source_, transcoder::kMaxSourceTime - kFrames * kFrame);  // has room for them
    for (int i = 0; i < kFrames; ++i) {
      now_ += kFrame;
      const auto before = limited_;
      picture(source_ + kFrame);
      if (i < kSettled) continue;
      const auto early = last_.value_or(media::Pts{}) - (now_ - kEpoch);
      CHECK(last_ && early < 2s && early > -2s, early.count());
      kept += limited_ != before;
    }
    CHECK(kept >= (kFrames - kSettled) / 3, kept);
  }

 private:
  void picture(base::Duration source) {
    if (source > transcoder::kMaxSourceTime || source < -transcoder::kMaxSourceTime) return;
    source_ = source;
    const auto released = network_.picture(source, now_);
    CHECK(released - now_ <= Pacer::kMaxGap && now_ - released <= Pacer::kMaxDelay,
          (released - now_).count());
    file_.picture(source, now_);
    join(0, source, kFrame);
    loop(source);
    const auto pts = timeline_.picture(source, now_);
    if (pts) rise_to(*pts);
  }

  void audio(base::Duration offset) {
    const auto source = source_ + offset;
    network_.audio(source);
    file_.audio(source);
    join(1, source, 21ms);
    if (const auto pts = timeline_.audio(source, now_)) {
      CHECK(*pts >= media::Pts{} && *pts - (now_ - kEpoch) <= 2s, pts->count());
    }
  }

  void rise_to(media::Pts pts) {
    CHECK(!last_ || pts > *last_, pts.count(), last_->count());
    last_ = pts;
    limited_ += limit_.admit(pts) ? 1 : 0;
  }

  void join(std::size_t track, base::Duration time, base::Duration length) {
    if (time > transcoder::kMaxSourceTime || time < -transcoder::kMaxSourceTime) return;
    auto& place = places_[track];
    const auto before = place;
    const auto joined = time + joiner_.offset(place, time, length);
    CHECK(!before.begun || before.end >= transcoder::kMaxSourceTime ||
              joined >= before.end - transcoder::TrackJoiner::kMaxStepBack,
          joined.count(), before.end.count());
  }

  void loop(base::Duration time) {
    looped_ = loop_.picture(time);
    loop_.audio(time);
  }

  /// A round that seems to take a lifetime does not end: its pictures wait for their time.
  void round() {
    const bool plays = loop_.any() && looped_ < transcoder::kMaxSourceTime / 2;
    if (!plays) return;
    loop_.next_round();
    CHECK(loop_.picture(source_) >= looped_, looped_.count());
    looped_ = loop_.picture(source_);
  }

  const transcoder::MediaClock media_clock_{{.monotonic = kEpoch}};
  transcoder::Timeline timeline_{transcoder::StreamClock{media_clock_, 2s, kEpoch}};
  Pacer network_{Pacer::SourceKind::kNetwork};
  Pacer file_{Pacer::SourceKind::kFile};
  transcoder::FrameRateLimit limit_{30};
  transcoder::TrackJoiner joiner_;
  std::array<transcoder::TrackJoiner::Track, 2> places_{};
  transcoder::LoopTime loop_;
  base::Duration looped_{};
  base::Time now_ = kEpoch;
  base::Duration source_{};
  std::optional<media::Pts> last_;
  int limited_ = 0;  ///< pictures that the limit of the rate has kept
};

}  // namespace

FUZZ_TARGET(timeline) {
  Stream stream;
  while (!input.empty()) {
    const auto step = static_cast<Step>(input.take<std::uint8_t>() % kSteps);
    stream.act(step, input);
  }
  stream.recover();
}
