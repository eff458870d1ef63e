#include "transcoder/gst/first_boundary.h"

#include <fmt/format.h>
#include <gst/gst.h>

#include <string>
#include <string_view>

#include "transcoder/gst/gst_handles.h"
#include "transcoder/handle.h"

namespace transcoder {

namespace {

using EventHandle = Handle<GstEvent, gst_event_unref>;

/// The delimiter of parts by the response's header Content-Type (RFC 2046, 5.1.1); empty if there
/// is none.
std::string delimiter(GstPad* pad) {
  std::string type;
  for (guint i = 0;; ++i) {
    const EventHandle event{gst_pad_get_sticky_event(pad, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, i)};
    if (!event) break;
    const GstStructure* const fields = gst_event_get_structure(event.get());
    const GValue* const headers = gst_structure_get_value(fields, "response-headers");
    if (headers == nullptr || !GST_VALUE_HOLDS_STRUCTURE(headers)) continue;
    const auto* const text =
        gst_structure_get_string(gst_value_get_structure(headers), "Content-Type");
    if (text != nullptr) type = text;
  }
  constexpr std::string_view kKey = "boundary=";
  const auto at = type.find(kKey);
  if (!type.starts_with("multipart/") || at == std::string::npos) return {};
  auto boundary = type.substr(at + kKey.size());
  boundary = boundary.substr(0, boundary.find(';'));
  std::erase(boundary, '"');
  return boundary.starts_with("--") ? boundary : "--" + boundary;  // some cameras repeat the dashes
}

/// Runs once, before the first data leave the source.
GstPadProbeReturn on_first_data(GstPad* pad, GstPadProbeInfo* info, gpointer) {
  GstBuffer* const buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  constexpr std::string_view kHead = "content-";
  std::string begin(kHead.size(), ' ');
  gst_buffer_extract(buffer, 0, begin.data(), begin.size());
  const auto first = delimiter(pad);
  if (first.empty() || g_ascii_strcasecmp(begin.c_str(), kHead.data()) != 0) {
    return GST_PAD_PROBE_REMOVE;
  }
  const auto line = fmt::format("{}\r\n", first);
  info->data = gst_buffer_append(gst_buffer_new_memdup(line.data(), line.size()), buffer);
  return GST_PAD_PROBE_REMOVE;
}

}  // namespace

void add_first_boundary(GstElement* souphttpsrc) {
  const PadHandle pad{gst_element_get_static_pad(souphttpsrc, "src")};
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_first_data, nullptr, nullptr);
}

}  // namespace transcoder
