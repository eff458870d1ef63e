#include "transcoder/gst/gst_branch.h"

#include <fmt/format.h>
#include <gst/audio/audio.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <stdexcept>
#include <string>

#include "media/frame.h"
#include "transcoder/gst/gst_handles.h"
#include "transcoder/gst/gst_sample.h"
#include "transcoder/handle.h"
#include "transcoder/picture/picture_size.h"

namespace transcoder {

namespace {

using ErrorHandle = Handle<GError, g_error_free>;

// Values of deinterlace's property "fields"; see choose_fields().
constexpr int kAllFields = 0;
constexpr int kTopFields = 1;

GstElement* parse_bin(const std::string& text) {
  GError* problem = nullptr;
  GstElement* const bin = gst_parse_bin_from_description(text.c_str(), TRUE, &problem);
  const ErrorHandle error{problem};
  if (error) {
    if (bin != nullptr) gst_object_unref(bin);
    throw std::runtime_error{fmt::format(
        "GStreamer: {}; install gstreamer1.0-plugins-base and gstreamer1.0-plugins-good",
        error->message)};
  }
  return bin;
}

ElementHandle child(GstElement* bin, const char* name) {
  return ElementHandle{gst_bin_get_by_name(GST_BIN(bin), name)};
}

PadHandle sink_pad(GstElement* bin, const char* name) {
  return PadHandle{gst_element_get_static_pad(child(bin, name).get(), "sink")};
}

/// Sets the caps after the scaler: to a size only if the picture exceeds the limits.
void choose_size(GstElement* bin, const GstVideoInfo& info, const VideoSettings& settings) {
  const PictureSize source{GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info)};
  const auto size = fit_picture(source, settings);
  const auto limits = limits_for(source, settings);
  const bool scale = source.width > limits.max_width || source.height > limits.max_height;
  const CapsHandle caps{gst_caps_new_empty_simple("video/x-raw")};
  if (scale) {
    gst_caps_set_simple(caps.get(), "width", G_TYPE_INT, size.width, "height", G_TYPE_INT,
                        size.height, "pixel-aspect-ratio", GST_TYPE_FRACTION,
                        GST_VIDEO_INFO_PAR_N(&info), GST_VIDEO_INFO_PAR_D(&info), nullptr);
  }
  g_object_set(child(bin, "size").get(), "caps", caps.get(), nullptr);
}

/// Chooses one picture per field (twice the rate) or per frame. Twice the rate is smooth if the
/// limit allows it, but uneven if every second or third picture would be dropped again.
void choose_fields(GstElement* bin, const GstVideoInfo& info, const VideoSettings& limits) {
  const int fps_d = GST_VIDEO_INFO_FPS_D(&info);
  const double rate = fps_d > 0 ? static_cast<double>(GST_VIDEO_INFO_FPS_N(&info)) / fps_d : 0;
  const bool all = rate > 0 && 2 * rate <= limits.max_frame_rate;
  g_object_set(child(bin, "deinterlace").get(), "fields", all ? kAllFields : kTopFields, nullptr);
}

/// Keeps 10 bits of wide colours, which as_frame() converts to BT.709. GStreamer 1.22 cannot: its
/// videoconvert has no tone mapping.
void choose_depth(GstElement* bin, const GstVideoInfo& info) {
  const char* const format = is_wide_colour(as_colour(info)) ? "I420_10LE" : "I420";
  const CapsHandle caps{
      gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, format, nullptr)};
  g_object_set(child(bin, "depth").get(), "caps", caps.get(), nullptr);
}

/// The caps with their colorimetry made explicit. GStreamer guesses a missing one from the height,
/// so it must be settled before the picture is scaled.
GstEvent* with_colours(GstCaps* caps, const GstVideoInfo& info) {
  const Handle<gchar, g_free> colours{gst_video_colorimetry_to_string(&info.colorimetry)};
  const CapsHandle settled{gst_caps_copy(caps)};
  if (colours) {
    gst_caps_set_simple(settled.get(), "colorimetry", G_TYPE_STRING, colours.get(), nullptr);
  }
  return gst_event_new_caps(settled.get());
}

