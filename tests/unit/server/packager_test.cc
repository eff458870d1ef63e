#include "server/packager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "media/flv.h"
#include "media/mp4.h"
#include "media/mpegts.h"
#include "packets.h"

namespace {

using packets::kFrame;
using server::QueuedPacket;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using Bytes = std::vector<std::uint8_t>;

media::HeadersPtr headers(std::uint8_t mark) {
  media::Headers headers;
  headers.flv = {'F', 'L', 'V', 1, 5, 0, 0, 0, 9, 0, 0, 0,    0,  //
                 9,   0,   0,   1, 0, 0, 0, 0, 0, 0, 0, mark, 0, 0, 0, 12};
  headers.mp4 = {mark, mark};
  return std::make_shared<const media::Headers>(headers);
}

QueuedPacket frame(std::uint64_t number, media::HeadersPtr headers = nullptr) {
  auto packet = std::make_shared<media::Packet>(*packets::frame(number, headers != nullptr));
  packet->headers = std::move(headers);
  packet->duration = kFrame;
  packet->unit = {0, 0, 1, 0x65, 1, 2, 3};
  return {packet};
}

QueuedPacket audio(std::uint64_t number) {
  auto packet = std::make_shared<media::Packet>(*packets::audio(number));
  packet->unit = {1, 2, 3};
  packet->duration = packets::kAudio;
  return {packet};
}

class PackagerTest : public ::testing::TestWithParam<media::Container> {
 protected:
  std::unique_ptr<server::Packager> packager_ = server::make_packager(GetParam());
};

/// The headers of a stream as a response begins with them, for its first frame.
Bytes begin(media::Container container, const QueuedPacket& first) {
  return container == media::Container::kFlv
             ? media::flv_begin(*first.packet->headers, first.packet->pts)
             : first.packet->headers->mp4;
}

TEST_P(PackagerTest, BeginsWithHeaders) {
  const auto first = frame(3, headers(1));
  const auto insert = packager_->next(first);
  EXPECT_THAT(insert.bytes, ElementsAreArray(begin(GetParam(), first)));
  EXPECT_EQ(insert.replaced, 0u);
}

TEST_P(PackagerTest, InsertsNothingBeforeLaterPackets) {
  packager_->next(frame(3, headers(1)));
  EXPECT_THAT(packager_->next(audio(4)).bytes, IsEmpty());
  EXPECT_THAT(packager_->next(frame(4)).bytes, IsEmpty());
}

TEST_P(PackagerTest, SendsHeadersOnceEvenIfTheyChange) {
  packager_->next(frame(3, headers(1)));
  EXPECT_THAT(packager_->next(frame(4, headers(1))).bytes, IsEmpty());
  EXPECT_THAT(packager_->next(frame(5, headers(2))).bytes, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Containers, PackagerTest,
                         ::testing::Values(media::Container::kFlv, media::Container::kMp4));

TEST(Mp4PackagerTest, BridgesMissingFrames) {
  const auto packager = server::make_packager(media::Container::kMp4);
  packager->next(frame(3, headers(1)));
  packager->next(audio(5));
  const auto late = frame(6);
  const auto insert = packager->next(late);
  EXPECT_THAT(insert.bytes, ElementsAreArray(media::mp4_bridge(*late.packet, 4 * kFrame)));
  EXPECT_EQ(insert.replaced, media::kMp4FragmentHeaderBytes);
  EXPECT_EQ(packager->next(frame(7)).replaced, 0u);
}

/// The parts of a batch after Packager::complete().
std::vector<server::Packager::Part> completed(media::Container container,
                                              const std::vector<QueuedPacket>& items) {
  const auto packager = server::make_packager(container);
  packager->next(frame(3, headers(1)));
  std::vector<server::Packager::Part> parts;
  for (const auto& item : items) {
    parts.push_back({.packet = item.packet, .insert = packager->next(item)});
  }
  packager->complete(parts);
  return parts;
}

TEST(Mp4PackagerTest, AudioFramesShareAFragment) {
  const std::vector items{audio(5), audio(6), frame(4), audio(7)};
  const auto parts = completed(media::Container::kMp4, items);
  EXPECT_THAT(parts[0].insert.bytes,
              ElementsAreArray(media::mp4_joint_header(std::vector<const media::Packet*>{
                  items[0].packet.get(), items[1].packet.get()})));
  EXPECT_THAT(parts[1].insert.bytes, IsEmpty());
  for (const auto i : {0, 1}) {
    EXPECT_EQ(parts[i].insert.replaced, media::kMp4FragmentHeaderBytes);
  }
  for (const auto i : {2, 3}) {
    EXPECT_THAT(parts[i].insert.bytes, IsEmpty());
    EXPECT_EQ(parts[i].insert.replaced, 0u);
  }
}

TEST(Mp4PackagerTest, AudioAfterAGapBeginsAFragment) {
  for (const auto& part : completed(media::Container::kMp4, {audio(5), audio(7)})) {
    EXPECT_THAT(part.insert.bytes, IsEmpty());
    EXPECT_EQ(part.insert.replaced, 0u);
  }
}

TEST(FlvPackagerTest, AudioFramesStayAsTheyAre) {
  for (const auto& part : completed(media::Container::kFlv, {audio(5), audio(6)})) {
    EXPECT_THAT(part.insert.bytes, IsEmpty());
  }
}

/// An audio frame of 32 kbit/s as a muxer writes it: in one TS packet, with a PES packet.
QueuedPacket ts_audio(std::uint64_t number) {
  constexpr std::size_t kSize = 92;
  auto packet = std::make_shared<media::Packet>(*audio(number).packet);
  Bytes pes{0, 0, 1, 0xc0, 0, 3 + 5 + kSize, 0x80, 0x80, 5, 0x21, 0, 1, 0, 1};
  pes.resize(pes.size() + kSize, static_cast<std::uint8_t>(number));
  packet->ts = {0x47,
                0x41,
                0x01,
                static_cast<std::uint8_t>(0x30 | (number & 0xf)),
                static_cast<std::uint8_t>(183 - pes.size()),
                0};
  packet->ts.resize(188 - pes.size(), 0xff);
  packet->ts.insert(packet->ts.end(), pes.begin(), pes.end());
  return {packet};
}

TEST(TsPackagerTest, SmallAudioFramesShareTsPackets) {
  const auto parts =
      completed(media::Container::kMpegTs, {ts_audio(5), ts_audio(6), ts_audio(7), frame(4)});
  ASSERT_EQ(parts[0].insert.bytes.size(), 2 * 188u);
  EXPECT_EQ(parts[0].insert.bytes[3] & 0xf, 5) << "continues the counter of the audio before it";
  EXPECT_EQ(parts[0].insert.bytes[188 + 3] & 0xf, 6);
  for (const auto i : {1, 2, 3}) EXPECT_THAT(parts[i].insert.bytes, IsEmpty());
  for (const auto i : {0, 1, 2}) EXPECT_EQ(parts[i].insert.replaced, 188u);
  EXPECT_EQ(parts[3].insert.replaced, 0u);
}

TEST(TsPackagerTest, AudioAfterAGapBeginsAPesPacket) {
  const auto parts = completed(media::Container::kMpegTs,
                               {ts_audio(5), ts_audio(6), ts_audio(8), ts_audio(9), ts_audio(10)});
  EXPECT_EQ(parts[0].insert.bytes.size(), 0u) << "two frames need two packets";
  EXPECT_EQ(parts[2].insert.bytes.size(), 2 * 188u);
}

TEST(TsPackagerTest, InsertsASpliceAtAGap) {
  const auto packager = server::make_packager(media::Container::kMpegTs);
  auto item = frame(3);
  EXPECT_THAT(packager->next(item).bytes, IsEmpty());
  item.splice = true;
  EXPECT_THAT(packager->next(item).bytes, ElementsAreArray(media::ts_splice(item.packet->ts)));
}

}  // namespace
