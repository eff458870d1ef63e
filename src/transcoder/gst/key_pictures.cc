#include "transcoder/gst/key_pictures.h"

#include <fmt/format.h>
#include <gst/gst.h>

#include <string_view>
#include <thread>
#include <utility>

#include "transcoder/gst/arrival_limit.h"
#include "transcoder/gst/gst_handles.h"

namespace transcoder {

namespace {

/// Used on the streaming thread of one decoder.
struct KeyPictures {
  double max_rate;
  std::shared_ptr<InputReport> report;
  ArrivalLimit limit{max_rate};
  bool raised = false;
};

/// The pictures of a GIF are differences.
bool are_key_pictures(GstPad* pad) {
  const CapsHandle caps{gst_pad_get_current_caps(pad)};
  if (!caps || gst_caps_is_empty(caps.get())) return false;
  const std::string_view format = gst_structure_get_name(gst_caps_get_structure(caps.get(), 0));
  return format.starts_with("image/") && format != "image/gif";
}

GstPadProbeReturn limit_picture(GstPad* pad, GstPadProbeInfo*, gpointer data) {
  auto& pictures = *static_cast<KeyPictures*>(data);
  if (!are_key_pictures(pad)) return GST_PAD_PROBE_OK;
  const auto now = base::Clock::now();
  const auto [keep, wait] = pictures.limit.take(now);
  if (const bool exceeded = pictures.limit.exceeded(now);
      std::exchange(pictures.raised, exceeded) != exceeded) {
    exceeded ? pictures.report->raise(SourceTrouble::kTooManyPictures,
                                      fmt::format("{:g} per second", pictures.max_rate))
             : pictures.report->clear(SourceTrouble::kTooManyPictures);
  }
  if (keep) return GST_PAD_PROBE_OK;
  std::this_thread::sleep_for(wait);
  return GST_PAD_PROBE_DROP;
}

bool decodes(GstElement* element) {
  GstElementFactory* const factory = gst_element_get_factory(element);
  return factory != nullptr &&
         gst_element_factory_list_is_type(factory, GST_ELEMENT_FACTORY_TYPE_DECODER) == TRUE;
}

}  // namespace

void limit_key_pictures(GstElement* element, double max_rate, std::shared_ptr<InputReport> report) {
  if (GST_IS_BIN(element) || !decodes(element)) return;
  const PadHandle sink{gst_element_get_static_pad(element, "sink")};
  if (!sink) return;
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_BUFFER, limit_picture,
                    new KeyPictures{2 * max_rate, std::move(report)},
                    [](gpointer data) { delete static_cast<KeyPictures*>(data); });
}

}  // namespace transcoder
