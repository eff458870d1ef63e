#include <gst/gst.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "../ingest/ffmpeg_process.h"
#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/gst_input.h"
#include "transcoder/handle.h"

namespace transcoder::test {
namespace {

using namespace std::chrono_literals;

using ElementHandle = Handle<GstElement, gst_object_unref>;
using PadHandle = Handle<GstPad, gst_object_unref>;

/// Takes the data of the input's pad `from`.
GstElement* add_sink(const ElementHandle& pipeline, const ElementHandle& input, const char* from) {
  GstElement* const sink = make_element("fakesink");
  g_object_set(sink, "async", FALSE, nullptr);
  gst_bin_add(GST_BIN(pipeline.get()), sink);
  gst_element_link_pads(input.get(), from, sink, "sink");
  return sink;
}

/// A file that is played from its start again while its first audio decoder is being set up.
class Interruption {
 public:
  explicit Interruption(const std::string& file) {
    SourceSettings settings;
    settings.uri = "file:" + file;
    input_.reset(make_input(settings, std::make_shared<InputReport>()));
    g_signal_connect(input_.get(), "deep-element-added", G_CALLBACK(on_element), this);
    gst_bin_add(GST_BIN(pipeline_.get()), input_.get());
    pictures_ = add_sink(pipeline_, input_, "pictures");
    add_sink(pipeline_, input_, "audio");
    watch("pictures", on_pictures);
    watch("audio", on_audio);
  }
  ~Interruption() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Plays to the end; returns the audio that came after the seek.
  base::Duration play() {
    gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
    EXPECT_EQ(set_up_.get_future().wait_for(20s), std::future_status::ready);
    EXPECT_EQ(picture_.get_future().wait_for(20s), std::future_status::ready);
    EXPECT_TRUE(gst_element_send_event(
        pictures_, gst_event_new_seek(1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
                                      GST_SEEK_TYPE_NONE, -1)));
    EXPECT_EQ(end_.get_future().wait_for(20s), std::future_status::ready);
    return base::Duration{static_cast<base::Duration::rep>(heard_.load())};
  }

 private:
  static Interruption& of(gpointer data) { return *static_cast<Interruption*>(data); }

  void watch(const char* name, GstPadProbeCallback callback) {
    const PadHandle pad{gst_element_get_static_pad(input_.get(), name)};
    gst_pad_add_probe(pad.get(),
                      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER |
                                                   GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
                      callback, this, nullptr);
  }

  static void on_element(GstBin*, GstBin*, GstElement* element, gpointer data) {
    if (!is_a(element, "avdec_alac") || of(data).met_.exchange(true)) return;
    const PadHandle sink{gst_element_get_static_pad(element, "sink")};
    gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_set_up, data, nullptr);
  }

  /// Runs before the decodebin tells its first decoder of the format: waits for the flush.
  static GstPadProbeReturn on_set_up(GstPad* pad, GstPadProbeInfo*, gpointer data) {
    of(data).set_up_.set_value();
    const auto deadline = base::Clock::now() + 20s;
    while (!GST_PAD_IS_FLUSHING(pad) && base::Clock::now() < deadline) {
      std::this_thread::sleep_for(1ms);
    }
    return GST_PAD_PROBE_REMOVE;
  }

  static GstPadProbeReturn on_pictures(GstPad*, GstPadProbeInfo* info, gpointer data) {
    auto& self = of(data);
    const bool picture = (info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0;
    if (picture && !self.seen_.exchange(true)) self.picture_.set_value();
    return GST_PAD_PROBE_OK;
  }

  static GstPadProbeReturn on_audio(GstPad*, GstPadProbeInfo* info, gpointer data) {
    auto& self = of(data);
    if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
      self.heard_ += GST_BUFFER_DURATION(GST_PAD_PROBE_INFO_BUFFER(info));
    } else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS &&
               !self.ended_.exchange(true)) {
      self.end_.set_value();
    }
    return GST_PAD_PROBE_OK;
  }

  const ElementHandle pipeline_{GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr)))};
  ElementHandle input_;
  GstElement* pictures_ = nullptr;
  std::promise<void> set_up_;
  std::promise<void> picture_;
  std::promise<void> end_;
  std::atomic<bool> met_ = false;
  std::atomic<bool> seen_ = false;
  std::atomic<bool> ended_ = false;
  std::atomic<std::uint64_t> heard_ = 0;  ///< ns
};

