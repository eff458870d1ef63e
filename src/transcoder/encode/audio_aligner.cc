#include "transcoder/encode/audio_aligner.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace transcoder {

namespace {

constexpr std::int64_t samples_in(std::chrono::milliseconds time) {
  return time.count() * media::kAudioRate / 1000;
}

/// Larger gaps are filled, larger overlaps cut. Containers round timestamps to 1 ms, and capture
/// devices jitter by a few; 15 ms of error between audio and picture is not noticeable, but a
/// correction is.
constexpr std::int64_t kMaxErrorSamples = samples_in(std::chrono::milliseconds{15});

/// A larger error, up to kMaxErrorSamples, is steered back by one sample in 1024. Clock drift
/// causes such errors within a minute. 0.1 % of pitch is inaudible; a gap or cut of 15 ms is not.
constexpr std::int64_t kMinSteeredSamples = samples_in(std::chrono::milliseconds{2});
constexpr std::int64_t kSteeringDivisor = 1024;

/// Audio counts as missing when it is later than it has recently been by this margin, within the
/// two limits below. Players stall on late audio, so we wait no longer than the source's own lag
/// requires: ffmpeg's MPEG-TS has its audio up to 0.28 s behind its pictures, cameras and files
/// have it next to them.
constexpr std::int64_t kWaitMarginSamples = samples_in(std::chrono::milliseconds{150});
constexpr std::int64_t kMinWaitSamples = samples_in(std::chrono::milliseconds{250});
constexpr std::int64_t kMaxWaitSamples = samples_in(std::chrono::seconds{2});  // as in Timeline

/// Shorter gaps are bridged by the audio on both sides: one or two lost AAC frames, or three of
/// layer II. A longer bridge would be heard as an echo.
constexpr std::int64_t kMaxBridgeSamples = samples_in(std::chrono::milliseconds{64});

/// The recent lag decays over this many pushes: 5 s of 20 ms each.
constexpr std::int64_t kLagDecayPushes = 256;

/// Gaps are filled up to this far past the pictures. Audio farther ahead has a wrong timestamp.
constexpr std::int64_t kMaxLeadSamples = samples_in(std::chrono::seconds{1});

std::int64_t position(media::Pts pts) {
  // In two parts, because weeks in nanoseconds times 48000 would overflow.
  const auto whole = std::chrono::floor<std::chrono::seconds>(pts);
  return whole.count() * media::kAudioRate +
         (pts - whole).count() * media::kAudioRate / 1'000'000'000;
}

/// Stretches or compresses `values` to `count` samples, at least two, by linear interpolation.
std::vector<float> resized(std::span<const float> values, std::int64_t count) {
  constexpr std::size_t kChannels = media::kAudioChannels;
  const std::size_t last = values.size() / kChannels - 1;
  const double step = static_cast<double>(last) / static_cast<double>(count - 1);
  std::vector<float> result;
  for (std::int64_t i = 0; i < count; ++i) {
    const double at = step * static_cast<double>(i);
    const auto left = std::min(static_cast<std::size_t>(at), last);
    const auto right = std::min(left + 1, last);
    const auto share = static_cast<float>(at - static_cast<double>(left));
    for (std::size_t c = 0; c < kChannels; ++c) {
      result.push_back(
          std::lerp(values[left * kChannels + c], values[right * kChannels + c], share));
    }
  }
  return result;
}

std::int64_t frames(std::span<const float> values) {
  return static_cast<std::int64_t>(values.size()) / media::kAudioChannels;
}

/// A sample of audio that goes on forwards and backwards in turn beyond its ends.
float folded(std::span<const float> values, std::int64_t at, std::int64_t channel) {
  const auto count = frames(values);
  at = (at % (2 * count) + 2 * count) % (2 * count);
  if (at >= count) at = 2 * count - 1 - at;
  return values[static_cast<std::size_t>(at * media::kAudioChannels + channel)];
}

std::int64_t next_block(std::int64_t position) {
  return (std::max<std::int64_t>(position, 0) + kBlockSamples - 1) / kBlockSamples * kBlockSamples;
}

}  // namespace

