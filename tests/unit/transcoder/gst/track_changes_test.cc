#include <gst/gst.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <string>
#include <thread>
#include <utility>

#include "changing_stream.h"
#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/gst_input.h"
#include "transcoder/gst/gst_pipeline.h"
#include "transcoder/gst/track_input.h"
#include "transcoder/handle.h"

namespace transcoder::test {
namespace {

using ElementHandle = Handle<GstElement, gst_object_unref>;
using PadHandle = Handle<GstPad, gst_object_unref>;

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

/// Plays to the end, which is that of the pictures, and until there was `least_audio`: the audio's
/// decoder may be slower.
struct Played {
  Played(const std::string& uri, std::size_t least_audio) {
    GstPipeline pipeline{reading(uri), VideoSettings{}, std::make_shared<InputReport>(), [] {}};
    pipeline.play();
    const auto deadline = base::Clock::now() + std::chrono::minutes{2};
    while ((!pipeline.ended() || audio < least_audio) && pipeline.error().reason.empty() &&
           base::Clock::now() < deadline) {
      const auto frame = pipeline.take_frame();
      const auto samples = pipeline.take_audio();
      if (frame) note(frame->pts);
      if (samples) audio += samples->values.size();
      if (!frame && !samples) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    EXPECT_EQ(pipeline.error().reason, "");
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
  constexpr auto kLeastAudio = kPieces * kPieceSamples * 9 / 10;
  const Played played{writer.uri(), kLeastAudio};
  EXPECT_EQ(played.pictures, kPieces * kPicturesPerPiece);
  EXPECT_EQ(played.steps_back, 0) << "tracks follow each other";
  EXPECT_GE(played.audio, kLeastAudio);
  EXPECT_LE(played.late_threads, played.early_threads + kPieces / 5 * threads_of_a_track())
      << "each change brought two tracks, and some changes are under way at any time";
}

/// Fragmented MP4 with other codecs in each of its files, on the same pads of qtdemux.
Bytes changing_movie() {
  Bytes movie;
  for (const std::string codecs : {"-c:v libx264 -bf 0 -c:a aac", "-c:v mpeg4 -c:a libmp3lame",
                                   "-c:v libx264 -bf 0 -c:a aac"}) {
    const auto file = output_of(
        "ffmpeg -v error -f lavfi -i testsrc2=s=96x54:r=25:d=1 -f lavfi -i sine=r=48000:d=1 " +
        codecs +
        " -pix_fmt yuv420p -movflags empty_moov+default_base_moof+frag_keyframe+skip_trailer -f "
        "mp4 -");
    movie.insert(movie.end(), file.begin(), file.end());
  }
  return movie;
}

TEST(TrackChangesTest, CodecsThatChangeOnAPad) {
  gst_init(nullptr, nullptr);
  const PipeWriter writer{changing_movie()};
  constexpr auto kLeastAudio = std::size_t{3} * media::kAudioRate * media::kAudioChannels * 9 / 10;
  const Played played{writer.uri(), kLeastAudio};
  EXPECT_EQ(played.pictures, 75);
  EXPECT_EQ(played.steps_back, 0);
  EXPECT_GE(played.audio, kLeastAudio);
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

/// A pipeline whose sinks take all that an input decodes.
class Sink {
 public:
  explicit Sink(GstElement* input) : input_{input} {
    gst_bin_add(GST_BIN(pipeline_.get()), input);
    for (const char* const pad : {"pictures", "audio"}) {
      GstElement* const sink = make_element("fakesink");
      g_object_set(sink, "async", FALSE, nullptr);
      gst_bin_add(GST_BIN(pipeline_.get()), sink);
      gst_element_link_pads(input, pad, sink, "sink");
    }
    gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
  }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }

  /// Whether the input reached its end without an error.
  bool ended() const {
    const Handle<GstMessage, gst_message_unref> message{gst_bus_timed_pop_filtered(
        bus_.get(), 120 * GST_SECOND,
        static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR))};
    return message && GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_EOS;
  }

  /// The error that a part of the input reported; empty if none did.
  std::string error() const {
    const Handle<GstMessage, gst_message_unref> message{
        gst_bus_pop_filtered(bus_.get(), GST_MESSAGE_ERROR)};
    if (!message) return {};
    Handle<GError, g_error_free> error{nullptr};
    GError* raw = nullptr;
    gst_message_parse_error(message.get(), &raw, nullptr);
    error.reset(raw);
    return error->message;
  }

  Parts parts() const { return Parts{input_}; }

 private:
  const ElementHandle pipeline_{GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr)))};
  const Handle<GstBus, gst_object_unref> bus_{gst_element_get_bus(pipeline_.get())};
  GstElement* const input_;  ///< owned by the pipeline
};

