#include "pictures.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace transcoder::test {

namespace {

constexpr int kTextureSide = 1024;
constexpr std::size_t kNoiseOffsets = 8192;
constexpr std::uint64_t kPicturesPerScene = 30;

/// A sum of waves that rarely repeats: detail at every scale, as in a photograph.
std::vector<std::uint8_t> make_texture() {
  std::mt19937 random{1};
  std::vector<float> sum(kTextureSide * kTextureSide, 128);
  std::uniform_real_distribution<float> phase{0, 6.28F};
  for (int cycles = 2; cycles <= 128; cycles *= 2) {
    const float amplitude = 60.F / std::sqrt(static_cast<float>(cycles));
    const float fx = 6.2832F * static_cast<float>(cycles) / kTextureSide;
    const float px = phase(random), py = phase(random), bend = phase(random);
    for (int y = 0; y < kTextureSide; ++y) {
      const float row = std::sin(fx * static_cast<float>(y) + py);
      for (int x = 0; x < kTextureSide; ++x) {
        sum[y * kTextureSide + x] +=
            amplitude * row * std::sin(fx * static_cast<float>(x) + px + bend * row);
      }
    }
  }
  std::vector<std::uint8_t> pixels(sum.size());
  std::ranges::transform(sum, pixels.begin(), [](float v) {
    return static_cast<std::uint8_t>(std::clamp(v, 16.F, 235.F));
  });
  return pixels;
}

const std::vector<std::uint8_t>& texture() {
  static const auto made = make_texture();
  return made;
}

std::vector<std::int8_t> noise(std::mt19937& random, std::size_t size, float deviation) {
  std::normal_distribution<float> grain{0, deviation};
  std::vector<std::int8_t> values(size);
  std::ranges::generate(
      values, [&] { return static_cast<std::int8_t>(std::clamp(grain(random), -100.F, 100.F)); });
  return values;
}

struct Planes {
  std::vector<std::uint8_t> y, u, v;
};

}  // namespace

std::string_view name(Content content) {
  switch (content) {
    case Content::kStatic:
      return "static";
    case Content::kMoving:
      return "moving";
    case Content::kNoise:
      return "noise";
    case Content::kCuts:
      return "cuts";
  }
  return "";
}

Pictures::Pictures(Content content, int width, int height)
    : content_{content}, width_{width}, height_{height} {
  std::mt19937 random{2};
  const float deviation = content == Content::kNoise ? 40 : content == Content::kStatic ? 0 : 4;
  noise_ = noise(random, static_cast<std::size_t>(width) * height + kNoiseOffsets, deviation);
}

void Pictures::paint(std::vector<std::uint8_t>& luma) const {
  const bool moves = content_ == Content::kMoving || content_ == Content::kCuts;
  const auto scene = content_ == Content::kCuts ? number_ / kPicturesPerScene : 0;
  const auto shift_x = (moves ? number_ * 5 : 0) + scene * 397;
  const auto shift_y = (moves ? number_ * 2 : 0) + scene * 211;
  const auto* grain = noise_.data() + number_ * 2654435761U % kNoiseOffsets;
  const auto* pixels = texture().data();
  auto* pixel = luma.data();
  for (int y = 0; y < height_; ++y) {
    const auto* row = pixels + (y + shift_y) % kTextureSide * kTextureSide;
    for (int x = 0; x < width_; ++x) {
      // Every second scene is mirrored as well, so that scenes have nothing in common.
      const auto column = (scene % 2 ? width_ - x : x) + shift_x;
      const int value = row[column % kTextureSide] + *grain++;
      *pixel++ = static_cast<std::uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
    }
  }
}

media::FramePtr Pictures::next(media::Pts pts) {
  const std::size_t size = static_cast<std::size_t>(width_) * height_;
  auto planes = std::make_shared<Planes>();
  planes->y.resize(size);
  paint(planes->y);
  planes->u.assign(size / 4, 110);
  planes->v.assign(size / 4, 140);
  auto frame = std::make_shared<media::Frame>();
  frame->format.width = width_;
  frame->format.height = height_;
  frame->plane = {planes->y.data(), planes->u.data(), planes->v.data()};
  frame->stride = {width_, width_ / 2, width_ / 2};
  frame->memory = planes;
  frame->number = number_++;
  frame->pts = pts;
  frame->captured = base::Time{pts};
  return frame;
}

}  // namespace transcoder::test
