// How well the encoders keep to their rate, and how much CPU they take. Prints seven tables:
//   content x cut         frames until the output obeys, excess at the new rate, share of the rate
//   content x frame rate  share and excess if the real frame rate differs from the nominal one
//   lost frames           size and quality of recovery frames, and of keyframes
//   preset                CPU time of one frame
//   rate                  overhead of MPEG-TS
//   codec                 x264 and MPEG-2 side by side: cuts, quality, CPU time
//   least                 minimum size of an MPEG-2 frame
#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_time.h"
#include "pictures.h"
#include "transcoder/encode/aac_encoder.h"
#include "transcoder/encode/open_encoder.h"
#include "transcoder/encode/ts_muxer.h"

namespace {

using transcoder::test::Content;
using transcoder::test::Pictures;

constexpr int kWidth = 1280;
constexpr int kHeight = 720;
constexpr int kCutAt = 60;       // frames before the change of rate
constexpr int kAfterwards = 60;  // frames after it
constexpr double kNominal = 30;  // frames/s that the encoder assumes

struct Run {
  std::vector<double> bits;   // of each frame
  std::vector<double> times;  // seconds, of each frame
  std::vector<double> psnr;   // dB, of each frame's Y, if measured
  base::Duration cpu{};
  base::Duration slowest{};  // CPU time of a frame
};

struct Size {
  int width = kWidth;
  int height = kHeight;
};

// Encodes a frame at each given time but the last, which ends it; the rate changes before kCutAt.
Run encode(Content content, const transcoder::EncoderSettings& settings,
           const std::vector<double>& times, base::BitRate before, base::BitRate after,
           Size size = {}) {
  Pictures pictures{content, size.width, size.height};
  Run run;
  run.times = times;
  auto frame = pictures.next({});
  const auto encoder = transcoder::open_encoder(settings, frame->format, kNominal, before);
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    if (i > 0) frame = pictures.next(base::from_seconds(times[i]));
    if (i == kCutAt) encoder->retarget(after);
    const auto start = base::thread_cpu_time();
    const auto picture = encoder->encode(*frame, i == 0);
    const auto spent = base::thread_cpu_time() - start;
    run.cpu += spent;
    run.slowest = std::max(run.slowest, spent);
    if (!picture) throw std::runtime_error{picture.error()};
    if (picture->psnr) run.psnr.push_back(picture->psnr->y);
    run.bits.push_back(8.0 * static_cast<double>(picture->bytes.size()));
  }
  return run;
}

std::vector<double> regular(double frame_rate, int count) {
  std::vector<double> times;
  for (int i = 0; i <= count; ++i) times.push_back(i / frame_rate);
  return times;
}

// Longest wait of the bits of frames [first, last) before a link of `rate`, beyond a frame
// interval.
double excess_ms(const Run& run, std::size_t first, std::size_t last, base::BitRate rate) {
  const double bps = static_cast<double>(rate.bps());
  double backlog = 0;
  double worst = 0;
  for (std::size_t i = first; i < last; ++i) {
    const double interval = run.times[i + 1] - run.times[i];
    backlog = std::max(0.0, backlog + run.bits[i] - bps * interval);
    worst = std::max(worst, backlog / bps);
  }
  return worst * 1000;
}

// First frame after the cut from which five in a row are, on average, within 10 % of the rate.
std::string frames_to_obey(const Run& run, base::BitRate rate) {
  for (std::size_t i = kCutAt; i + 5 <= run.bits.size(); ++i) {
    const double bits = std::accumulate(&run.bits[i], &run.bits[i] + 5, 0.0);
    const double time = run.times[i + 5] - run.times[i];
    if (bits / time <= 1.1 * static_cast<double>(rate.bps())) return std::to_string(i - kCutAt);
  }
  return "never";
}

double share(const Run& run, std::size_t first, std::size_t last, base::BitRate rate) {
  const double bits = std::accumulate(&run.bits[first], &run.bits[first] + (last - first), 0.0);
  return bits / (run.times[last] - run.times[first]) / static_cast<double>(rate.bps());
}

