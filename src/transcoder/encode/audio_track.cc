#include "transcoder/encode/audio_track.h"

#include <memory>
#include <optional>
#include <utility>

#include "transcoder/audio_rates.h"

namespace transcoder {

namespace {

/// Lower rates below this are mono: at 32 kbit/s, libavcodec's stereo has 4 kHz of bandwidth.
constexpr base::BitRate kMinStereoRate = base::BitRate::kbps(48);
/// A viewer whose link is at the edge changes to and fro; each start of an encoder costs CPU time.
constexpr std::int64_t kKeptBlocks = 3 * media::kAudioRate / kBlockSamples;

}  // namespace

AudioTrack::AudioTrack(AudioSettings settings, Publish publish)
    : rates_{audio_rates(settings)}, publish_{std::move(publish)} {
  rungs_[0].encoder = open(0);
  for (std::size_t rung = 1; rung < rates_.size(); ++rung) open(rung);  // throws now or never
}

std::unique_ptr<AacEncoder> AudioTrack::open(std::size_t rung) const {
  const auto rate = rates_[rung];
  const bool mono = rung > 0 && rate < kMinStereoRate;
  return std::make_unique<AacEncoder>(rate, mono ? AacContent::kMono : AacContent::kStereo);
}

void AudioTrack::push(const media::Samples& samples) {
  std::lock_guard lock{mutex_};
  encode(aligner_.push(samples));
}

void AudioTrack::advance(media::Pts video) {
  std::lock_guard lock{mutex_};
  encode(aligner_.advance(video));
}

AudioTrack::State AudioTrack::state() const {
  std::lock_guard lock{mutex_};
  State state{.silence_inserted_samples = aligner_.counts().silence_samples,
              .overlap_dropped_samples = aligner_.counts().dropped_samples,
              .failures = past_failures_};
  for (const auto& rung : rungs_) {
    if (!rung.encoder) continue;
    state.failures += rung.encoder->failures();
    ++state.encoders;
  }
  return state;
}

/// Starts and stops the encoders of the lower rungs.
void AudioTrack::follow_wanted(std::int64_t block) {
  const media::AudioRungs wanted{wanted_.load(std::memory_order_relaxed)};
  for (std::size_t i = 1; i < rates_.size(); ++i) {
    auto& rung = rungs_[i];
    if (wanted[i]) {
      rung.wanted = block;
      if (!rung.encoder) rung.encoder = open(i);
    } else if (rung.encoder && block - rung.wanted > kKeptBlocks) {
      past_failures_ += rung.encoder->failures();
      rung.encoder.reset();
    }
  }
}

void AudioTrack::encode(const std::vector<AudioBlock>& blocks) {
  for (const auto& block : blocks) {
    follow_wanted(block.index);
    encode(block);
  }
}

/// Publishes under the mutex, which keeps the frames of two threads in order.
void AudioTrack::encode(const AudioBlock& block) {
  media::AudioFrame frame;
  std::optional<std::int64_t> index;
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    if (!rungs_[i].encoder) continue;
    auto coded = rungs_[i].encoder->encode(block);
    if (!coded || coded->index != index.value_or(coded->index)) continue;
    index = coded->index;
    frame.rungs[i] = std::move(coded->audio);
  }
  if (!index) return;
  frame.number = frames_++;
  frame.pts = block_pts(*index);
  frame.encoded = base::Clock::now();
  publish_(std::make_shared<const media::AudioFrame>(std::move(frame)));
}

}  // namespace transcoder
