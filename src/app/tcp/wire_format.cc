#include "app/tcp/wire_format.h"

#include <algorithm>

#include "abr/audio_rungs.h"
#include "server/group_channel.h"
#include "transcoder/audio_rates.h"

namespace app {

namespace {

// x264's frames exceed their share by up to this factor now and then (bench/encoder). A larger one
// weakens pacing; with a smaller one large frames queue behind it.
constexpr double kLargeFrameFactor = 1.1;
// 60 frames/s, the highest of common frame rates: a lower one would pace a 60 frames/s stream below
// its rate, a higher one would pace every stream more loosely.
constexpr base::Duration kShortestFrameInterval = std::chrono::microseconds{16'667};
// AAC: 1024 samples at 48 kHz (ISO/IEC 14496-3).
constexpr base::Duration kAudioFrameInterval = std::chrono::microseconds{21'333};

/// The overhead of a container, including the HTTP chunk around a frame and its audio frames.
struct Overhead {
  double factor;          ///< of the payload
  base::ByteCount frame;  ///< per video frame
  base::ByteCount audio;  ///< per audio frame
  base::ByteCount least;  ///< size of an audio frame
  base::ByteCount joint;  ///< of the audio frames before a video frame together
};

Overhead overhead(media::Container container) {
  switch (container) {
    case media::Container::kFlv:
      return {1, base::ByteCount{30}, base::ByteCount{17}, {}, {}};
    case media::Container::kMp4:
      return {1, base::ByteCount{120}, base::ByteCount{12}, {}, base::ByteCount{96}};
    case media::Container::kMpegTs:
      break;
  }
  return {188.0 / 184, base::ByteCount{130}, base::ByteCount{60}, base::ByteCount{188}, {}};
}

base::BitRate audio_on_wire(base::BitRate audio, const Overhead& over) {
  const auto headers = base::BitRate::of(over.audio, kAudioFrameInterval);
  return std::max(over.factor * audio + headers,
                  base::BitRate::of(over.least, kAudioFrameInterval));
}

}  // namespace

WireFormat::WireFormat(const transcoder::AudioSettings& audio, media::Container container) {
  const Overhead over = overhead(container);
  frame_ = over.frame;
  audio_.factor = over.factor;
  if (!audio.enabled) return;
  joint_ = over.joint;
  const auto rates = transcoder::audio_rates(audio);
  audio_.fixed = audio_.audio = audio_on_wire(rates.back(), over);
  auto step = audio_.more.rbegin();
  for (std::size_t i = 0; i + 1 < rates.size(); ++i, ++step) {
    *step = {.from = abr::kVideoPerAudio * rates[i],
             .more = audio_on_wire(rates[i], over) - audio_on_wire(rates[i + 1], over)};
  }
}

abr::Transport WireFormat::transport(base::Duration frame_interval) const {
  auto result = audio_;
  result.fixed = result.fixed + base::BitRate::of(frame_, frame_interval) +
                 base::BitRate::of(joint_, std::max(frame_interval, kAudioFrameInterval));
  result.audio =
      result.audio +
      base::BitRate::of(joint_, server::GroupChannel::kMaxWaitingAudioFrames * kAudioFrameInterval);
  return result;
}

base::BitRate transport_rate(base::BitRate video, const transcoder::AudioSettings& audio) {
  auto highest = audio;
  highest.min_rate = audio.rate;
  const WireFormat format{highest, media::Container::kMpegTs};
  return kLargeFrameFactor * format.transport(kShortestFrameInterval).wire(video);
}

}  // namespace app
