#include "transcoder/wire/ring.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <thread>
#include <vector>

namespace transcoder::wire {
namespace {

const VideoSettings kLimits{.max_width = 128, .max_height = 72};

constexpr RingLayout kHd{VideoSettings{}};
static_assert(kHd.slots() == 40);
static_assert(RingLayout{{.max_width = 3840, .max_height = 2160}}.slots() == 21);
static_assert(RingLayout{{.max_width = 7680, .max_height = 4320}}.slots() == 8);
static_assert(kHd.slot_size() == 361 * 4096);  // 720 x 1280, in rows of 768 bytes
static_assert(kHd.fits(1280, 720) && kHd.fits(720, 1280) && kHd.fits(2, 2));
static_assert(!kHd.fits(1282, 720) && !kHd.fits(1280, 722) && !kHd.fits(800, 800));
static_assert(!kHd.fits(0, 720) && !kHd.fits(1280, 0) && !kHd.fits(-2, 720) && !kHd.fits(33, 32));

/// A picture all of whose samples are `value`.
media::Frame picture(int width, int height, std::uint8_t value) {
  const auto pixels = std::make_shared<std::vector<std::uint8_t>>(2 * width * height, value);
  media::Frame frame{.format = {.width = width, .height = height}, .memory = pixels};
  frame.plane = {pixels->data(), pixels->data(), pixels->data()};
  frame.stride = {width, width / 2, width / 2};
  return frame;
}

bool all_samples_are(const media::Frame& frame, std::uint8_t value) {
  for (std::size_t plane = 0; plane < 3; ++plane) {
    const int shift = plane == 0 ? 0 : 1;
    for (int y = 0; y < frame.format.height >> shift; ++y) {
      for (int x = 0; x < frame.format.width >> shift; ++x) {
        if (frame.plane[plane][y * frame.stride[plane] + x] != value) return false;
      }
    }
  }
  return true;
}

/// Both ends, in one process.
struct RingTest : testing::Test {
  std::optional<RingReader> reader{kLimits};
  std::optional<RingWriter> writer{std::in_place, base::UniqueFd{::dup(reader->fd())}, kLimits};

  /// The daemon's frame of a picture that the child sends.
  media::Frame pass(std::uint8_t value) {
    const auto sent = writer->copy(picture(128, 72, value));
    const auto slot = writer->slot(*sent);
    writer->announced(*sent);
    auto received = *reader->take(slot, sent->format);
    received.number = value;
    return received;
  }
};

TEST_F(RingTest, PassesPicturesOfAnySizeWithinTheLimits) {
  for (const auto& [width, height] : {std::pair{128, 72}, {72, 128}, {2, 2}, {66, 34}}) {
    const auto sent = writer->copy(picture(width, height, 77));
    ASSERT_TRUE(sent);
    const auto received = reader->take(writer->slot(*sent), sent->format);
    ASSERT_TRUE(received);
    EXPECT_EQ(received->format, sent->format);
    EXPECT_TRUE(all_samples_are(*received, 77));
    EXPECT_NE(received->plane[0], sent->plane[0]);  // each side has a mapping of its own
  }
}

TEST_F(RingTest, ThePlanesOfTheLargestPictureDoNotOverlap) {
  auto planes = picture(128, 72, 1);
  const auto second = picture(128, 72, 2);
  const auto third = picture(128, 72, 3);
  planes.plane = {planes.plane[0], second.plane[0], third.plane[0]};
  const auto sent = writer->copy(planes);
  EXPECT_EQ(sent->plane[0][127 + 71 * sent->stride[0]], 1);
  EXPECT_EQ(sent->plane[1][63 + 35 * sent->stride[1]], 2);
  EXPECT_EQ(sent->plane[2][63 + 35 * sent->stride[2]], 3);
}

TEST_F(RingTest, TheSlotFreedLastIsUsedNext) {
  std::vector<media::Frame> held;
  for (int i = 0; i < 4; ++i) held.push_back(pass(0));
  const auto* const freed = held[1].plane[0];
  held.erase(held.begin() + 1);
  EXPECT_EQ(pass(0).plane[0], freed);
}

TEST_F(RingTest, ACalmStreamTouchesFewSlots) {
  const auto* const first = pass(0).plane[0];
  for (int i = 0; i < 100; ++i) EXPECT_EQ(pass(0).plane[0], first);
}

TEST_F(RingTest, APictureThatIsNotAnnouncedFreesItsSlot) {
  for (std::size_t i = 0; i < 2 * RingLayout::kMaxSlots; ++i) {
    ASSERT_TRUE(writer->copy(picture(128, 72, 0)));
  }
}

TEST_F(RingTest, AFullRingTakesNoPictureUntilOneIsReleased) {
  std::vector<media::Frame> held;
  for (std::size_t i = 0; i < reader->layout().slots(); ++i) held.push_back(pass(0));
  EXPECT_FALSE(writer->copy(picture(128, 72, 0)));
  held.pop_back();
  EXPECT_TRUE(writer->copy(picture(128, 72, 0)));
}

TEST_F(RingTest, TheSlotIsHeldUntilItsLastOwnerIsGone) {
  auto frame = pass(5);
  auto copy = frame;
  frame = {};
  EXPECT_NE(pass(6).plane[0], copy.plane[0]);
  EXPECT_TRUE(all_samples_are(copy, 5));
}

TEST_F(RingTest, AnOldCopyOfAnAnnouncedFrameFreesNothing) {
  auto sent = writer->copy(picture(128, 72, 1));
  writer->announced(*sent);
  auto received = *reader->take(writer->slot(*sent), sent->format);
  sent.reset();
  EXPECT_NE(writer->slot(*writer->copy(picture(128, 72, 2))), 0u);
  EXPECT_TRUE(all_samples_are(received, 1));
}

TEST_F(RingTest, FramesOutliveBothEnds) {
  const auto received = pass(9);
  const auto sent = writer->copy(picture(128, 72, 8));
  writer.reset();
  reader.reset();
  EXPECT_TRUE(all_samples_are(received, 9));
  EXPECT_TRUE(all_samples_are(*sent, 8));
}

TEST_F(RingTest, OtherThreadsReadAndReleaseWhileTheChildWrites) {
  const auto read = [](std::vector<media::Frame> frames) {
    for (auto& frame : frames) {
      EXPECT_TRUE(all_samples_are(frame, static_cast<std::uint8_t>(frame.number)));
      frame = {};
    }
  };
  std::uint8_t value = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
      std::vector<media::Frame> frames;
      while (frames.size() < 15) frames.push_back(pass(++value));
      threads.emplace_back(read, std::move(frames));
    }
    for (int i = 0; i < 10; ++i) read({pass(++value)});
    for (auto& thread : threads) thread.join();
  }
}

