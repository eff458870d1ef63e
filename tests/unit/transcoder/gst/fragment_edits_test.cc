#include "transcoder/gst/fragment_edits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace transcoder {
namespace {

using namespace std::chrono_literals;
using Bytes = std::vector<std::uint8_t>;

constexpr int kTrack = 2;
constexpr int kScale = 1000;

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Bytes word(std::int64_t value) {
  Bytes result;
  for (const int shift : {24, 16, 8, 0}) {
    result.push_back(static_cast<std::uint8_t>(value >> shift));
  }
  return result;
}

Bytes box(std::string_view name, const Bytes& body) {
  return word(static_cast<std::int64_t>(body.size() + 8)) + Bytes{name.begin(), name.end()} + body;
}

Bytes header(std::string_view name, int fourth_word) {
  return box(name, word(0) + word(0) + word(0) + word(fourth_word) + word(0));
}

/// Edits with {duration, begin}.
Bytes movie(const Bytes& edits, int count) {
  return box("moov", header("mvhd", kScale) +
                         box("trak", header("tkhd", kTrack) +
                                         box("edts", box("elst", word(0) + word(count) + edits)) +
                                         box("mdia", header("mdhd", 2 * kScale))));
}

Bytes edit(int duration, int begin) { return word(duration) + word(begin) + word(0x10000); }

Bytes fragment(int composition_offset) {
  return box("moof", box("traf", box("tfhd", word(0) + word(kTrack)) +
                                     box("trun", word(0x01000900) + word(1) + word(40) +
                                                     word(composition_offset))));
}

TEST(FragmentEditsTest, TheFirstEditThatIsNotEmptyPlacesTheTrack) {
  FragmentEdits edits;
  edits.push(movie(edit(5000, -1) + edit(0, 160), 2));
  EXPECT_EQ(edits.shift(kTrack), 4920ms);
}

TEST(FragmentEditsTest, TimesBeyondACenturyCountAsZero) {
  const Bytes largest = word(0x7fffffff) + word(-1);
  const Bytes empty = largest + word(-1) + word(-1) + word(0x10000);
  const Bytes edit = word(0) + word(0) + largest + word(0x10000);
  auto long_edits = movie(empty + edit, 2);
  const auto elst = std::ranges::search(long_edits, std::string_view{"elst"}).end();
  *elst = 1;  // version
  FragmentEdits edits;
  edits.push(long_edits);
  EXPECT_EQ(edits.shift(kTrack), 0ms);
}

TEST(FragmentEditsTest, NegativeCompositionOffsetsAreUndone) {
  FragmentEdits edits;
  edits.push(movie({}, 0));
  edits.push(fragment(-80));
  EXPECT_EQ(edits.shift(kTrack), -40ms);
  edits.push(fragment(80));
  EXPECT_EQ(edits.shift(kTrack), 0ms);
}

TEST(FragmentEditsTest, ReadsBoxesFromAnyPieces) {
  FragmentEdits edits;
  const Bytes long_box = word(1) + Bytes{'m', 'd', 'a', 't'} + word(0) + word(20) + word(7);
  for (const auto byte : box("ftyp", word(7)) + long_box + movie(edit(0, 160), 1)) {
    edits.push(Bytes{byte});
  }
  EXPECT_EQ(edits.shift(kTrack), -80ms);
}

TEST(FragmentEditsTest, BeginsAnewAfterMissingBytes) {
  FragmentEdits edits;
  edits.push(word(1000) + Bytes{'m', 'd', 'a', 't'});
  edits.restart();
  edits.push(movie(edit(0, 160), 1));
  EXPECT_EQ(edits.shift(kTrack), -80ms);
}

TEST(FragmentEditsTest, SizesThatLieAreHarmless) {
  FragmentEdits edits;
  edits.push(box("moov", word(1000) + Bytes{'t', 'r', 'a', 'k'}));
  edits.push(movie(word(1), 1000));
  edits.push(box("moof", box("traf", box("trun", word(0x01000900) + word(1000)))));
  edits.push(word(0) + Bytes{'m', 'd', 'a', 't'} + movie({}, 0));
  EXPECT_EQ(edits.shift(kTrack), 0ms);
}

}  // namespace
}  // namespace transcoder
