#include "app/tcp/wire_format.h"

#include <algorithm>
#include <cmath>

#include "abr/audio_rungs.h"
#include "media/mpegts.h"
#include "server/viewer.h"
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

// MPEG-TS: headers of AAC (ADTS) and PES.
constexpr double kAdtsHeader = 7;
constexpr double kPesHeader = 14;

/// The overhead of a container, including the HTTP chunk around a frame and its audio frames.
struct Overhead {
  double factor;          ///< of the payload
  base::ByteCount frame;  ///< per video frame
  base::ByteCount audio;  ///< per audio frame
  base::ByteCount least;  ///< size of an audio frame
  base::ByteCount joint;  ///< of the audio frames of a write together
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

/// `bytes` for each `frames` audio frames.
base::BitRate audio_rate(double bytes, double frames) {
  const double bits = 8 * bytes / (frames * base::seconds(kAudioFrameInterval));
  return base::BitRate{static_cast<std::int64_t>(bits)};
}

/// Audio of which `frames` leave in each write.
base::BitRate audio_on_wire(base::BitRate audio, media::Container container, double frames) {
  const Overhead over = overhead(container);
  const auto each = over.factor * audio + base::BitRate::of(over.audio, kAudioFrameInterval);
  const auto alone = std::max(each, base::BitRate::of(over.least, kAudioFrameInterval));
  if (container != media::Container::kMpegTs) {
    return alone + audio_rate(static_cast<double>(over.joint.bytes()), frames);
  }
  // They share a PES packet if that needs fewer TS packets (media::TsAudio).
  const double count = std::floor(frames);
  const double size =
      static_cast<double>(audio.bps()) * base::seconds(kAudioFrameInterval) / 8 + kAdtsHeader;
  const auto packets = [&](double joined) {
    return std::ceil((joined * size + kPesHeader) / media::kTsPayloadSize);
  };
  if (packets(count) >= count * packets(1)) return alone;
  return audio_rate(packets(count) * media::kTsPacketSize, count);
}

}  // namespace

WireFormat::WireFormat(const transcoder::AudioSettings& audio, media::Container container)
    : container_{container} {
  if (audio.enabled) rates_ = transcoder::audio_rates(audio);
}

abr::Transport WireFormat::transport(base::Duration frame_interval) const {
  const Overhead over = overhead(container_);
  abr::Transport result{.factor = over.factor,
                        .fixed = base::BitRate::of(over.frame, frame_interval)};
  if (rates_.empty()) return result;
  const double beside_picture =
      std::clamp(base::seconds(frame_interval) / base::seconds(kAudioFrameInterval), 1.0,
                 static_cast<double>(server::GroupChannel::kMaxWaitingAudioFrames));
  const auto audio = [&](base::BitRate rate) {
    return audio_on_wire(rate, container_, beside_picture);
  };
  result.fixed = result.fixed + audio(rates_.back());
  result.audio =
      audio_on_wire(rates_.back(), container_, double{server::Viewer::kAudioFramesPerWrite});
  auto step = result.more.rbegin();
  for (std::size_t i = 0; i + 1 < rates_.size(); ++i, ++step) {
    *step = {.from = abr::kVideoPerAudio * rates_[i],
             .more = std::max(base::BitRate{}, audio(rates_[i]) - audio(rates_[i + 1]))};
  }
  return result;
}

base::BitRate transport_rate(base::BitRate video, const transcoder::AudioSettings& audio) {
  auto highest = audio;
  highest.min_rate = audio.rate;
  const WireFormat format{highest, media::Container::kMpegTs};
  return kLargeFrameFactor * format.transport(kShortestFrameInterval).wire(video);
}

}  // namespace app
