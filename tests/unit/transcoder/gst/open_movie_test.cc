#include "transcoder/gst/open_movie.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace transcoder {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes box(std::string_view type, const std::vector<Bytes>& parts) {
  Bytes result{0, 0, 0, 0};
  result.insert(result.end(), type.begin(), type.end());
  for (const auto& part : parts) result.insert(result.end(), part.begin(), part.end());
  result[2] = static_cast<std::uint8_t>(result.size() >> 8);
  result[3] = static_cast<std::uint8_t>(result.size());
  return result;
}

/// Version, times, ticks per second, duration, and the rest of mvhd or mdhd.
Bytes header(std::uint8_t version, std::uint8_t duration) {
  Bytes result(version == 1 ? 36 : 24, 7);
  result[0] = version;
  const auto end = version == 1 ? 32 : 20;
  std::fill(result.begin() + (version == 1 ? 24 : 16), result.begin() + end, duration);
  return result;
}

Bytes movie(std::uint8_t duration, const std::vector<Bytes>& extension) {
  const auto track = box("trak", {box("mdia", {box("mdhd", {header(1, duration)})})});
  std::vector<Bytes> parts{box("mvhd", {header(0, duration)}), track};
  parts.insert(parts.end(), extension.begin(), extension.end());
  return box("moov", parts);
}

TEST(OpenMovieTest, AMovieOfFragmentsHasNoDuration) {
  const std::vector<Bytes> fragmented{box("mvex", {box("trex", {})})};
  auto bytes = movie(9, fragmented);
  remove_durations(bytes);
  EXPECT_EQ(bytes, movie(0, fragmented));
}

TEST(OpenMovieTest, ALengthOfAllFragmentsIsKept) {
  const std::vector<Bytes> fragmented{box("mvex", {box("mehd", {}), box("trex", {})})};
  auto bytes = movie(9, fragmented);
  remove_durations(bytes);
  EXPECT_EQ(bytes, movie(9, fragmented));
}

TEST(OpenMovieTest, AWholeMovieKeepsItsDuration) {
  auto bytes = movie(9, {});
  remove_durations(bytes);
  EXPECT_EQ(bytes, movie(9, {}));
}

TEST(OpenMovieTest, ACutBoxIsNotReadPastItsEnd) {
  const auto whole = movie(9, {box("mvex", {})});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Bytes cut{whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)};
    remove_durations(cut);
    EXPECT_EQ(cut.size(), size);
  }
}

}  // namespace
}  // namespace transcoder
