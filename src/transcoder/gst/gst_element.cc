#include "transcoder/gst/gst_element.h"

#include <fmt/format.h>
#include <gst/gst.h>

#include <stdexcept>

#include "transcoder/gst/gst_handles.h"

namespace transcoder {

namespace {

CapsHandle caps_of(GstPad* pad) {
  if (GstCaps* const now = gst_pad_get_current_caps(pad); now != nullptr) return CapsHandle{now};
  return CapsHandle{gst_pad_query_caps(pad, nullptr)};
}

bool says_nothing(const GstCaps* caps) {
  return caps == nullptr || gst_caps_is_empty(caps) || gst_caps_is_any(caps);
}

}  // namespace

GstElement* make_element(const char* name) {
  GstElement* const element = gst_element_factory_make(name, nullptr);
  if (element == nullptr) {
    throw std::runtime_error{
        fmt::format("GStreamer has no element '{}'; install gstreamer1.0-plugins-base", name)};
  }
  return element;
}

void add_to(GstElement* bin, GstElement* element) {
  gst_element_set_locked_state(element, TRUE);
  gst_bin_add(GST_BIN(bin), element);
}

void start_in_bin(GstElement* element) {
  gst_element_sync_state_with_parent(element);
  gst_element_set_locked_state(element, FALSE);
  gst_element_sync_state_with_parent(element);  // follow what the bin has done meanwhile
}

void remove_element(GstElement* element) {
  gst_element_set_locked_state(element, TRUE);
  gst_element_set_state(element, GST_STATE_NULL);
  GstObject* const bin = gst_object_get_parent(GST_OBJECT(element));
  if (bin == nullptr) return;
  gst_bin_remove(GST_BIN(bin), element);
  gst_object_unref(bin);
}

bool is_a(GstElement* element, std::string_view name) {
  GstElementFactory* const factory = gst_element_get_factory(element);
  return factory != nullptr && name == GST_OBJECT_NAME(factory);
}

std::optional<TrackKind> raw_kind(GstPad* pad) {
  const auto caps = caps_of(pad);
  if (says_nothing(caps.get())) return std::nullopt;
  const std::string_view type = gst_structure_get_name(gst_caps_get_structure(caps.get(), 0));
  if (type == "video/x-raw") return TrackKind::kPictures;
  if (type == "audio/x-raw") return TrackKind::kAudio;
  return std::nullopt;
}

std::optional<TrackKind> track_kind(GstPad* pad) {
  const auto caps = caps_of(pad);
  if (says_nothing(caps.get())) return std::nullopt;
  const GstStructure* const format = gst_caps_get_structure(caps.get(), 0);
  std::string_view type = gst_structure_get_name(format);
  // In RTP, "video" may also be a transport stream, which has all kinds of tracks in it.
  if (type == "application/x-rtp") {
    const char* const encoding = gst_structure_get_string(format, "encoding-name");
    if (encoding != nullptr && std::string_view{encoding} == "MP2T") return std::nullopt;
    const char* const media = gst_structure_get_string(format, "media");
    type = media != nullptr ? media : "";
  }
  if (type.starts_with("video") || type.starts_with("image")) return TrackKind::kPictures;
  if (type.starts_with("audio")) return TrackKind::kAudio;
  return std::nullopt;
}

}  // namespace transcoder