TEST_F(RingTest, RefusesAnAnnouncementThatLies) {
  const media::PictureFormat format{.width = 128, .height = 72};
  const auto slots = reader->layout().slots();
  EXPECT_EQ(reader->take(slots, format).error(), "picture: slot 40");
  EXPECT_EQ(reader->take(0, {.width = 130, .height = 72}).error(), "picture 130x72");
  EXPECT_EQ(reader->take(0, {.width = 9000, .height = 20}).error(), "picture 9000x20");
  const auto held = reader->take(0, format);
  EXPECT_TRUE(held);  // the refused announcements hold nothing
  EXPECT_EQ(reader->take(0, format).error(), "picture: slot 0 is in use");
}

TEST_F(RingTest, TheDaemonIgnoresAllThatTheChildWritesIntoTheSharedPage) {
  auto* const page = ::mmap(nullptr, RingLayout::kPage, PROT_WRITE, MAP_SHARED, reader->fd(), 0);
  ASSERT_NE(page, MAP_FAILED);
  const auto held = pass(3);
  std::fill_n(static_cast<std::uint8_t*>(page), RingLayout::kPage, 0xff);
  EXPECT_FALSE(reader->take(0, held.format));
  ::munmap(page, RingLayout::kPage);
}

TEST_F(RingTest, NobodyChangesTheSizeOrTheSeals) {
  const auto size = static_cast<off_t>(reader->layout().size());
  EXPECT_EQ(::ftruncate(reader->fd(), size - 1), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::ftruncate(reader->fd(), size + 1), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::fcntl(reader->fd(), F_ADD_SEALS, F_SEAL_WRITE), -1);
  EXPECT_EQ(errno, EPERM);
}

TEST_F(RingTest, TheChildRefusesOtherMemory) {
  base::UniqueFd unsealed{::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  ASSERT_EQ(::ftruncate(unsealed.get(), static_cast<off_t>(reader->layout().size())), 0);
  EXPECT_THROW(RingWriter(std::move(unsealed), kLimits), std::runtime_error);
  EXPECT_THROW(RingWriter(base::UniqueFd{::dup(reader->fd())}, {}), std::runtime_error);
  EXPECT_THROW(writer->copy(picture(130, 72, 0)), std::length_error);
}

}  // namespace
}  // namespace transcoder::wire