void cut_table(const transcoder::EncoderSettings& settings) {
  std::puts(
      "\n# Change of rate before frame 60; 1280x720 at 30/s, preset veryfast\n"
      "# first: bits of the first frame / a frame's share of the new rate\n"
      "# excess: ms of waiting before a link of the new rate within 10 frames\n"
      "# share: part of the rate used, before and (from 10 frames on) after\n"
      "content  from kbit/s  factor  frames to obey  first  excess ms  share before  after");
  for (const auto content : transcoder::test::kContents) {
    for (const double factor : {0.2, 0.55, 0.8, 5.0}) {
      const auto before = factor > 1 ? base::BitRate::kbps(800) : base::BitRate::kbps(4000);
      const auto after = before * factor;
      const auto run = encode(content, settings, regular(30, kCutAt + kAfterwards), before, after);
      std::printf("%-8s %11.0f  %6.2f  %14s  %5.2f  %9.1f  %12.2f  %5.2f\n",
                  std::string{name(content)}.c_str(), before.bps() / 1e3, factor,
                  frames_to_obey(run, after).c_str(), run.bits[kCutAt] * 30 / after.bps(),
                  excess_ms(run, kCutAt, kCutAt + 10, after), share(run, 30, kCutAt, before),
                  share(run, kCutAt + 10, run.bits.size(), after));
    }
  }
}

std::vector<double> irregular(int count) {
  constexpr double kPattern[] = {0.010, 0.060, 0.033, 0.020, 0.043, 0.034};  // mean 1/30 s
  std::vector<double> times{0};
  for (int i = 0; i < count; ++i) times.push_back(times.back() + kPattern[i % 6]);
  return times;
}

std::vector<double> doubling(int count) {
  std::vector<double> times{0};
  for (int i = 0; i < count; ++i) times.push_back(times.back() + (i < kCutAt ? 2 : 1) / 60.0);
  return times;
}

void frame_rate_table(const transcoder::EncoderSettings& settings) {
  std::puts(
      "\n# Real frame rates that differ from the nominal 30/s; 2 Mbit/s\n"
      "content  frames/s     share  excess ms");
  const auto rate = base::BitRate::mbps(2);
  const int count = kCutAt + kAfterwards;
  const std::pair<const char*, std::vector<double>> cadences[] = {
      {"10", regular(10, count)},   {"15", regular(15, count)}, {"25", regular(25, count)},
      {"30", regular(30, count)},   {"60", regular(60, count)}, {"irregular", irregular(count)},
      {"30 to 60", doubling(count)}};
  for (const auto content : {Content::kMoving, Content::kNoise}) {
    for (const auto& [label, times] : cadences) {
      const auto run = encode(content, settings, times, rate, rate);
      std::printf("%-8s %-9s  %6.2f  %9.1f\n", std::string{name(content)}.c_str(), label,
                  share(run, 10, run.bits.size(), rate), excess_ms(run, 10, run.bits.size(), rate));
    }
  }
}

struct Recovery {
  double size = 0;   // of the first frame, as a multiple of those before
  double first = 0;  // dB, PSNR of Y
  double mean = 0;   // dB, over half a second
};

// After a second and a half, recovers from the loss of the last `lost` frames.
std::optional<Recovery> recover_from_loss(Content content, base::BitRate rate, int lost,
                                          bool keyframe) {
  constexpr int kBefore = 45;
  constexpr int kMeasured = 15;
  Pictures pictures{content, kWidth, kHeight};
  auto frame = pictures.next({});
  const auto encoder = transcoder::open_encoder({.psnr = true}, frame->format, kNominal, rate);
  Recovery result;
  double before = 0;
  for (int i = 0; i < kBefore + kMeasured; ++i) {
    if (i > 0) frame = pictures.next(base::from_seconds(i / kNominal));
    if (i == kBefore && !keyframe && !encoder->recover(frame->number - lost)) return std::nullopt;
    const auto picture = encoder->encode(*frame, i == 0 || (keyframe && i == kBefore));
    if (!picture) throw std::runtime_error{picture.error()};
    const auto size = static_cast<double>(picture->bytes.size());
    if (i >= kBefore - kMeasured && i < kBefore) before += size / kMeasured;
    if (i == kBefore) result.size = size / before;
    if (i == kBefore) result.first = picture->psnr->y;
    if (i >= kBefore) result.mean += picture->psnr->y / kMeasured;
  }
  return result;
}