TEST(TrackChangesTest, WhatEndedTracksHeldIsGivenBack) {
  gst_init(nullptr, nullptr);
  const auto parts_after = [](int pieces) {
    const PipeWriter writer{changing_stream(pieces)};
    const Sink sink{make_input(reading(writer.uri()), std::make_shared<InputReport>())};
    EXPECT_TRUE(sink.ended());
    return sink.parts();
  };
  const auto few = parts_after(4);
  const auto many = parts_after(100);
  // Those of the last tracks may be left, more of them on a busy machine.
  EXPECT_LE(many.elements, few.elements + 40);
  EXPECT_LE(many.pads, few.pads + 240);
}

/// A source with a new pad for each period, as of DASH.
class Periods {
 public:
  explicit Periods(Bytes period) : period_{std::move(period)} {
    gst_bin_add(GST_BIN(input_), source_);
    tracks_.add_element(source_);
  }

  GstElement* input() const { return input_; }

  /// Plays a period, and removes its pad.
  void play() {
    const PipeWriter writer{period_};
    GstElement* const reader =
        gst_element_make_from_uri(GST_URI_SRC, writer.uri().c_str(), nullptr, nullptr);
    gst_element_set_locked_state(reader, TRUE);  // the bin may be on its way to another state
    gst_bin_add(GST_BIN(source_), reader);
    const PadHandle inner{gst_element_get_static_pad(reader, "src")};
    std::promise<void> end;
    gst_pad_add_probe(inner.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_event, &end, nullptr);
    GstPad* const outer = gst_ghost_pad_new(nullptr, inner.get());
    gst_pad_set_active(outer, TRUE);
    gst_element_add_pad(source_, outer);
    gst_element_set_locked_state(reader, FALSE);
    gst_element_sync_state_with_parent(reader);
    EXPECT_EQ(end.get_future().wait_for(std::chrono::seconds{60}), std::future_status::ready);
    remove_element(reader);  // waits until the end has passed
    gst_element_remove_pad(source_, outer);
  }

 private:
  static GstPadProbeReturn on_event(GstPad*, GstPadProbeInfo* info, gpointer data) {
    if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) != GST_EVENT_EOS) return GST_PAD_PROBE_OK;
    static_cast<std::promise<void>*>(data)->set_value();
    return GST_PAD_PROBE_REMOVE;
  }

  const Bytes period_;
  GstElement* const input_ = gst_bin_new(nullptr);
  GstElement* const source_ = gst_bin_new(nullptr);  ///< owned by the input
  TrackInput tracks_{input_, SourceSettings{}, std::make_shared<InputReport>()};
};

class PeriodsTest : public testing::TestWithParam<const char*> {};

TEST_P(PeriodsTest, GiveBackWhatTheyHeld) {
  gst_init(nullptr, nullptr);
  const auto media = output_of(std::string{"ffmpeg -v error "} + GetParam());
  ASSERT_FALSE(media.empty());
  Periods periods{media};
  const Sink sink{periods.input()};
  for (int i = 0; i < 4; ++i) periods.play();
  const auto few = sink.parts();
  for (int i = 0; i < 80; ++i) periods.play();
  EXPECT_EQ(sink.error(), "");
  EXPECT_LE(sink.parts().elements, few.elements + 20);
  EXPECT_LE(sink.parts().pads, few.pads + 40);
}

constexpr const char* kPeriods[] = {
    // subtitles alone, which are not decoded
    "-f srt -i data:,1%0A00:00:00,000%20--%3E%2000:00:00,100%0Ax%0A -c:s mov_text -f mp4"
    " -movflags empty_moov+default_base_moof -",
    // audio without a container
    "-f lavfi -i sine=d=0.1 -c:a aac -f adts -",
    // the same after a tag, which is taken off like a container
    "-f lavfi -i sine=d=0.1 -c:a aac -metadata title=x -write_id3v2 1 -f adts -",
    // one that is decoded
    "-f lavfi -i sine=d=0.1 -c:a aac -f mp4 -movflags empty_moov+default_base_moof -",
};

INSTANTIATE_TEST_SUITE_P(Of, PeriodsTest, testing::ValuesIn(kPeriods));

}  // namespace
}  // namespace transcoder::test
