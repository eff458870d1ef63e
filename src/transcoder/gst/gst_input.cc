#include "transcoder/gst/gst_input.h"

#include <fmt/format.h>
#include <gio/gio.h>
#include <gst/gst.h>

#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transcoder/gst/datagram_gate.h"
#include "transcoder/gst/demuxer.h"
#include "transcoder/gst/file_end.h"
#include "transcoder/gst/first_boundary.h"
#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/gst_error.h"
#include "transcoder/gst/gst_handles.h"
#include "transcoder/gst/http_source.h"
#include "transcoder/gst/input_times.h"
#include "transcoder/gst/open_movie.h"
#include "transcoder/gst/rtp_tracks.h"
#include "transcoder/gst/srt_listener.h"
#include "transcoder/gst/track_input.h"
#include "transcoder/gst/ts_filter.h"
#include "transcoder/handle.h"
#include "transcoder/secrets.h"
#include "transcoder/uri/source_file.h"
#include "transcoder/uri/source_uri.h"

namespace transcoder {

namespace {

using ErrorHandle = Handle<GError, g_error_free>;

constexpr std::string_view kLaunchScheme = "gst:";

/// Receive buffer in the kernel: room for a keyframe that arrives in one burst, 1 s of 8 Mbit/s.
constexpr int kUdpBufferBytes = 1 << 20;

/// How often srtsrc checks whether it was stopped. Its default is to check only when a packet
/// arrives.
constexpr int kSrtPollMs = 100;

/// GStreamer's srtsink leaves out what is marked as a header, and its mpegtsmux marks each keyframe
/// unless it sends several packets at a time.
constexpr auto kSrtSinkHint = "if GStreamer sends it, mpegtsmux before srtsink needs alignment=7";

/// How far apart muxers may put the audio and pictures of one moment. The queue's limit of 10 MB
/// stays in force.
constexpr guint64 kMaxQueueTime = 5 * GST_SECOND;

/// The URI as GStreamer takes it.
std::string readable_uri(const std::string& given) {
  if (is_file(given)) return file_uri(given);
  if (expects_rtmp_publisher(given)) throw std::runtime_error{std::string{kInsteadOfRtmp}};
  auto uri = datagram_uri(given).value_or(complete_srt_uri(given));
  const Handle<gchar, g_free> protocol{gst_uri_get_protocol(uri.c_str())};
  if (!protocol || !gst_uri_protocol_is_supported(GST_URI_SRC, protocol.get())) {
    throw std::runtime_error{
        fmt::format("GStreamer cannot read '{}:' sources; check the scheme, or install "
                    "gstreamer1.0-plugins-bad",
                    uri.substr(0, uri.find(':')))};
  }
  return uri;
}

struct Tuning {
  std::string source;  ///< its name in the log
  int latency_ms;
  bool latency_in_uri;
  int program;
  bool datagrams;  ///< comes_in_datagrams()
  std::shared_ptr<InputReport> report;
  std::shared_ptr<PlayStart> start;  ///< of RTSP
};

/// Called for each element that is added to the input, at any depth, before the element starts.
void tune(GstBin*, GstBin*, GstElement* element, gpointer data) {
  const auto* const tuning = static_cast<const Tuning*>(data);
  if (is_a(element, "udpsrc")) {
    g_object_set(element, "buffer-size", kUdpBufferBytes, nullptr);
    if (tuning->datagrams) add_datagram_gate(element, tuning->report);
  }
  if (is_a(element, "avdec_gif")) keep_input_times(element);
  if (is_a(element, "qtdemux")) open_movie(element);
  if (is_a(element, "filesrc")) end_file(element);
  if (is_http_source(element)) add_first_boundary(element);
  if (is_a(element, "srtsrc")) {
    g_object_set(element, "poll-timeout", kSrtPollMs, nullptr);
    tuning->report->suspect_of_keyframes(kSrtSinkHint);
    add_datagram_gate(element, tuning->report);
    admit_one_publisher(element, tuning->source);
  }
  if (is_a(element, "tsdemux")) {
    add_ts_filter(element, tuning->program, tuning->report);
    if (tuning->datagrams) keep_stream_times(element);
  }
  if (is_a(element, "rtpjitterbuffer")) keep_in_time(element, tuning->start);
  // For cameras with motion JPEG: otherwise decoding waits for 2 MB of it, in case audio follows.
  if (is_a(element, "multipartdemux")) g_object_set(element, "single-stream", TRUE, nullptr);
  if (tuning->latency_in_uri) return;
  if (is_a(element, "rtspsrc") || is_a(element, "rtpjitterbuffer") || is_a(element, "srtsrc")) {
    g_object_set(element, "latency", tuning->latency_ms, nullptr);
  }
}

template <typename T>
void free_data(gpointer data, GClosure*) {
  delete static_cast<T*>(data);
}

/// Creates the first element of each scheme here, under a mutex, and throws it away. The first
/// element of a kind sets up its class, and GLib 2.74 can deadlock if two threads do that at once
/// for classes that use GIO (srtsrc and souphttpsrc: each waits for a lock that the other holds,
/// and every later element waits for both).
void set_up_class(const std::string& uri) {
  static std::mutex mutex;
  static std::set<std::string> done;  // GUARDED_BY(mutex); schemes
  std::lock_guard lock{mutex};
  if (!done.insert(uri.substr(0, uri.find(':'))).second) return;
  for (const GType type : {G_TYPE_SOCKET, G_TYPE_SOCKET_ADDRESS, G_TYPE_INET_SOCKET_ADDRESS,
                           G_TYPE_SOCKET_CLIENT, G_TYPE_TLS_CONNECTION}) {
    g_type_class_unref(g_type_class_ref(type));
  }
  const ElementHandle element{
      gst_element_make_from_uri(GST_URI_SRC, uri.c_str(), nullptr, nullptr)};
  if (element) gst_object_ref_sink(element.get());
}

/// Lets the bin own its TrackInput.
TrackInput& add_tracks(GstElement* bin, const SourceSettings& source,
                       const std::shared_ptr<InputReport>& report) {
  auto* const tracks = new TrackInput{bin, source, report};
  g_object_set_data_full(G_OBJECT(bin), "symcast-tracks", tracks,
                         [](gpointer data) { delete static_cast<TrackInput*>(data); });
  return *tracks;
}

ElementHandle make_uri_input(const SourceSettings& source,
                             const std::shared_ptr<InputReport>& report) {
  const auto uri = readable_uri(source.uri);
  set_up_class(uri);
  auto input = own(gst_bin_new(nullptr));
  const auto latency = std::chrono::duration_cast<std::chrono::milliseconds>(source.latency);
  g_signal_connect_data(input.get(), "deep-element-added", G_CALLBACK(tune),
                        new Tuning{without_secrets(source.uri), static_cast<int>(latency.count()),
                                   query_value(uri, "latency").has_value(), source.program,
                                   comes_in_datagrams(uri), report, std::make_shared<PlayStart>()},
                        free_data<Tuning>, GConnectFlags{});
  GError* problem = nullptr;
  GstElement* const reader = gst_element_make_from_uri(GST_URI_SRC, uri.c_str(), nullptr, &problem);
  const ErrorHandle error{problem};
  if (reader == nullptr) {
    const bool rtmp = uri.starts_with("rtmp");
    throw std::runtime_error{
        fmt::format("GStreamer cannot read this address: {}{}",
                    error ? one_line(error->message) : std::string{"no reason given"},
                    rtmp ? "; write rtmp://HOST/APPLICATION/STREAM" : "")};
  }
  auto& tracks = add_tracks(input.get(), source, report);
  gst_bin_add(GST_BIN(input.get()), reader);
  tracks.add_element(reader);
  return input;
}

/// Adds a queue after `pad`, and takes the tracks that follow. Without the queue, one track that
/// waits to be taken would block the demuxer for the other. Throws std::runtime_error if an element
/// is not installed.
void take(GstBin* bin, TrackInput& tracks, GstPad* pad) {
  GstElement* const queue = make_element("queue");
  g_object_set(queue, "max-size-buffers", 0, "max-size-time", kMaxQueueTime, nullptr);
  gst_bin_add(bin, queue);
  gst_pad_link(pad, PadHandle{gst_element_get_static_pad(queue, "sink")}.get());
  tracks.add_pad(PadHandle{gst_element_get_static_pad(queue, "src")}.get());
  gst_element_sync_state_with_parent(queue);
}

/// Runs on one of GStreamer's threads.
void on_late_pad(GstElement* element, GstPad* pad, gpointer tracks) {
  if (!GST_PAD_IS_SRC(pad) || gst_pad_is_linked(pad)) return;
  GstObject* const bin = GST_OBJECT_PARENT(element);
  try {
    take(GST_BIN(bin), *static_cast<TrackInput*>(tracks), pad);
  } catch (const std::runtime_error& error) {
    GST_ELEMENT_ERROR(bin, CORE, MISSING_PLUGIN, ("%s", error.what()), (nullptr));
  }
}

/// The unlinked source pads of the elements directly in a bin.
std::vector<PadHandle> open_pads(GstBin* bin) {
  std::vector<PadHandle> result;
  for (const GList* e = GST_BIN_CHILDREN(bin); e != nullptr; e = e->next) {
    for (auto& pad : open_source_pads(GST_ELEMENT(e->data))) result.push_back(std::move(pad));
  }
  return result;
}

ElementHandle make_launch_input(const std::string& text, const SourceSettings& source,
                                const std::shared_ptr<InputReport>& report) {
  GError* problem = nullptr;
  GstElement* const made = gst_parse_bin_from_description(text.c_str(), FALSE, &problem);
  const ErrorHandle error{problem};
  ElementHandle input = made != nullptr ? own(made) : nullptr;
  if (error || !input) {
    throw std::runtime_error{
        fmt::format("launch text: {}; try it with gst-launch-1.0",
                    error ? one_line(error->message) : std::string{"not understood"})};
  }
  GstBin* const bin = GST_BIN(input.get());
  const auto pads = open_pads(bin);
  std::vector<GstElement*> elements;
  for (const GList* e = GST_BIN_CHILDREN(bin); e != nullptr; e = e->next) {
    elements.push_back(GST_ELEMENT(e->data));
  }
  auto& tracks = add_tracks(input.get(), source, report);
  for (GstElement* const element : elements) {
    g_signal_connect(element, "pad-added", G_CALLBACK(on_late_pad), &tracks);
  }
  for (const auto& pad : pads) take(bin, tracks, pad.get());
  return input;
}

}  // namespace

GstElement* make_input(const SourceSettings& source, const std::shared_ptr<InputReport>& report) {
  if (source.uri.starts_with(kLaunchScheme)) {
    return make_launch_input(source.uri.substr(kLaunchScheme.size()), source, report).release();
  }
  return make_uri_input(source, report).release();
}

}  // namespace transcoder