struct Probe {
  GstElement* bin;
  VideoSettings limits;
};

/// The format that a probe's event announces, and owns; nullptr if it announces none.
GstCaps* caps_in(GstPadProbeInfo* info) {
  GstEvent* const event = GST_PAD_PROBE_INFO_EVENT(info);
  GstCaps* caps = nullptr;
  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) gst_event_parse_caps(event, &caps);
  return caps;
}

/// Runs before the first upright picture of each new size.
GstPadProbeReturn on_upright_event(GstPad*, GstPadProbeInfo* info, gpointer data) {
  GstCaps* const caps = caps_in(info);
  GstVideoInfo video;
  const auto* const probe = static_cast<const Probe*>(data);
  if (caps != nullptr && gst_video_info_from_caps(&video, caps))
    choose_size(probe->bin, video, probe->limits);
  return GST_PAD_PROBE_OK;
}

/// Runs before the first picture of each new format.
GstPadProbeReturn on_branch_event(GstPad*, GstPadProbeInfo* info, gpointer data) {
  GstCaps* const caps = caps_in(info);
  GstVideoInfo video;
  if (caps == nullptr || !gst_video_info_from_caps(&video, caps)) return GST_PAD_PROBE_OK;
  const auto* const probe = static_cast<const Probe*>(data);
  choose_depth(probe->bin, video);
  choose_fields(probe->bin, video, probe->limits);
  GstEvent* const event = GST_PAD_PROBE_INFO_EVENT(info);
  GST_PAD_PROBE_INFO_DATA(info) = with_colours(caps, video);
  gst_event_unref(event);
  return GST_PAD_PROBE_OK;
}

/// Announces that we read the strides of each picture. appsink does not announce it, and decoders
/// would then copy every picture into packed rows.
GstPadProbeReturn on_query(GstPad*, GstPadProbeInfo* info, gpointer) {
  GstQuery* const query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION) return GST_PAD_PROBE_OK;
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  return GST_PAD_PROBE_HANDLED;
}

/// A matrix for audioconvert: the first two of `channels` become left and right. An empty one
/// leaves the choice to audioconvert.
void set_mix(GstElement* convert, int channels) {
  GValue matrix = G_VALUE_INIT;
  g_value_init(&matrix, GST_TYPE_ARRAY);
  for (int out = 0; channels > 0 && out < media::kAudioChannels; ++out) {
    GValue row = G_VALUE_INIT;
    g_value_init(&row, GST_TYPE_ARRAY);
    for (int in = 0; in < channels; ++in) {
      GValue factor = G_VALUE_INIT;
      g_value_init(&factor, G_TYPE_FLOAT);
      g_value_set_float(&factor, in == out ? 1.F : 0.F);
      gst_value_array_append_and_take_value(&row, &factor);
    }
    gst_value_array_append_and_take_value(&matrix, &row);
  }
  g_object_set_property(G_OBJECT(convert), "mix-matrix", &matrix);
  g_value_unset(&matrix);
}

/// GStreamer's mixer crashes with a matrix for more (1.22).
constexpr int kMaxMixedChannels = 63;

/// Whether the channels are mixed by a matrix of ours, if they have no positions.
bool is_mixed(int channels) {
  return channels > media::kAudioChannels && channels <= kMaxMixedChannels;
}

/// The format with a word on the positions of its channels, if it has none: that they have no
/// positions. wavparse says nothing of more than eight, and nothing takes such a format.
CapsHandle with_positions(GstCaps* caps) {
  const GstStructure* const format = gst_caps_get_structure(caps, 0);
  int channels = 0;
  const bool silent = gst_structure_get_int(format, "channels", &channels) == TRUE &&
                      channels > media::kAudioChannels &&
                      gst_structure_has_field(format, "channel-mask") == FALSE;
  if (!silent) return CapsHandle{gst_caps_ref(caps)};
  CapsHandle result{gst_caps_copy(caps)};
  gst_caps_set_simple(result.get(), "channel-mask", GST_TYPE_BITMASK, guint64{0}, nullptr);
  return result;
}

