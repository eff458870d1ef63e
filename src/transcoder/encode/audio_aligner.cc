#include "transcoder/encode/audio_aligner.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace transcoder {

namespace {

constexpr std::int64_t samples_in(std::chrono::milliseconds time) {
  return time.count() * media::kAudioRate / 1000;
}

/// Containers round to 1 ms and capture devices jitter by a few; 15 ms of error between audio and
/// picture cannot be noticed, a correction can.
constexpr std::int64_t kTolerance = samples_in(std::chrono::milliseconds{15});

/// A difference between this and kTolerance, as two clocks make it in a minute, is taken back one
/// sample in 1024 at a time: 0.1 % of pitch cannot be heard, a hole or a cut of 15 ms can.
constexpr std::int64_t kSteady = samples_in(std::chrono::milliseconds{2});
constexpr std::int64_t kSteerDivisor = 1024;

/// Audio is taken for missing when it is this much later than it has lately been. Players stall on
/// audio that is late, so the wait is no longer than the source's own habit makes it: ffmpeg's
/// MPEG-TS has its audio up to 0.28 s behind its pictures, cameras and files have it beside them.
constexpr std::int64_t kMargin = samples_in(std::chrono::milliseconds{150});
constexpr std::int64_t kLeastPatience = samples_in(std::chrono::milliseconds{250});
constexpr std::int64_t kMostPatience = samples_in(std::chrono::seconds{2});  // as Timeline admits

/// The habit is forgotten over this many pushes, 5 s of 20 ms each.
constexpr std::int64_t kMemory = 256;

/// Silence is made up to this far past the pictures; audio from further on has a false timestamp.
constexpr std::int64_t kLead = samples_in(std::chrono::seconds{1});

/// A longer hole (the machine slept) is skipped: filling it would hold up the caller.
constexpr std::int64_t kLongestFill = samples_in(std::chrono::seconds{10});

std::int64_t position(media::Pts pts) {
  // Split, so that weeks in nanoseconds times 48000 do not overflow.
  const auto whole = std::chrono::floor<std::chrono::seconds>(pts);
  return whole.count() * media::kAudioRate +
         (pts - whole).count() * media::kAudioRate / 1'000'000'000;
}

/// `values` drawn out or pressed together to `count` samples, which are two at least.
std::vector<float> resized(std::span<const float> values, std::int64_t count) {
  constexpr std::size_t kStep = media::kAudioChannels;
  const std::size_t last = values.size() / kStep - 1;
  const double step = static_cast<double>(last) / static_cast<double>(count - 1);
  std::vector<float> result;
  for (std::int64_t i = 0; i < count; ++i) {
    const double at = step * static_cast<double>(i);
    const auto left = std::min(static_cast<std::size_t>(at), last);
    const auto right = std::min(left + 1, last);
    const auto share = static_cast<float>(at - static_cast<double>(left));
    for (std::size_t c = 0; c < kStep; ++c) {
      result.push_back(std::lerp(values[left * kStep + c], values[right * kStep + c], share));
    }
  }
  return result;
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
  if (video_) lag_ = std::max(*video_ - begin - count, lag_ - lag_ / kMemory);
  heard_ = true;
  const std::int64_t gap = begin - *cursor_;
  if (gap > kTolerance && begin > video_.value_or(begin) + kLead) {
    drop(count);
    return {};
  }
  if (gap > kTolerance) append_silence(gap);
  if (gap < -kTolerance) {
    const std::int64_t overlap = std::min(-gap, count);
    drop(overlap);
    values = values.subspan(static_cast<std::size_t>(overlap * media::kAudioChannels));
  }
  std::vector<float> steered;
  if (std::abs(gap) > kSteady && std::abs(gap) <= kTolerance && count > kSteerDivisor / 2) {
    const std::int64_t step = std::max<std::int64_t>(1, count / kSteerDivisor);
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
  if (lag <= patience()) return {};
  heard_ = false;
  if (lag > kLongestFill) {
    start(*video_);
  } else {
    append_silence(lag);
  }
  return take_blocks();
}

std::int64_t AudioAligner::patience() const {
  return heard_ ? std::clamp(lag_ + kMargin, kLeastPatience, kMostPatience) : 0;
}

void AudioAligner::start(std::int64_t position) {
  cursor_ = next_block(position);
  pending_.clear();
}

void AudioAligner::append(std::span<const float> values) {
  pending_.insert(pending_.end(), values.begin(), values.end());
  *cursor_ += static_cast<std::int64_t>(values.size() / media::kAudioChannels);
}

void AudioAligner::append_silence(std::int64_t samples) {
  counts_.silence_samples += static_cast<std::uint64_t>(samples);
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
