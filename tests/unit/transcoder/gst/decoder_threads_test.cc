#include "transcoder/gst/decoder_threads.h"

#include <gst/gst.h>
#include <gtest/gtest.h>

#include "base/cpus.h"

namespace transcoder {
namespace {

constexpr base::ByteCount kMemory{512 << 20};
constexpr base::ByteCount kLots{std::int64_t{16} << 30};

constexpr base::ByteCount picture(int width, int height, int bytes = 1) {
  return base::ByteCount{std::int64_t{width} * height * 3 / 2 * bytes};
}

TEST(DecoderThreadsTest, AreAsManyAsTheMemoryHasRoomFor) {
  EXPECT_EQ(decoder_threads(picture(1920, 1080), kMemory, 8), 8);
  EXPECT_EQ(decoder_threads(picture(3840, 2160), kMemory, 8), 5);
  EXPECT_EQ(decoder_threads(picture(3840, 2160, 2), kMemory, 8), 1) << "10 bits";
  EXPECT_EQ(decoder_threads(picture(3840, 2160, 2), base::ByteCount{1 << 30}, 8), 6);
  EXPECT_EQ(decoder_threads(picture(8192, 4320), kMemory, 8), 1);
}

TEST(DecoderThreadsTest, AreAtLeastOneAndAtMostSixteen) {
  EXPECT_EQ(decoder_threads(picture(65535, 65535, 2), kMemory, 8), 1);
  EXPECT_EQ(decoder_threads(picture(1920, 1080), base::ByteCount{64 << 20}, 8), 1);
  EXPECT_EQ(decoder_threads(picture(640, 360), kMemory, 1), 1);
  EXPECT_EQ(decoder_threads(picture(640, 360), kLots, 64), 16);
  EXPECT_EQ(decoder_threads({}, kMemory, 64), 16) << "the size is not known";
}

/// max-threads of a decoder that has this memory and gets these caps.
int threads_of(base::ByteCount memory, const char* caps) {
  gst_init(nullptr, nullptr);
  GstElement* const decoder = gst_element_factory_make("avdec_h264", nullptr);
  limit_threads(decoder, memory);
  gst_element_set_state(decoder, GST_STATE_PAUSED);
  GstPad* const sink = gst_element_get_static_pad(decoder, "sink");
  gst_pad_send_event(sink, gst_event_new_stream_start("test"));
  GstCaps* const format = gst_caps_from_string(caps);
  gst_pad_send_event(sink, gst_event_new_caps(format));
  gint threads = -1;
  g_object_get(decoder, "max-threads", &threads, nullptr);
  gst_element_set_state(decoder, GST_STATE_NULL);
  gst_caps_unref(format);
  gst_object_unref(sink);
  gst_object_unref(decoder);
  return threads;
}

TEST(DecoderThreadsTest, AreSetOnceTheFormatIsKnown) {
  constexpr const char* kFormat =
      "video/x-h264,stream-format=byte-stream,alignment=au,width=3840,height=2160,"
      "bit-depth-luma=(uint)10,chroma-format=4:2:2";
  // One would need 128 MB, and room for 16 pictures of 33 MB.
  EXPECT_EQ(threads_of(kMemory, kFormat), 1);
  EXPECT_EQ(threads_of(kLots, kFormat), std::min(base::cpu_threads(), 16));
  EXPECT_EQ(threads_of(base::ByteCount{(128 << 20) + 20 * std::int64_t{3840} * 2160 * 4}, kFormat),
            std::min(base::cpu_threads(), 2));
}

}  // namespace
}  // namespace transcoder
