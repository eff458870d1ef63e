// How well the encoder obeys its rate, and what it costs. Prints three tables:
//   content x cut        frames until the output obeys, excess at the new rate, share of the rate
//   content x frame rate  the same where the real frame rate differs from the nominal one
//   preset               CPU time of one picture
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "pictures.h"
#include "transcoder/x264_encoder.h"

namespace {

using transcoder::testing::Content;
using transcoder::testing::Pictures;

constexpr int kWidth = 1280;
constexpr int kHeight = 720;
constexpr int kCutAt = 60;       // pictures before the change of rate
constexpr int kAfterwards = 60;  // and after it
constexpr double kNominal = 30;  // what the encoder is told of the frame rate

base::Duration thread_cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

struct Run {
  std::vector<double> bits;   // of each picture
  std::vector<double> times;  // seconds, of each picture
  base::Duration cpu{};
};

// Pictures at the given times (one more time than pictures); the rate changes before kCutAt.
Run encode(Content content, const transcoder::EncoderSettings& settings,
           const std::vector<double>& times, base::BitRate before, base::BitRate after) {
  Pictures pictures{content, kWidth, kHeight};
  Run run;
  run.times = times;
  auto frame = pictures.next({});
  const auto encoder = transcoder::open_x264(settings, frame->format, kNominal, before);
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    if (i > 0) frame = pictures.next(base::from_seconds(times[i]));
    if (i == kCutAt) encoder->retarget(after);
    const auto start = thread_cpu_time();
    const auto picture = encoder->encode(*frame, i == 0);
    run.cpu += thread_cpu_time() - start;
    if (!picture) throw std::runtime_error{picture.error()};
    run.bits.push_back(8.0 * static_cast<double>(picture->bytes.size()));
  }
  return run;
}

std::vector<double> regular(double frame_rate, int count) {
  std::vector<double> times;
  for (int i = 0; i <= count; ++i) times.push_back(i / frame_rate);
  return times;
}

// Longest time the bits of pictures [first, last) wait in a link of `rate`, over a picture's own.
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

// First picture after the cut from which five in a row are, on average, within 10 % of the rate.
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
      "\n# Change of rate before picture 60; 1280x720 at 30/s, preset veryfast\n"
      "# first: bits of the first picture / a picture's share of the new rate\n"
      "# excess: ms of waiting in a link of the new rate within 10 pictures\n"
      "# share: part of the rate used, before and (from 10 pictures on) after\n"
      "content  from kbit/s  factor  frames to obey  first  excess ms  share before  after");
  for (const auto content : transcoder::testing::kContents) {
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
      "\n# Real frame rates other than the nominal 30/s; 2 Mbit/s\n"
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

void preset_table(transcoder::EncoderSettings settings) {
  std::puts(
      "\n# CPU of one 1280x720 picture, content moving, 3 Mbit/s, one thread\n"
      "preset     ms");
  const auto rate = base::BitRate::mbps(3);
  for (const char* preset : {"ultrafast", "superfast", "veryfast", "faster", "fast", "medium"}) {
    settings.preset = preset;
    const auto run = encode(Content::kMoving, settings, regular(30, 60), rate, rate);
    std::printf("%-9s %5.2f\n", preset, 1e3 * base::seconds(run.cpu) / run.bits.size());
  }
}

}  // namespace

int main() {
  const transcoder::EncoderSettings settings;
  cut_table(settings);
  frame_rate_table(settings);
  preset_table(settings);
}
