#include "ssim.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace control {
namespace {

constexpr int kWidth = 64;
constexpr int kHeight = 48;
using Plane = std::vector<std::uint8_t>;

Luma luma(const Plane& plane) { return {plane.data(), kWidth, kWidth, kHeight}; }

/// A texture with added noise of up to `noise` levels.
Plane texture(int noise) {
  std::mt19937 random{1};
  std::uniform_int_distribution<int> grain{-noise, noise};
  Plane plane;
  for (int i = 0; i < kWidth * kHeight; ++i) {
    plane.push_back(
        static_cast<std::uint8_t>(128 + (i % kWidth) * (i / kWidth) % 61 + grain(random)));
  }
  return plane;
}

TEST(SsimTest, IsOneForEqualPictures) {
  EXPECT_DOUBLE_EQ(ssim(luma(texture(5)), luma(texture(5))), 1);
}

TEST(SsimTest, ComparesTheBrightnessOfFlatPictures) {
  const double expected = (2 * 100. * 150. + 6.5025) / (100. * 100. + 150. * 150. + 6.5025);
  const Plane dark(kWidth * kHeight, 100), bright(kWidth * kHeight, 150);
  EXPECT_NEAR(ssim(luma(dark), luma(bright)), expected, 1e-9);
}

TEST(SsimTest, FallsWithNoise) {
  const double little = ssim(luma(texture(0)), luma(texture(3)));
  const double much = ssim(luma(texture(0)), luma(texture(30)));
  EXPECT_LT(little, 1);
  EXPECT_LT(much, little);
}

/// The result of ffmpeg's filter for two raw pictures; negative if there is no ffmpeg.
double ffmpeg_ssim(const Plane& a, const Plane& b) {
  char folder[] = "/tmp/ssim_test.XXXXXX";
  if (::mkdtemp(folder) == nullptr) return -1;
  const std::string path{folder};
  const auto input = [&](const std::string& name, const Plane& plane) {
    std::ofstream{path + "/" + name, std::ios::binary}.write(
        reinterpret_cast<const char*>(plane.data()), static_cast<std::streamsize>(plane.size()));
    return " -f rawvideo -pix_fmt gray -s 64x48 -i " + path + "/" + name;
  };
  const std::string command = "ffmpeg -loglevel info -nostdin" + input("a", a) + input("b", b) +
                              " -lavfi ssim -f null - 2>&1";
  double result = -1;
  std::FILE* output = ::popen(command.c_str(), "r");
  for (char line[512]; std::fgets(line, sizeof line, output) != nullptr;) {
    const auto at = std::string{line}.find("SSIM Y:");
    if (at != std::string::npos) result = std::atof(line + at + 7);
  }
  ::pclose(output);
  for (const char* name : {"/a", "/b"}) ::unlink((path + name).c_str());
  ::rmdir(folder);
  return result;
}

TEST(SsimTest, AgreesWithFfmpeg) {
  for (const int noise : {1, 10, 60}) {
    const double theirs = ffmpeg_ssim(texture(0), texture(noise));
    if (theirs < 0) GTEST_SKIP() << "no ffmpeg with the filter ssim";
    EXPECT_NEAR(ssim(luma(texture(0)), luma(texture(noise))), theirs, 0.0005) << noise;
  }
}

}  // namespace
}  // namespace control
