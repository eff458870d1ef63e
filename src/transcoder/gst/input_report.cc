#include "transcoder/gst/input_report.h"

#include <string_view>
#include <utility>

#include "base/log.h"
#include "transcoder/time/live_pacer.h"

namespace transcoder {

namespace {

/// Decoding begins at a keyframe, and most encoders put those up to 2 s apart. An earlier word
/// would be said of nearly every source.
constexpr base::Duration kUsualKeyframeWait = std::chrono::seconds{4};

constexpr std::string_view kTracksHint =
    "the sender changes its tracks all the time; let it keep "
    "their PIDs and codecs";

}  // namespace

void InputReport::data_arrived() {
  const auto now = base::Clock::now();
  if (now - last_data_.exchange(now) >= LivePacer::kMaxPause) even_since_ = now;
  base::Time never{};
  first_data_.compare_exchange_strong(never, now);
}

void InputReport::track_arrived(TrackKind kind) {
  base::Time never{};
  since(kind).compare_exchange_strong(never, base::Clock::now());
}

void InputReport::decodes(TrackKind kind, std::string codec) {
  std::lock_guard lock{mutex_};
  codecs_[static_cast<int>(kind)] = std::move(codec);
}

void InputReport::suspect_of_keyframes(std::string hint) {
  std::lock_guard lock{mutex_};
  keyframe_hint_ = std::move(hint);
}

void InputReport::refuse(const std::string& reason) {
  std::lock_guard lock{mutex_};
  if (refusal_.empty()) refusal_ = reason;
}

std::string InputReport::refusal() const {
  std::lock_guard lock{mutex_};
  return refusal_;
}

void InputReport::tracks_changed(std::uint64_t times) {
  std::lock_guard lock{mutex_};
  if (const auto due = track_changes_.note(times, base::Clock::now())) {
    base::log::warning("source_tracks_change", {{"times", *due}, {"hint", kTracksHint}});
  }
}

void InputReport::raise(SourceTrouble trouble, std::string detail) {
  std::lock_guard lock{mutex_};
  troubles_[trouble] = std::move(detail);
}

void InputReport::clear(SourceTrouble trouble) {
  std::lock_guard lock{mutex_};
  troubles_.erase(trouble);
}

SourceReport InputReport::report(base::Time now) const {
  SourceReport result;
  if (const auto data = last_data_.load(); data != base::Time{}) result.data = data;
  result.bytes = bytes_;
  std::string keyframe_hint;
  {
    std::lock_guard lock{mutex_};
    result.troubles = troubles_;
    keyframe_hint = keyframe_hint_;
    result.video_codec = codecs_[static_cast<int>(TrackKind::kPictures)];
    result.audio_codec = codecs_[static_cast<int>(TrackKind::kAudio)];
  }
  const auto waited = [&](base::Time since) {
    return since != base::Time{} && now - since > kUsualKeyframeWait;
  };
  if (decoded_ || result.troubles.contains(SourceTrouble::kScrambled)) return result;
  if (waited(since(TrackKind::kPictures).load())) {
    result.troubles.emplace(SourceTrouble::kNoKeyframe, keyframe_hint);
  } else if (waited(first_data_.load()) && !has_track(TrackKind::kPictures) &&
             !result.troubles.contains(SourceTrouble::kAudioOnly)) {
    const auto audio = result.troubles.find(SourceTrouble::kAudioBroken);
    const bool broken = audio != result.troubles.end();
    result.troubles.emplace(SourceTrouble::kNoPictures,
                            broken ? "audio: " + audio->second : std::string{});
  }
  return result;
}

}  // namespace transcoder