/// GStreamer takes the flush for a failure of the decoder, and tries another one.
TEST(TrackFlushTest, NoAudioIsLostIfAFileBeginsAgainBeforeItsDecoderIsSetUp) {
  gst_init(nullptr, nullptr);
  const TemporaryDirectory directory;
  const std::string file = directory / "short.mov";
  ASSERT_TRUE(FfmpegProcess({"-f", "lavfi", "-i", "testsrc2=size=64x64:rate=25:duration=0.4", "-f",
                             "lavfi", "-i", "sine=duration=0.4", "-c:v", "libx264", "-preset",
                             "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "alac", file})
                  .wait());
  Interruption interruption{file};
  EXPECT_GE(interruption.play(), 390ms);
}

/// To a bin of GStreamer, an error of an element is a failed state change.
TEST(TrackStartTest, AudioThatFailsMeanwhileDoesNotKeepThePipelineFromPlaying) {
  gst_init(nullptr, nullptr);
  SourceSettings settings;
  settings.uri =
      "gst:videotestsrc num-buffers=1 ! queue"
      "  audiotestsrc num-buffers=1 ! capssetter join=false replace=true"
      " caps=audio/x-unheard-of,rate=48000,channels=2 ! queue";
  const auto report = std::make_shared<InputReport>();
  const ElementHandle pipeline{GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr)))};
  const ElementHandle input{make_input(settings, report)};
  gst_bin_add(GST_BIN(pipeline.get()), input.get());
  add_sink(pipeline, input, "pictures");  // a source whose pictures nobody takes fails
  gst_element_set_state(pipeline.get(), GST_STATE_PAUSED);
  const auto deadline = base::Clock::now() + 20s;
  while (report->report(base::Clock::now()).troubles.empty() && base::Clock::now() < deadline) {
    std::this_thread::sleep_for(1ms);
  }
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  EXPECT_EQ(gst_element_get_state(pipeline.get(), nullptr, nullptr, 20 * GST_SECOND),
            GST_STATE_CHANGE_SUCCESS);
  EXPECT_EQ(GST_STATE(input.get()), GST_STATE_PLAYING);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
}

/// Holds the thread that has found a container until the pipeline has been started.
struct Holder {
  std::promise<void> started;
  std::future<void> has_started = started.get_future();
  std::promise<void> added;

  static void on_element(GstBin*, GstBin*, GstElement* element, gpointer data) {
    if (!is_a(element, "qtdemux")) return;
    const PadHandle sink{gst_element_get_static_pad(element, "sink")};
    g_signal_connect(sink.get(), "linked", G_CALLBACK(on_link), data);
  }

  static void on_link(GstPad*, GstPad*, gpointer data) {
    auto& holder = *static_cast<Holder*>(data);
    holder.added.set_value();
    EXPECT_EQ(holder.has_started.wait_for(std::chrono::seconds{20}), std::future_status::ready)
        << "the pipeline waits for the thread that waits for the pipeline";
  }
};

TEST(TrackStartTest, ThePipelineStartsWhileAContainerIsFound) {
  gst_init(nullptr, nullptr);
  const TemporaryDirectory directory;
  const std::string file = directory / "short.mp4";
  ASSERT_TRUE(
      FfmpegProcess({"-f", "lavfi", "-i", "sine=duration=0.4", "-c:a", "aac", file}).wait());
  SourceSettings settings;
  settings.uri = "file:" + file;
  const ElementHandle pipeline{GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr)))};
  const ElementHandle input{make_input(settings, std::make_shared<InputReport>())};
  Holder holder;
  g_signal_connect(input.get(), "deep-element-added", G_CALLBACK(Holder::on_element), &holder);
  gst_bin_add(GST_BIN(pipeline.get()), input.get());
  gst_element_set_state(pipeline.get(), GST_STATE_PAUSED);
  EXPECT_EQ(holder.added.get_future().wait_for(std::chrono::seconds{20}),
            std::future_status::ready);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  holder.started.set_value();
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
}

}  // namespace
}  // namespace transcoder::test
