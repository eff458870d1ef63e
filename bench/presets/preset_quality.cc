// The cost of encoder presets, and their quality, for pictures from standard input.
//
//   preset_quality WIDTH HEIGHT FRAMES_PER_SECOND BIT_PER_SECOND PRESET... < YUV420P
//
// Encodes the same pictures with each preset; "auto:EFFORT" is an effort of the preset "auto"
// (Encoder::set_effort). Prints a line of JSON for each: the rate, the mean SSIM of the luma that a
// decoder shows, and the CPU time of a frame, in the mean and at most.
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/thread_time.h"
#include "picture_quality.h"
#include "transcoder/encode/open_encoder.h"

namespace {

struct Input {
  int width = 0;
  int height = 0;
  double frame_rate = 0;
  base::BitRate rate;
};

/// Encodes pictures, and compares what a decoder shows with them.
class Course {
 public:
  Course(const Input& input, std::string preset) : input_{input}, preset_{std::move(preset)} {
    transcoder::EncoderSettings settings;
    settings.preset = preset_.substr(0, preset_.find(':'));
    encoder_ = transcoder::open_encoder(settings, {.width = input.width, .height = input.height},
                                        input.frame_rate, input.rate);
    if (settings.preset == transcoder::kAutoPreset) {
      encoder_->set_effort(std::stoul(preset_.substr(preset_.find(':') + 1)));
    }
  }

  void add(const media::Frame& frame) {
    const auto keyframe_interval = static_cast<std::uint64_t>(2 * input_.frame_rate);
    const auto start = base::thread_cpu_time();
    const auto encoded = encoder_->encode(frame, frame.number % keyframe_interval == 0);
    const auto spent = base::thread_cpu_time() - start;
    if (!encoded) throw std::runtime_error{encoded.error()};
    cpu_ += spent;
    most_ = std::max(most_, spent);
    bytes_ += encoded->bytes.size();
    ++frames_;
    ssim_ += bench::ssim(frame, *decoder_.decode(encoded->bytes));
  }

  nlohmann::json result() const {
    return {{"preset", preset_},
            {"rate", 8.0 * static_cast<double>(bytes_) * input_.frame_rate / frames_},
            {"ssim", ssim_ / frames_},
            {"ms", 1e3 * base::seconds(cpu_) / frames_},
            {"ms_most", 1e3 * base::seconds(most_)}};
  }

 private:
  const Input input_;
  const std::string preset_;
  std::unique_ptr<transcoder::Encoder> encoder_;
  bench::Decoder decoder_;
  double ssim_ = 0;
  base::Duration cpu_{};
  base::Duration most_{};
  std::size_t bytes_ = 0;
  double frames_ = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 6) {
    std::cerr << "usage: preset_quality WIDTH HEIGHT FRAMES_PER_SECOND BIT_PER_SECOND PRESET...\n";
    return 2;
  }
  const Input input{std::stoi(argv[1]), std::stoi(argv[2]), std::stod(argv[3]),
                    base::BitRate{std::stoll(argv[4])}};
  std::vector<std::unique_ptr<Course>> courses;
  for (int i = 5; i < argc; ++i) courses.push_back(std::make_unique<Course>(input, argv[i]));
  bench::PictureReader pictures{{input.width, input.height}, input.frame_rate};
  std::uint64_t number = 0;
  for (; const auto frame = pictures.next(); ++number) {
    for (const auto& course : courses) course->add(*frame);
  }
  if (number == 0) throw std::runtime_error{"no pictures"};
  for (const auto& course : courses) std::cout << course->result().dump() << '\n';
  return 0;
} catch (const std::exception& error) {
  std::cerr << "preset_quality: " << error.what() << '\n';
  return 1;
}
