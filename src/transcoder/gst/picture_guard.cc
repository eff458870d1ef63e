#include "transcoder/gst/picture_guard.h"

#include <gst/gst.h>

#include <optional>
#include <string>
#include <utility>

#include "transcoder/gst/gst_handles.h"
#include "transcoder/gst/picture_header.h"
#include "transcoder/gst/refusal.h"
#include "transcoder/picture/picture_limit.h"

namespace transcoder {

namespace {

struct Guard {
  PictureSize most;
  std::shared_ptr<InputReport> report;
};

std::optional<PictureSize> size_of(const GstCaps* caps) {
  PictureSize size;
  for (guint i = 0; caps != nullptr && i < gst_caps_get_size(caps); ++i) {
    const GstStructure* const format = gst_caps_get_structure(caps, i);
    if (gst_structure_get_int(format, "width", &size.width) &&
        gst_structure_get_int(format, "height", &size.height)) {
      return size;
    }
  }
  return std::nullopt;
}

/// Returns false, and ends the pipeline, if a picture of this size may not pass.
bool admit(GstPad* pad, std::optional<PictureSize> size, const Guard& guard) {
  if (!size || is_picture_allowed(*size, guard.most)) return true;
  const ElementHandle element{gst_pad_get_parent_element(pad)};
  const auto reason = picture_refusal(*size, guard.most);
  guard.report->refuse(reason);
  if (element) refuse(element.get(), reason);
  return false;
}

/// Keeps an event or buffer from the element, and reports an error to its sender.
GstPadProbeReturn keep_out(GstPadProbeInfo* info) {
  if ((info->type & GST_PAD_PROBE_TYPE_PULL) != 0) return GST_PAD_PROBE_DROP;
  gst_mini_object_unref(GST_MINI_OBJECT(info->data));
  GST_PAD_PROBE_INFO_FLOW_RETURN(info) = GST_FLOW_ERROR;
  return GST_PAD_PROBE_HANDLED;
}

GstPadProbeReturn on_format(GstPad* pad, GstPadProbeInfo* info, gpointer guard) {
  GstEvent* const event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_OK;
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  const bool admitted = admit(pad, size_of(caps), *static_cast<const Guard*>(guard));
  return admitted ? GST_PAD_PROBE_OK : keep_out(info);
}

/// Of an element that reads a file for itself, the pad has no caps.
std::optional<PictureSize> size_of(GstPad* pad, const GstMapInfo& data) {
  CapsHandle caps{gst_pad_get_current_caps(pad)};
  if (!caps) caps.reset(gst_pad_get_pad_template_caps(pad));
  for (guint i = 0; i < gst_caps_get_size(caps.get()); ++i) {
    const char* const format = gst_structure_get_name(gst_caps_get_structure(caps.get(), i));
    if (const auto size = size_in_header(format, {data.data, data.size})) return size;
  }
  return std::nullopt;
}

GstPadProbeReturn on_picture(GstPad* pad, GstPadProbeInfo* info, gpointer guard) {
  GstBuffer* const buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  GstMapInfo map;
  if (buffer == nullptr || gst_buffer_map(buffer, &map, GST_MAP_READ) == FALSE) {
    return GST_PAD_PROBE_OK;
  }
  const auto size = size_of(pad, map);
  gst_buffer_unmap(buffer, &map);
  return admit(pad, size, *static_cast<const Guard*>(guard)) ? GST_PAD_PROBE_OK : keep_out(info);
}

void add_probe(GstPad* pad, GstPadProbeType type, GstPadProbeCallback probe, const Guard& guard) {
  gst_pad_add_probe(pad, type, probe, new Guard{guard},
                    [](gpointer data) { delete static_cast<Guard*>(data); });
}

bool takes_pictures(GstElement* element) {
  constexpr GstElementFactoryListType kKinds =
      GST_ELEMENT_FACTORY_TYPE_DECODER | GST_ELEMENT_FACTORY_TYPE_PARSER;
  GstElementFactory* const factory = gst_element_get_factory(element);
  return factory != nullptr && gst_element_factory_list_is_type(factory, kKinds) == TRUE;
}

}  // namespace

void guard_pictures(GstElement* element, PictureSize most, std::shared_ptr<InputReport> report) {
  if (GST_IS_BIN(element)) return;
  const Guard guard{most, std::move(report)};
  for (const GList* p = element->pads; p != nullptr; p = p->next) {
    auto* const pad = GST_PAD(p->data);
    add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_format, guard);
    if (GST_PAD_IS_SINK(pad) && takes_pictures(element)) {
      add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_picture, guard);
    }
  }
}

}  // namespace transcoder
