#include "transcoder/gst/ts_filter.h"

#include <gst/gst.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "changing_stream.h"
#include "transcoder/gst/gst_pipeline.h"

namespace transcoder::test {
namespace {

/// Two seconds of a radio programme, and behind it one with pictures.
Bytes radio_first() {
  return output_of(
      "ffmpeg -v error -f lavfi -i sine -f lavfi -i testsrc2=s=64x48:r=25 -t 2 -map 0 -map 1 -map 0"
      " -c:v mpeg2video -c:a mp2 -program program_num=1:st=0 -program program_num=2:st=1:st=2"
      " -f mpegts -");
}

/// The same with other bytes before and behind each packet.
Bytes with_extra(const Bytes& plain, std::size_t before, std::size_t behind) {
  Bytes result;
  const auto add = [&result](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) result.push_back(byte(37 * result.size()));
  };
  for (std::size_t at = 0; at < plain.size(); at += kTsPacketBytes) {
    add(before);
    const auto begin = plain.begin() + static_cast<std::ptrdiff_t>(at);
    result.insert(result.end(), begin, begin + kTsPacketBytes);
    add(behind);
  }
  return result;
}

/// The pictures of the first programme that has some.
int pictures_from(const std::string& uri) {
  SourceSettings settings;
  settings.uri = uri;
  GstPipeline pipeline{settings, VideoSettings{}, std::make_shared<InputReport>(), [] {}};
  pipeline.play();
  const auto deadline = base::Clock::now() + std::chrono::minutes{1};
  int pictures = 0;
  while (!pipeline.ended() && pipeline.error().reason.empty() && base::Clock::now() < deadline) {
    const bool picture = pipeline.take_frame().has_value();
    const bool audio = pipeline.take_audio().has_value();
    pictures += picture;
    if (!picture && !audio) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  EXPECT_EQ(pipeline.error().reason, "");
  return pictures;
}

/// From a pipe, and from a file, which the demuxer reads by itself.
void expect_pictures(const Bytes& stream) {
  {
    const PipeWriter writer{stream};
    EXPECT_GT(pictures_from(writer.uri()), 25);
  }
  const auto path = std::filesystem::temp_directory_path() /
                    ("ts_filter_test_" + std::to_string(getpid()) + ".ts");
  std::ofstream{path, std::ios::binary}.write(reinterpret_cast<const char*>(stream.data()),
                                              static_cast<std::streamsize>(stream.size()));
  EXPECT_GT(pictures_from("file:" + path.string()), 25);
  std::filesystem::remove(path);
}

TEST(TsFilterTest, ReadsPlainPackets) { expect_pictures(radio_first()); }

TEST(TsFilterTest, ReadsPacketsWithTimeStamps) { expect_pictures(with_extra(radio_first(), 4, 0)); }

TEST(TsFilterTest, ReadsWhatRecordersWrite) {
  expect_pictures(
      output_of("ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25 -t 2 -c:v mpeg2video"
                " -mpegts_m2ts_mode 1 -f mpegts -"));
}

TEST(TsFilterTest, ReadsPacketsWithErrorCorrection) {
  expect_pictures(with_extra(radio_first(), 0, 16));
}

TEST(TsFilterTest, ReadsPacketsOfAtsc) { expect_pictures(with_extra(radio_first(), 0, 20)); }

TEST(TsStrideTest, IsNotKnownFromFewPackets) {
  Bytes bytes(3 * 204);
  for (std::size_t at = 0; at < bytes.size(); at += 204) bytes[at] = 0x47;
  EXPECT_EQ(find_ts_stride(bytes), 0U);
  bytes.push_back(0x47);
  EXPECT_EQ(find_ts_stride(bytes), 204U);
}

}  // namespace
}  // namespace transcoder::test
