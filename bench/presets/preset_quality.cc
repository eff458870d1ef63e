// The cost of encoder presets, and their quality, for pictures from standard input.
//
//   preset_quality WIDTH HEIGHT FRAMES_PER_SECOND BIT_PER_SECOND PRESET... < YUV420P
//
// Encodes the same pictures with each preset; "auto:EFFORT" is an effort of the preset "auto"
// (Encoder::set_effort). Prints a line of JSON for each: the rate, the mean SSIM of the luma that a
// decoder shows, and the CPU time of a frame, in the mean and at most.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/thread_time.h"
#include "ssim.h"
#include "transcoder/encode/libav_handle.h"
#include "transcoder/encode/open_encoder.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace {

struct Input {
  int width = 0;
  int height = 0;
  double frame_rate = 0;
  base::BitRate rate;
};

std::size_t size_of(const Input& input) {
  return static_cast<std::size_t>(input.width) * static_cast<std::size_t>(input.height) * 3 / 2;
}

media::Frame as_frame(const Input& input, const std::vector<std::uint8_t>& planes,
                      std::uint64_t number) {
  media::Frame frame;
  frame.format = {.width = input.width, .height = input.height};
  const auto luma = static_cast<std::size_t>(input.width) * static_cast<std::size_t>(input.height);
  frame.plane = {&planes[0], &planes[luma], &planes[luma + luma / 4]};
  frame.stride = {input.width, input.width / 2, input.width / 2};
  frame.number = number;
  frame.pts = base::from_seconds(static_cast<double>(number) / input.frame_rate);
  return frame;
}

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
    if (avcodec_open2(decoder_.get(), nullptr, nullptr) != 0) {
      throw std::runtime_error{"no decoder"};
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
    compare(frame, encoded->bytes);
  }

  nlohmann::json result() const {
    return {{"preset", preset_},
            {"rate", 8.0 * static_cast<double>(bytes_) * input_.frame_rate / frames_},
            {"ssim", ssim_ / frames_},
            {"ms", 1e3 * base::seconds(cpu_) / frames_},
            {"ms_most", 1e3 * base::seconds(most_)}};
  }

 private:
  void compare(const media::Frame& frame, const std::vector<std::uint8_t>& bytes) {
    const transcoder::LibavPacket packet{av_packet_alloc()};
    av_new_packet(packet.get(), static_cast<int>(bytes.size()));
    std::ranges::copy(bytes, packet->data);
    if (avcodec_send_packet(decoder_.get(), packet.get()) != 0 ||
        avcodec_receive_frame(decoder_.get(), shown_.get()) != 0) {
      throw std::runtime_error{"a frame cannot be decoded"};
    }
    const auto luma = [this](const std::uint8_t* data, int stride) {
      return control::Luma{data, stride, input_.width, input_.height};
    };
    ssim_ += control::ssim(luma(frame.plane[0], frame.stride[0]),
                           luma(shown_->data[0], shown_->linesize[0]));
  }

  const Input input_;
  const std::string preset_;
  std::unique_ptr<transcoder::Encoder> encoder_;
  const transcoder::LibavCodec decoder_{
      avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264))};
  const transcoder::LibavFrame shown_{av_frame_alloc()};
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
  std::vector<std::uint8_t> planes(size_of(input));
  std::uint64_t number = 0;
  while (std::fread(planes.data(), 1, planes.size(), stdin) == planes.size()) {
    const auto frame = as_frame(input, planes, number++);
    for (const auto& course : courses) course->add(frame);
  }
  if (number == 0) throw std::runtime_error{"no pictures"};
  for (const auto& course : courses) std::cout << course->result().dump() << '\n';
  return 0;
} catch (const std::exception& error) {
  std::cerr << "preset_quality: " << error.what() << '\n';
  return 1;
}
