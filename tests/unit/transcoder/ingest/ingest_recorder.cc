#include "ingest_recorder.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "transcoder/gst/gst_source.h"
#include "transcoder/ingest/repeat_rule.h"

namespace transcoder::test {

namespace {

SourceSettings with_uri(SourceSettings settings, const std::string& uri) {
  settings.uri = uri;
  return settings;
}

/// The mean luma of the rows from `top` on, without the quarters at their ends.
int brightness(const media::Frame& frame, int top, int bottom) {
  long sum = 0;
  int count = 0;
  for (int y = top; y < bottom; y += 4) {
    for (int x = frame.format.width / 4; x < frame.format.width * 3 / 4; x += 4, ++count) {
      sum += frame.plane[0][y * frame.stride[0] + x];
    }
  }
  return static_cast<int>(sum / std::max(1, count));
}

}  // namespace

std::size_t undisturbed(const std::vector<SeenPicture>& pictures) {
  for (std::size_t i = 1; i < pictures.size(); ++i) {
    if (pictures[i].captured - pictures[i - 1].captured >= kRepeatInterval) return i;
  }
  return pictures.size();
}

IngestRecorder::IngestRecorder(const std::string& uri, SourceSettings source, VideoSettings video)
    : ingest_{"test",
              with_uri(std::move(source), uri),
              video,
              StreamClock{media_clock_, std::chrono::seconds{2}, base::Clock::now()},
              [](const std::string&, const SourceSettings& settings, const VideoSettings& limits) {
                return std::make_unique<GstSource>(settings, limits);
              },
              Ingest::Sink{.frame = [this](const media::FramePtr& frame) { on_picture(*frame); },
                           .samples = [this](const media::Samples& s) { on_audio(s); }}} {}

void IngestRecorder::on_picture(const media::Frame& frame) {
  const int height = frame.format.height;
  std::lock_guard lock{mutex_};
  pictures_.push_back({frame.number, frame.pts, frame.captured, base::Clock::now(), frame.format,
                       brightness(frame, height / 4, height * 3 / 4),
                       brightness(frame, height - 1, height)});
}

void IngestRecorder::on_audio(const media::Samples& samples) {
  HeardAudio audio{.pts = samples.pts};
  for (std::size_t i = 0; i + 1 < samples.values.size(); i += 2) {
    audio.left = std::max(audio.left, std::abs(samples.values[i]));
    audio.right = std::max(audio.right, std::abs(samples.values[i + 1]));
  }
  const auto count = static_cast<std::int64_t>(samples.values.size() / media::kAudioChannels);
  audio.length = std::chrono::seconds{1} * count / media::kAudioRate;
  std::lock_guard lock{mutex_};
  audio_frames_.push_back(audio);
}

std::vector<SeenPicture> IngestRecorder::pictures() const {
  std::lock_guard lock{mutex_};
  return pictures_;
}

std::vector<HeardAudio> IngestRecorder::audio_frames() const {
  std::lock_guard lock{mutex_};
  return audio_frames_;
}

bool IngestRecorder::wait(const std::function<bool(const Ingest::State&)>& condition,
                          base::Duration timeout) const {
  const auto until = base::Clock::now() + timeout;
  while (base::Clock::now() < until) {
    if (condition(state())) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return false;
}

}  // namespace transcoder::test
