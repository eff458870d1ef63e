#include "transcoder/stream/stream.h"

#include <stdexcept>
#include <utility>

#include "transcoder/picture/picture_size.h"

namespace transcoder {

namespace {

/// The newest picture starts a new group at once if it is at most this many frame intervals old. An
/// older one would be followed by a visible jump.
constexpr int kFreshIntervals = 2;

}  // namespace

Stream::Stream(StreamSettings settings, StreamClock clock, MakeSource make_source, Publish publish)
    : settings_{std::move(settings)},
      clock_{clock},
      publish_{std::move(publish)},
      interval_{base::from_seconds(1 / settings_.video.max_frame_rate)},
      frame_interval_{base::from_seconds(1 / settings_.video.max_frame_rate)} {
  if (settings_.audio.enabled) {
    audio_ = std::make_unique<AudioTrack>(
        settings_.audio, [this](const media::AudioFramePtr& frame) { on_audio(frame); });
  }
  ingest_ = std::make_unique<Ingest>(
      settings_.name, settings_.source, settings_.video, clock_, std::move(make_source),
      Ingest::Sink{.frame = [this](const media::FramePtr& frame) { on_frame(frame); },
                   .samples = [this](const media::Samples& samples) { on_samples(samples); }});
}

Stream::~Stream() { stop(); }

void Stream::start() { ingest_->start(); }

void Stream::stop() {
  ingest_->stop();
  decltype(groups_) closing;  // joins their threads after the mutex is released
  std::lock_guard lock{mutex_};
  stopped_ = true;
  closing.swap(groups_);
}

void Stream::open_group(GroupIndex index, base::BitRate initial, OperatingPoint point) {
  auto group = std::make_shared<EncodeGroup>(
      settings_.name, settings_.video, settings_.audio, settings_.encoder, initial, point,
      [this, index](media::PacketPtr packet) { publish_(index, std::move(packet)); });
  std::lock_guard lock{mutex_};
  if (stopped_) throw std::runtime_error{"the stream has been stopped"};
  // Under the mutex, so that the group cannot receive a newer picture before this one.
  if (newest_ && base::Clock::now() - newest_->captured < kFreshIntervals * frame_interval_) {
    group->push(newest_);
  }
  groups_.emplace(index, std::move(group));
}

void Stream::close_group(GroupIndex group) {
  std::shared_ptr<EncodeGroup> closing;  // joins its thread after the mutex is released
  std::lock_guard lock{mutex_};
  if (const auto found = groups_.find(group); found != groups_.end()) {
    closing = std::move(found->second);
    groups_.erase(found);
  }
}

std::shared_ptr<EncodeGroup> Stream::group(GroupIndex index) const {
  std::lock_guard lock{mutex_};
  const auto found = groups_.find(index);
  return found == groups_.end() ? nullptr : found->second;
}

media::Pts Stream::schedule_keyframe(GroupIndex group, base::Duration earliest) {
  std::lock_guard lock{mutex_};
  const auto pts = (newest_ ? newest_->pts : media::Pts{}) + earliest;
  const auto found = groups_.find(group);
  return found == groups_.end() ? pts : found->second->schedule_keyframe(pts);
}

Stream::FullPictures Stream::pictures() const {
  if (!newest_) return {};
  return {fit_picture({newest_->format.width, newest_->format.height}, settings_.video),
          1 / base::seconds(frame_interval_), frame_rate(), interval_.is_measured()};
}

/// The mean, once it uses as many intervals as the other estimate; until then that one, unless the
/// source is slower than that can say.
double Stream::frame_rate() const {
  const auto mean = mean_interval_.measured(FrameIntervalEstimator::kWindowIntervals);
  if (mean) return 1 / base::seconds(*mean);
  return frame_interval_ < FrameIntervalEstimator::kMaxAllottedInterval
             ? 1 / base::seconds(frame_interval_)
             : 0;
}

Stream::FullPictures Stream::full_pictures() const {
  std::lock_guard lock{mutex_};
  return pictures();
}

Stream::State Stream::state() const {
  State state{.source = ingest_->state(), .pictures = {}, .audio = {}, .groups = {}};
  if (audio_) state.audio = audio_->state();
  std::lock_guard lock{mutex_};
  state.pictures = pictures();
  for (const auto& [index, group] : groups_) state.groups.emplace(index, group->state());
  return state;
}

void Stream::on_frame(const media::FramePtr& frame) {
  // Silence for the time before this picture must be published first, or it would arrive after its
  // PCR. Not under the mutex, because the track publishes to on_audio(), which locks it.
  if (audio_) audio_->advance(frame->pts);
  std::lock_guard lock{mutex_};
  newest_ = frame;
  frame_interval_ = interval_.update(frame->pts);
  mean_interval_.add(frame->pts);
  for (const auto& [index, group] : groups_) group->push(frame);
}

void Stream::on_samples(const media::Samples& samples) {
  if (audio_) audio_->push(samples);
}

void Stream::on_audio(const media::AudioFramePtr& frame) {
  std::lock_guard lock{mutex_};
  media::AudioRungs wanted;
  for (const auto& [index, group] : groups_) {
    wanted |= group->audio_rungs();
    group->push(frame);
  }
  audio_->want(wanted);
}

}  // namespace transcoder