void recovery_table() {
  std::puts(
      "\n# The last frames were lost; 1280x720 at 30/s, recovery frame or keyframe\n"
      "# size: of this frame / mean of those before; dB: its PSNR, and that of half a second\n"
      "content  kbit/s  lost   size  dB first   mean");
  const auto print = [](const std::optional<Recovery>& m) {
    if (!m) return std::puts("  no recovery frame");
    return std::printf("  %5.2f  %8.1f  %5.1f\n", m->size, m->first, m->mean);
  };
  for (const auto content : {Content::kStatic, Content::kMoving}) {
    for (const double kbps : {600, 3000}) {
      const auto rate = base::BitRate::kbps(kbps);
      for (const int lost : {1, 2, 4, 8, 12}) {
        std::printf("%-8s %6.0f  %4d", std::string{name(content)}.c_str(), kbps, lost);
        print(recover_from_loss(content, rate, lost, false));
      }
      std::printf("%-8s %6.0f   key", std::string{name(content)}.c_str(), kbps);
      print(recover_from_loss(content, rate, 0, true));
    }
  }
}

void preset_table(transcoder::EncoderSettings settings) {
  std::puts(
      "\n# CPU of one 1280x720 frame, content moving, 3 Mbit/s, one thread\n"
      "preset     ms");
  const auto rate = base::BitRate::mbps(3);
  for (const char* preset : {"ultrafast", "superfast", "veryfast", "faster", "fast", "medium"}) {
    settings.preset = preset;
    const auto run = encode(Content::kMoving, settings, regular(30, 60), rate, rate);
    std::printf("%-9s %5.2f\n", preset, 1e3 * base::seconds(run.cpu) / run.bits.size());
  }
}

// Overhead of MPEG-TS for one kind of access unit.
class Overhead {
 public:
  void add(std::size_t elementary, const base::Result<std::vector<std::uint8_t>>& container) {
    if (!container) throw std::runtime_error{container.error()};
    elementary_ += static_cast<double>(elementary);
    container_ += static_cast<double>(container->size());
  }
  double percent() const { return 100 * (container_ / elementary_ - 1); }

 private:
  double elementary_ = 0;
  double container_ = 0;
};

double video_overhead(base::BitRate rate) {
  Overhead overhead;
  Pictures pictures{Content::kMoving, kWidth, kHeight};
  transcoder::TsMuxer muxer{"bench", transcoder::VideoCodec::kH264, true};
  std::unique_ptr<transcoder::Encoder> encoder;
  for (int i = 0; i < 60; ++i) {
    const auto frame = pictures.next(base::from_seconds(i / kNominal));
    if (!encoder) encoder = transcoder::open_encoder({}, frame->format, kNominal, rate);
    const auto picture = encoder->encode(*frame, i == 0);
    if (!picture) throw std::runtime_error{picture.error()};
    overhead.add(picture->bytes.size(), muxer.mux(*picture, frame->pts));
  }
  return overhead.percent();
}

struct AudioCost {
  double overhead_percent = 0;
  double cpu_ms = 0;
};

AudioCost audio_cost(base::BitRate rate) {
  constexpr int kBlocks = 470;  // 10 s
  Overhead overhead;
  transcoder::TsMuxer muxer{"bench", transcoder::VideoCodec::kH264, true};
  transcoder::AacEncoder encoder{rate};
  std::mt19937 random{1};
  std::normal_distribution<float> noise{0, 0.1F};
  transcoder::AudioBlock block;
  base::Duration cpu{};
  for (; block.index < kBlocks; ++block.index) {
    block.values.resize(transcoder::kBlockSamples * media::kAudioChannels);
    for (auto& value : block.values) value = noise(random);
    const auto start = base::thread_cpu_time();
    const auto frame = encoder.encode(block);
    cpu += base::thread_cpu_time() - start;
    if (!frame) continue;
    const auto pts = transcoder::block_pts(frame->index);
    overhead.add(frame->audio.bytes.size(), muxer.mux(frame->audio, pts));
  }
  return {.overhead_percent = overhead.percent(), .cpu_ms = 1e3 * base::seconds(cpu) / kBlocks};
}