/// Runs before the first audio of each new format. Channels without positions cannot be mixed by
/// them, and audioconvert refuses more than two of those.
GstPadProbeReturn on_audio_event(GstPad*, GstPadProbeInfo* info, gpointer convert) {
  GstCaps* const given = caps_in(info);
  if (given == nullptr) return GST_PAD_PROBE_OK;
  const auto caps = with_positions(given);
  if (caps.get() != given) {
    GstEvent* const event = GST_PAD_PROBE_INFO_EVENT(info);
    GST_PAD_PROBE_INFO_DATA(info) = gst_event_new_caps(caps.get());
    gst_event_unref(event);
  }
  GstAudioInfo audio;
  if (!gst_audio_info_from_caps(&audio, caps.get())) return GST_PAD_PROBE_OK;
  const int channels = GST_AUDIO_INFO_CHANNELS(&audio);
  const bool without_positions = is_mixed(channels) && GST_AUDIO_INFO_IS_UNPOSITIONED(&audio);
  set_mix(GST_ELEMENT(convert), without_positions ? channels : 0);
  return GST_PAD_PROBE_OK;
}

/// Runs after audioconvert has said which formats it takes: it does not know yet that it will get a
/// matrix for channels without positions.
GstPadProbeReturn on_audio_query(GstPad* pad, GstPadProbeInfo* info, gpointer) {
  GstQuery* const query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) == GST_QUERY_ACCEPT_CAPS) {
    gst_query_set_accept_caps_result(query, TRUE);
  } else if (GST_QUERY_TYPE(query) == GST_QUERY_CAPS) {
    GstCaps* possible = nullptr;
    gst_query_parse_caps_result(query, &possible);
    if (possible == nullptr || !gst_caps_is_empty(possible)) return GST_PAD_PROBE_OK;
    const CapsHandle all{gst_pad_get_pad_template_caps(pad)};
    GstCaps* filter = nullptr;
    gst_query_parse_caps(query, &filter);
    const CapsHandle some{filter != nullptr ? gst_caps_intersect(all.get(), filter)
                                            : gst_caps_ref(all.get())};
    gst_query_set_caps_result(query, some.get());
  }
  return GST_PAD_PROBE_OK;
}

void delete_probe(gpointer data) { delete static_cast<Probe*>(data); }

}  // namespace

GstElement* make_picture_branch(const VideoSettings& limits) {
  GstElement* const bin = parse_bin(
      "videoconvert name=in ! capsfilter name=depth caps=video/x-raw,format=I420 ! deinterlace "
      "name=deinterlace method=linear"
      " ! videoflip video-direction=auto ! videoscale name=scale add-borders=false ! capsfilter "
      "name=size"
      " ! appsink name=out sync=false async=false qos=false enable-last-sample=false "
      "max-buffers=3");
  gst_pad_add_probe(sink_pad(bin, "in").get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_branch_event,
                    new Probe{bin, limits}, delete_probe);
  gst_pad_add_probe(sink_pad(bin, "scale").get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    on_upright_event, new Probe{bin, limits}, delete_probe);
  gst_pad_add_probe(sink_pad(bin, "out").get(), GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, on_query,
                    nullptr, nullptr);
  return bin;
}

GstElement* make_audio_branch() {
  // 16 buffers of AAC hold 0.34 s, as much audio as a muxer may put between two pictures.
  GstElement* const bin = parse_bin(fmt::format(
      "audioconvert name=in ! audioresample"
      " ! audio/x-raw,format=F32LE,layout=interleaved,rate={},channels={}"
      " ! appsink name=out sync=false async=false enable-last-sample=false max-buffers=16",
      media::kAudioRate, media::kAudioChannels));
  gst_pad_add_probe(sink_pad(bin, "in").get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_audio_event,
                    child(bin, "in").get(), nullptr);
  gst_pad_add_probe(
      sink_pad(bin, "in").get(),
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PULL),
      on_audio_query, nullptr, nullptr);
  return bin;
}

}  // namespace transcoder
