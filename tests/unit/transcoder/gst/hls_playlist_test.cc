#include "transcoder/gst/hls_playlist.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace transcoder {
namespace {

/// A segment and its initialization section.
struct Listed {
  std::string uri;
  std::string map;
  bool discontinuity = false;
};

std::string playlist(std::int64_t number, const std::vector<Listed>& segments) {
  auto text = fmt::format("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:{}\n", number);
  std::string map;
  for (const auto& segment : segments) {
    if (segment.discontinuity) text += "#EXT-X-DISCONTINUITY\n";
    if (segment.map != map) text += fmt::format("#EXT-X-MAP:URI=\"{}\"\n", segment.map);
    map = segment.map;
    text += fmt::format("#EXTINF:2.0,\n{}\n", segment.uri);
  }
  return text;
}

/// "number uri, uri, ..."; a discontinuity is "|".
std::string summary(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    const auto line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("#EXT-X-MEDIA-SEQUENCE:")) result += line.substr(22);
    if (line == "#EXT-X-DISCONTINUITY") result += " |";
    if (!line.starts_with('#')) result += " " + line;
  }
  return result;
}

TEST(HlsPlaylistTest, NothingChangesWithoutNeed) {
  HlsPlaylist editor;
  EXPECT_EQ(summary(editor.edit(playlist(7, {{"a"}, {"b"}}))), "7 a b");
  EXPECT_EQ(summary(editor.edit(playlist(8, {{"b"}, {"c"}}))), "8 b c");
  EXPECT_EQ(summary(editor.edit(playlist(30, {{"x"}, {"y"}}))), "30 x y") << "some were missed";
  EXPECT_EQ(summary(editor.edit(playlist(29, {{"w"}, {"x"}}))), "29 w x") << "another server";
  EXPECT_EQ(editor.restarts(), 0U);
}

TEST(HlsPlaylistTest, AbsurdNumbersStayAsTheyAre) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 53;
  HlsPlaylist editor;
  for (const auto* number : {"9223372036854775807", "9007199254740993", "-5"}) {
    const auto text =
        fmt::format("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-MEDIA-SEQUENCE:{}\n#EXTINF:2,\na\n", number);
    EXPECT_EQ(editor.edit(text), text);
  }
  editor.edit(playlist(kLargest - 1, {{"a"}}));
  editor.edit(playlist(0, {{"b"}}));
  const auto sum = playlist(kLargest - 1, {{"c"}});
  EXPECT_EQ(editor.edit(sum), sum);
  EXPECT_EQ(summary(editor.edit(playlist(0, {{"d"}}))), "0 d");
}

TEST(HlsPlaylistTest, ListsAnotherInitializationSection) {
  HlsPlaylist editor;
  EXPECT_EQ(summary(editor.edit(playlist(7, {{"a", "i"}, {"b", "i"}}))), "7 a b");
  EXPECT_EQ(summary(editor.edit(playlist(8, {{"b", "i"}, {"c", "j", true}}))), "8 b | j c");
  EXPECT_EQ(summary(editor.edit(playlist(9, {{"c", "j", true}, {"d", "j"}}))), "9 | j c d");
  EXPECT_EQ(summary(editor.edit(playlist(10, {{"d", "j"}, {"e", "j"}}))), "11 d e");
  EXPECT_EQ(summary(editor.edit(playlist(20, {{"f", "k"}, {"g", "k"}}))), "21 k f g");
}

TEST(HlsPlaylistTest, AByteRangeOfASectionIsThatOfItsSegment) {
  HlsPlaylist editor;
  const std::string head = "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n";
  const std::string first =
      "#EXT-X-MAP:URI=\"f\",BYTERANGE=\"10@0\"\n#EXTINF:2,\n#EXT-X-BYTERANGE:90@10\nf\n";
  const std::string second =
      "#EXT-X-MAP:BYTERANGE=\"11@0\",URI=\"g\"\n#EXTINF:2,\n#EXT-X-BYTERANGE:80@11\ng\n";
  const auto edited = editor.edit(head + first + second);
  EXPECT_NE(
      edited.find(
          "#EXTINF:0.001,\n#EXT-X-BYTERANGE:11@0\ng\n#EXTINF:2,\n#EXT-X-BYTERANGE:80@11\ng\n"),
      std::string::npos)
      << edited;
}

TEST(HlsPlaylistTest, NumbersThatBeginAgainGoOn) {
  HlsPlaylist editor;
  editor.edit(playlist(57, {{"a57"}, {"a58"}}));
  EXPECT_EQ(summary(editor.edit(playlist(0, {{"a0"}}))), "59 | a0");
  EXPECT_EQ(summary(editor.edit(playlist(0, {{"a0"}, {"a1"}}))), "59 a0 a1");
  EXPECT_EQ(summary(editor.edit(playlist(1, {{"a1"}, {"a2"}}))), "60 a1 a2");
  EXPECT_EQ(editor.restarts(), 1U);
  EXPECT_EQ(summary(editor.edit(playlist(0, {{"b0"}, {"b1"}, {"b2"}}))), "62 | b0 b1 b2")
      << "with the same numbers";
  EXPECT_EQ(editor.restarts(), 2U);
}

TEST(HlsPlaylistTest, ARestartedEncoderHasAnotherInitializationSection) {
  HlsPlaylist editor;
  editor.edit(playlist(57, {{"a57", "i"}}));
  EXPECT_EQ(summary(editor.edit(playlist(0, {{"a0", "j"}}))), "58 | j a0");
}

TEST(HlsPlaylistTest, OtherTextsStay) {
  HlsPlaylist editor;
  for (const std::string text :
       {"", "<html>", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n",
        "#EXTM3U\n#EXTINF:2,\na\n",
        "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:2,\na\n",
        "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n"}) {
    EXPECT_EQ(editor.edit(text), text);
  }
}

}  // namespace
}  // namespace transcoder
