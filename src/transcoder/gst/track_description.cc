#include "transcoder/gst/track_description.h"

#include <fmt/format.h>
#include <gst/gst.h>
#include <gst/pbutils/pbutils.h>
#include <gst/tag/tag.h>

#include <string_view>

#include "transcoder/gst/gst_handles.h"
#include "transcoder/gst/ts_filter.h"
#include "transcoder/handle.h"

namespace transcoder {

namespace {

using EventHandle = Handle<GstEvent, gst_event_unref>;
using TagsHandle = Handle<GstTagList, gst_tag_list_unref>;
using TextHandle = Handle<gchar, g_free>;
using StreamHandle = Handle<GstStream, gst_object_unref>;

/// ISO 639-2's code for a language that nobody has stated.
constexpr std::string_view kUndetermined = "und";

}  // namespace

std::string language_code(const char* text) {
  const char* const code = gst_tag_get_language_code(text);
  return code != nullptr ? code : text;
}

std::string describe_codec(GstPad* pad) {
  const CapsHandle format{gst_pad_get_current_caps(pad)};
  if (!format) return {};
  const TextHandle text{gst_pb_utils_get_codec_description(format.get())};
  return text ? text.get() : "";
}

std::string describe_samples(GstPad* pad) {
  const CapsHandle format{gst_pad_get_current_caps(pad)};
  if (!format) return {};
  const GstStructure* const fields = gst_caps_get_structure(format.get(), 0);
  int channels = 0;
  int rate = 0;
  if (!gst_structure_get_int(fields, "channels", &channels) ||
      !gst_structure_get_int(fields, "rate", &rate)) {
    return {};
  }
  return fmt::format("{} channels at {} Hz", channels, rate);
}

AudioTrack describe_audio(GstPad* pad) {
  AudioTrack result;
  const EventHandle start{gst_pad_get_sticky_event(pad, GST_EVENT_STREAM_START, 0)};
  if (!start) return result;
  GstStreamFlags flags{};
  gst_event_parse_stream_flags(start.get(), &flags);
  result.marked_default = (flags & GST_STREAM_FLAG_SELECT) != 0;
  GstStream* stream = nullptr;
  gst_event_parse_stream(start.get(), &stream);
  const StreamHandle owned{stream};
  TagsHandle tags{stream != nullptr ? gst_stream_get_tags(stream) : nullptr};
  for (guint i = 0; !tags || gst_tag_list_get_tag_size(tags.get(), GST_TAG_LANGUAGE_CODE) == 0;
       ++i) {
    const EventHandle event{gst_pad_get_sticky_event(pad, GST_EVENT_TAG, i)};
    if (!event) break;
    GstTagList* list = nullptr;
    gst_event_parse_tag(event.get(), &list);
    tags.reset(gst_tag_list_ref(list));
  }
  gchar* language = nullptr;
  if (tags && gst_tag_list_get_string(tags.get(), GST_TAG_LANGUAGE_CODE, &language)) {
    result.language = language_code(Handle<gchar, g_free>{language}.get());
    if (result.language == kUndetermined) result.language.clear();
  }
  result.visually_impaired = is_audio_description(pad);
  return result;
}

}  // namespace transcoder
