#include <gst/gst.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "changing_stream.h"
#include "transcoder/gst/gst_input.h"
#include "transcoder/gst/gst_pipeline.h"
#include "transcoder/gst/handle.h"

namespace transcoder::test {
namespace {

using ElementHandle = Handle<GstElement, gst_object_unref>;

constexpr int kPieces = 200;
constexpr std::size_t kPieceSamples =
    media::kAudioRate * media::kAudioChannels * kPiece / std::chrono::seconds{1};

SourceSettings reading(const std::string& uri) {
  SourceSettings settings;
  settings.uri = uri;
  return settings;
}

/// Threads of this process.
std::ptrdiff_t threads() {
  return std::distance(std::filesystem::directory_iterator{"/proc/self/task"}, {});
}

/// Plays to the end.
struct Played {
  explicit Played(const std::string& uri) {
    GstPipeline pipeline{reading(uri), VideoSettings{}, std::make_shared<InputReport>(), [] {}};
    pipeline.play();
    const auto deadline = base::Clock::now() + std::chrono::minutes{2};
    while (!pipeline.ended() && pipeline.error().empty() && base::Clock::now() < deadline) {
      const auto frame = pipeline.take_frame();
      const auto samples = pipeline.take_audio();
      if (frame) note(frame->pts);
      if (samples) audio += samples->values.size();
      if (!frame && !samples) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    EXPECT_EQ(pipeline.error(), "");
    EXPECT_TRUE(pipeline.ended());
  }

  void note(base::Duration time) {
    if (time < last_time) ++steps_back;
    last_time = time;
    ++pictures;
    if (pictures == 4 * kPicturesPerPiece) early_threads = threads();
    late_threads = threads();
  }

  int pictures = 0;
  int steps_back = 0;
  std::size_t audio = 0;
  base::Duration last_time{};
  std::ptrdiff_t early_threads = 0;  ///< after the third change
  std::ptrdiff_t late_threads = 0;
};

/// One of a queue, and those of a decoder.
std::ptrdiff_t threads_of_a_track() {
  return 2 + static_cast<std::ptrdiff_t>(std::thread::hardware_concurrency());
}

TEST(TrackChangesTest, TracksThatComeAndGo) {
  gst_init(nullptr, nullptr);
  const PipeWriter writer{changing_stream(kPieces)};
  const Played played{writer.uri()};
  EXPECT_EQ(played.pictures, kPieces * kPicturesPerPiece);
  EXPECT_EQ(played.steps_back, 0) << "tracks follow each other";
  EXPECT_GT(played.audio, kPieces * kPieceSamples * 9 / 10);
  EXPECT_LE(played.late_threads, played.early_threads + 6 * threads_of_a_track())
      << "some changes are under way at any time";
}

/// The elements in a bin, and their pads.
struct Parts {
  explicit Parts(GstElement* bin) {
    for (const GList* e = GST_BIN_CHILDREN(bin); e != nullptr; e = e->next) {
      ++elements;
      pads += GST_ELEMENT(e->data)->numpads;
    }
  }

  int elements = 0;
  int pads = 0;
};

TEST(TrackChangesTest, WhatEndedTracksHeldIsGivenBack) {
  gst_init(nullptr, nullptr);
  const auto parts_after = [](int pieces) {
    const PipeWriter writer{changing_stream(pieces)};
    const ElementHandle pipeline{GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr)))};
    GstElement* const input = make_input(reading(writer.uri()), std::make_shared<InputReport>());
    gst_bin_add(GST_BIN(pipeline.get()), input);
    for (const char* const pad : {"pictures", "audio"}) {
      GstElement* const sink = gst_element_factory_make("fakesink", nullptr);
      g_object_set(sink, "async", FALSE, nullptr);
      gst_bin_add(GST_BIN(pipeline.get()), sink);
      gst_element_link_pads(input, pad, sink, "sink");
    }
    const Handle<GstBus, gst_object_unref> bus{gst_element_get_bus(pipeline.get())};
    gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
    const Handle<GstMessage, gst_message_unref> end{gst_bus_timed_pop_filtered(
        bus.get(), 120 * GST_SECOND,
        static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR))};
    EXPECT_TRUE(end && GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_EOS);
    const Parts result{input};
    gst_element_set_state(pipeline.get(), GST_STATE_NULL);
    gst_object_unref(input);
    return result;
  };
  const auto few = parts_after(4);
  const auto many = parts_after(100);
  EXPECT_LE(many.elements, few.elements + 4) << "decoders of tracks that nothing followed";
  EXPECT_LE(many.pads, few.pads + 24);
}

}  // namespace
}  // namespace transcoder::test
