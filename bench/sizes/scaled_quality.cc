// The quality of a viewer's pictures by the size in which they are encoded.
//
//   scaled_quality WIDTH HEIGHT FRAMES_PER_SECOND RATES RULE... < YUV420P
//
// RATES is link:SEED, a viewer's rate over time with the policy `symbiosis`, simulated for the link
// that SEED draws (tests/sim/family.h), or fixed:KBPS. The pictures are encoded at these rates. A
// rule chooses their size:
//
//   full         never smaller
//   product      as the product does
//   at-once      as the rate asks, frame by frame
//   SCALExEVERY  always the same, such as 0.5x2: half the width and height, every second picture
//
// A decoder shows them at full size. Prints a line of JSON for each rule: the mean SSIM of the luma
// in each second, and the number of encoders opened. If a link's rate never asks for smaller
// pictures, or for nothing else, prints nothing.
#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "abr/ladder/operating_points.h"
#include "family.h"
#include "picture_quality.h"
#include "transcoder/encode/keyframe_clock.h"
#include "transcoder/encode/open_encoder.h"
#include "transcoder/picture/scaler.h"

namespace {

using transcoder::PictureSize;

struct Input {
  PictureSize size;
  double frame_rate = 0;
  double pixels_per_second() const { return frame_rate * size.width * size.height; }
};

/// The viewer's rate for each captured frame, and its highest value.
struct Rates {
  std::vector<sim::FrameRecord> frames;
  base::BitRate max;
};

using Rule = std::function<abr::OperatingPoint(base::BitRate, base::Time)>;

Rule rule_of(const std::string& name, base::BitRate max, double pixels) {
  using Points = abr::OperatingPoints;
  if (name == "full") return [](auto...) { return abr::OperatingPoint{}; };
  if (name == "at-once") {
    return [pixels](base::BitRate rate, base::Time now) {
      return Points{{}}.update({rate, rate}, pixels, now);
    };
  }
  if (name == "product") {
    return [=, points = std::make_shared<Points>(abr::PointSettings{})](base::BitRate rate,
                                                                        base::Time now) {
      return points->update({rate, max}, pixels, now);
    };
  }
  const auto cross = name.find('x');
  if (cross == std::string::npos) throw std::runtime_error{"no rule " + name};
  const abr::OperatingPoint point{std::stod(name), unsigned(std::stoul(name.substr(cross + 1)))};
  return [point](auto...) { return point; };
}

Rates fixed_rates(base::BitRate rate) {
  constexpr std::size_t kMany = 100'000;
  return {std::vector<sim::FrameRecord>(kMany, {.target = rate, .size = base::ByteCount{1}}), rate};
}

Rates simulated_rates(std::uint64_t seed) {
  const auto scenario = sim::family_scenario(seed);
  auto simulation = sim::simulate(scenario, sim::policy_of(abr::PolicyKind::kSymbiosis), 1);
  simulation.run(scenario.length);
  return {simulation.session(0)->frames(), scenario.limits.max};
}

Rates rates_of(const std::string& text) {
  const auto value = text.substr(text.find(':') + 1);
  if (text.starts_with("link:")) return simulated_rates(std::stoull(value));
  if (text.starts_with("fixed:")) return fixed_rates(base::BitRate::kbps(std::stod(value)));
  throw std::runtime_error{"no rates " + text};
}

/// Whether at least a twentieth of the time calls for full pictures, and as much for smaller ones.
bool asks_for_both(const std::vector<sim::FrameRecord>& frames, double pixels) {
  const auto need = abr::full_size_rate({}, pixels);
  const auto low = std::ranges::count_if(
      frames, [need](const sim::FrameRecord& frame) { return frame.target < need; });
  const auto least = std::ssize(frames) / 20;
  return low >= least && std::ssize(frames) - low >= least;
}

/// Encodes pictures as an encode group does, and compares them with those that a decoder shows.
class Course {
 public:
  Course(const Input& input, std::string name, Rule rule)
      : input_{input}, name_{std::move(name)}, rule_{std::move(rule)} {}

  void add(const media::FramePtr& frame, const sim::FrameRecord& record) {
    encode(frame, record);
    const auto second = static_cast<std::size_t>(base::seconds(frame->pts));
    if (seconds_.size() <= second) seconds_.resize(second + 1), frames_.resize(second + 1);
    seconds_[second] += bench::ssim(*frame, *shown_);
    ++frames_[second];
  }

  nlohmann::json result() const {
    std::vector<double> means;
    for (std::size_t i = 0; i < seconds_.size(); ++i) means.push_back(seconds_[i] / frames_[i]);
    return {{"rule", name_}, {"ssim", means}, {"encoders", encoders_}};
  }

 private:
  void encode(const media::FramePtr& frame, const sim::FrameRecord& record) {
    const auto point = rule_(record.target, record.captured);
    if (frame->number % point.every != 0) return;
    if (record.size.bytes() == 0 && encoder_) return encoder_->skip(frame->pts);
    const auto scaled = scaler_.scale(frame, transcoder::scale_picture(input_.size, point.scale));
    if (!encoder_ || scaled->format != format_) {
      format_ = scaled->format;
      encoder_ = transcoder::open_encoder({}, format_, input_.frame_rate, record.target);
      opened_ = true;
      ++encoders_;
    }
    encoder_->retarget(record.target);
    const bool keyframe = clock_.take(frame->pts, std::exchange(opened_, false)) !=
                          transcoder::KeyframeClock::Cause::kNone;
    const auto encoded = encoder_->encode(*scaled, keyframe);
    if (!encoded) throw std::runtime_error{encoded.error()};
    shown_ = player_.scale(decoder_.decode(encoded->bytes), input_.size);
  }

  const Input input_;
  const std::string name_;
  const Rule rule_;
  transcoder::Scaler scaler_;
  transcoder::Scaler player_;
  std::unique_ptr<transcoder::Encoder> encoder_;
  media::PictureFormat format_;
  bool opened_ = false;
  transcoder::KeyframeClock clock_{transcoder::EncoderSettings{}.keyframe_interval,
                                   transcoder::EncoderSettings{}.forced_keyframe_interval};
  bench::Decoder decoder_;
  media::FramePtr shown_;  ///< stays until the next one
  std::vector<double> seconds_;
  std::vector<int> frames_;
  int encoders_ = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 6) {
    std::cerr << "usage: scaled_quality WIDTH HEIGHT FRAMES_PER_SECOND RATES RULE...\n";
    return 2;
  }
  const Input input{{std::stoi(argv[1]), std::stoi(argv[2])}, std::stod(argv[3])};
  const std::string source = argv[4];
  const auto rates = rates_of(source);
  const auto pixels = input.pixels_per_second();
  if (source.starts_with("link:") && !asks_for_both(rates.frames, pixels)) return 0;
  std::vector<std::unique_ptr<Course>> courses;
  for (int i = 5; i < argc; ++i) {
    courses.push_back(
        std::make_unique<Course>(input, argv[i], rule_of(argv[i], rates.max, pixels)));
  }
  bench::PictureReader pictures{input.size, input.frame_rate};
  std::size_t number = 0;
  for (; number < rates.frames.size(); ++number) {
    const auto frame = pictures.next();
    if (!frame) break;
    for (const auto& course : courses) course->add(frame, rates.frames[number]);
  }
  if (number == 0) throw std::runtime_error{"no pictures"};
  for (const auto& course : courses) std::cout << course->result().dump() << '\n';
  return 0;
} catch (const std::exception& error) {
  std::cerr << "scaled_quality: " << error.what() << '\n';
  return 1;
}
