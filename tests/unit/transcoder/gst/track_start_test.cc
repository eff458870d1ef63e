#include <gst/gst.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <future>
#include <string>

#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/gst_input.h"
#include "transcoder/handle.h"

namespace transcoder::test {
namespace {

using ElementHandle = Handle<GstElement, gst_object_unref>;
using BusHandle = Handle<GstBus, gst_object_unref>;
using PadHandle = Handle<GstPad, gst_object_unref>;
using PipeHandle = Handle<FILE, pclose>;

/// Stops the thread that starts the elements when it has started the source, until decoded audio
/// has left the input.
struct Pause {
  std::promise<void> audio;
  std::future<void> arrived = audio.get_future();
  std::atomic<bool> told = false;  // see GstPipeline::Impl::of()

  static GstBusSyncReply on_message(GstBus*, GstMessage* message, gpointer data) {
    auto& pause = *static_cast<Pause*>(data);
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_STATE_CHANGED) {
      GstState state{};
      gst_message_parse_state_changed(message, nullptr, &state, nullptr);
      GstElement* const element = GST_ELEMENT(GST_MESSAGE_SRC(message));
      if (state == GST_STATE_PAUSED && is_a(element, "fdsrc")) {
        EXPECT_EQ(pause.arrived.wait_for(std::chrono::seconds{20}), std::future_status::ready)
            << "audio is not taken while the input starts";
      }
    }
    gst_message_unref(message);
    return GST_BUS_DROP;
  }

  static GstPadProbeReturn on_audio(GstPad*, GstPadProbeInfo*, gpointer data) {
    auto& pause = *static_cast<Pause*>(data);
    if (!pause.told.exchange(true)) pause.audio.set_value();
    return GST_PAD_PROBE_OK;
  }
};

TEST(TrackStartTest, DataMayComeBeforeAllElementsHaveStarted) {
  gst_init(nullptr, nullptr);
  const PipeHandle media{
      popen("ffmpeg -v error -f lavfi -i sine -t 0.4 -c:a mp2 -f mpegts - 2>/dev/null", "r")};
  SourceSettings settings;
  settings.uri = "fd://" + std::to_string(fileno(media.get()));
  Pause pause;
  pause.told.store(false, std::memory_order_release);
  const ElementHandle pipeline{GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr)))};
  const ElementHandle input{make_input(settings, std::make_shared<InputReport>())};
  gst_bin_add(GST_BIN(pipeline.get()), input.get());
  for (const char* const name : {"pictures", "audio"}) {
    GstElement* const sink = make_element("fakesink");
    g_object_set(sink, "async", FALSE, nullptr);
    gst_bin_add(GST_BIN(pipeline.get()), sink);
    gst_element_link_pads(input.get(), name, sink, "sink");
  }
  const PadHandle audio{gst_element_get_static_pad(input.get(), "audio")};
  gst_pad_add_probe(audio.get(), GST_PAD_PROBE_TYPE_BUFFER, Pause::on_audio, &pause, nullptr);
  gst_bus_set_sync_handler(BusHandle{gst_element_get_bus(pipeline.get())}.get(), Pause::on_message,
                           &pause, nullptr);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  EXPECT_EQ(pause.arrived.wait_for(std::chrono::seconds{20}), std::future_status::ready);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
}

}  // namespace
}  // namespace transcoder::test