std::vector<AudioBlock> AudioAligner::push(const media::Samples& samples) {
  const std::int64_t begin = position(samples.pts);
  std::span values{samples.values};
  const auto count = static_cast<std::int64_t>(values.size() / media::kAudioChannels);
  if (!cursor_) start(begin);
  if (video_) lag_ = std::max(*video_ - begin - count, lag_ - lag_ / kLagDecayPushes);
  heard_ = true;
  const std::int64_t gap = begin - *cursor_;
  if (gap > kMaxErrorSamples && begin > video_.value_or(begin) + kMaxLeadSamples) {
    drop(count);
    return {};
  }
  if (gap > kMaxErrorSamples) {
    gap <= kMaxBridgeSamples&& count > 0 ? bridge(gap, values) : append_silence(gap);
  }
  if (gap < -kMaxErrorSamples) {
    const std::int64_t overlap = std::min(-gap, count);
    drop(overlap);
    values = values.subspan(static_cast<std::size_t>(overlap * media::kAudioChannels));
  }
  std::vector<float> steered;
  if (std::abs(gap) > kMinSteeredSamples && std::abs(gap) <= kMaxErrorSamples &&
      count > kSteeringDivisor / 2) {
    const std::int64_t step = std::max<std::int64_t>(1, count / kSteeringDivisor);
    steered = resized(values, count + (gap > 0 ? step : -step));
    values = steered;
  }
  append(values);
  return take_blocks();
}

std::vector<AudioBlock> AudioAligner::advance(media::Pts video) {
  video_ = position(video);
  if (!cursor_) start(*video_);
  const std::int64_t lag = *video_ - *cursor_;
  if (lag <= max_wait()) return {};
  heard_ = false;
  if (lag > kMaxFillBlocks * kBlockSamples) {
    start(*video_);
  } else {
    append_silence(lag);
  }
  return take_blocks();
}

std::int64_t AudioAligner::max_wait() const {
  return heard_ ? std::clamp(lag_ + kWaitMarginSamples, kMinWaitSamples, kMaxWaitSamples) : 0;
}

void AudioAligner::start(std::int64_t position) {
  cursor_ = next_block(position);
  pending_.clear();
  newest_.clear();
}

void AudioAligner::append(std::span<const float> values) {
  pending_.insert(pending_.end(), values.begin(), values.end());
  remember(values);
  *cursor_ += static_cast<std::int64_t>(values.size() / media::kAudioChannels);
}

/// Fills a gap with the audio before it, played backwards and faded out, and with the audio
/// after it, played backwards and faded in.
void AudioAligner::bridge(std::int64_t samples, std::span<const float> next) {
  std::vector<float> fill;
  for (std::int64_t i = 0; i < samples; ++i) {
    const auto share = static_cast<float>(i + 1) / static_cast<float>(samples + 1);
    for (std::int64_t c = 0; c < media::kAudioChannels; ++c) {
      const float before = newest_.empty() ? 0 : folded(newest_, frames(newest_) - 1 - i, c);
      fill.push_back(std::lerp(before, folded(next, samples - 1 - i, c), share));
    }
  }
  counts_.silence_samples += static_cast<std::uint64_t>(samples);
  append(fill);
}

void AudioAligner::remember(std::span<const float> values) {
  constexpr std::size_t kMost = kMaxBridgeSamples * media::kAudioChannels;
  newest_.insert(newest_.end(), values.begin(), values.end());
  if (newest_.size() > kMost) {
    newest_.erase(newest_.begin(), newest_.end() - static_cast<std::ptrdiff_t>(kMost));
  }
}

void AudioAligner::append_silence(std::int64_t samples) {
  counts_.silence_samples += static_cast<std::uint64_t>(samples);
  newest_.clear();
  pending_.resize(pending_.size() + static_cast<std::size_t>(samples * media::kAudioChannels));
  *cursor_ += samples;
}

std::vector<AudioBlock> AudioAligner::take_blocks() {
  constexpr std::size_t kBlockValues = kBlockSamples * media::kAudioChannels;
  const auto whole = pending_.size() / kBlockValues;
  const auto pending_samples = static_cast<std::int64_t>(pending_.size() / media::kAudioChannels);
  std::int64_t index = (*cursor_ - pending_samples) / kBlockSamples;
  std::vector<AudioBlock> blocks;
  auto from = pending_.begin();
  for (std::size_t i = 0; i < whole; ++i, from += kBlockValues) {
    blocks.push_back({.index = index++, .values = {from, from + kBlockValues}});
  }
  pending_.erase(pending_.begin(), from);
  return blocks;
}

}  // namespace transcoder