void container_table() {
  std::puts(
      "\n# Overhead of MPEG-TS over the elementary stream; CPU of an AAC frame of 21.3 ms\n"
      "track  kbit/s  percent  ms");
  for (const double kbps : {300, 1000, 4000}) {
    std::printf("video  %6.0f  %7.1f\n", kbps, video_overhead(base::BitRate::kbps(kbps)));
  }
  for (const double kbps : {96, 120, 128, 192}) {
    const auto cost = audio_cost(base::BitRate::kbps(kbps));
    std::printf("audio  %6.0f  %7.1f  %.2f\n", kbps, cost.overhead_percent, cost.cpu_ms);
  }
}

double mean(const std::vector<double>& values, std::size_t first, std::size_t last) {
  return std::accumulate(&values[first], &values[first] + (last - first), 0.0) /
         static_cast<double>(last - first);
}

void codec_cuts(transcoder::VideoCodec codec, Size size, base::BitRate before) {
  const transcoder::EncoderSettings settings{.codec = codec, .psnr = true};
  for (const auto content : transcoder::test::kContents) {
    for (const double factor : {0.2, 0.55, 1.0}) {
      const auto after = before * factor;
      const auto run =
          encode(content, settings, regular(30, kCutAt + kAfterwards), before, after, size);
      const std::size_t end = run.bits.size();
      std::printf(
          "%-5s %4dx%-4d %-7s %7.2f  %6.0f %6.0f %6.0f  %6.0f  %9.1f  %4.1f %4.1f  %5.2f %5.1f\n",
          codec == transcoder::VideoCodec::kMpeg2 ? "mpeg2" : "x264", size.width, size.height,
          std::string{name(content)}.c_str(), factor, mean(run.bits, 30, kCutAt), run.bits[kCutAt],
          mean(run.bits, kCutAt + 10, end), static_cast<double>(after.bps()) / 30,
          excess_ms(run, kCutAt, kCutAt + 10, after), mean(run.psnr, 30, kCutAt),
          mean(run.psnr, kCutAt + 10, end), 1e3 * base::seconds(run.cpu) / run.bits.size(),
          1e3 * base::seconds(run.slowest));
    }
  }
}

void codec_table() {
  std::puts(
      "\n# Codecs: change of rate before frame 60, where scene 3 of cuts begins; 30/s, PSNR of "
      "Y\n"
      "# bits of a frame: mean of those before, the first, mean from 10 frames on, its share\n"
      "codec size      content  factor  before  first  after   share  excess ms  dB before after  "
      "ms "
      "mean worst");
  for (const auto& [size, rate] : {std::pair{Size{176, 120}, base::BitRate::mbps(2)},
                                   {Size{640, 360}, base::BitRate::kbps(1500)},
                                   {Size{1280, 720}, base::BitRate::mbps(4)}}) {
    for (const auto codec : {transcoder::VideoCodec::kH264, transcoder::VideoCodec::kMpeg2}) {
      codec_cuts(codec, size, rate);
    }
  }
}

void least_table() {
  std::puts(
      "\n# Minimum bits of a macroblock, MPEG-2 at the lowest rate: keyframe, and mean of others\n"
      "size      content  keyframe  others  kbit/s of both, a keyframe in 2 s");
  for (const auto& size : {Size{176, 120}, Size{640, 360}, Size{1280, 720}}) {
    const double blocks = ((size.width + 15) / 16) * ((size.height + 15) / 16);
    for (const auto content : transcoder::test::kContents) {
      const auto run = encode(content, {.codec = transcoder::VideoCodec::kMpeg2}, regular(30, 29),
                              base::BitRate{1}, base::BitRate{1}, size);
      const double others = mean(run.bits, 1, run.bits.size());
      std::printf("%4dx%-4d %-7s  %8.1f  %6.1f  %6.0f\n", size.width, size.height,
                  std::string{name(content)}.c_str(), run.bits[0] / blocks, others / blocks,
                  (run.bits[0] + 59 * others) / 2000);
    }
  }
}

}  // namespace

int main() {
  const transcoder::EncoderSettings settings;
  cut_table(settings);
  frame_rate_table(settings);
  recovery_table();
  preset_table(settings);
  container_table();
  codec_table();
  least_table();
}
