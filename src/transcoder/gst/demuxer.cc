#include "transcoder/gst/demuxer.h"

#include <gst/gst.h>

#include <stdexcept>
#include <string_view>

#include "transcoder/gst/gst_handles.h"
#include "transcoder/handle.h"

namespace transcoder {

namespace {

using FactoriesHandle = Handle<GList, gst_plugin_feature_list_free>;
using QueryHandle = Handle<GstQuery, gst_query_unref>;

/// Demuxers that only work inside elements which choose streams for them (decodebin3).
bool needs_stream_selection(GstElementFactory* factory) {
  const std::string_view name = GST_OBJECT_NAME(factory);
  return name == "hlsdemux2" || name == "dashdemux2" || name == "mssdemux2";
}

CapsHandle fixed_caps(GstPad* pad) {
  CapsHandle caps{gst_pad_get_current_caps(pad)};
  if (!caps) caps.reset(gst_pad_query_caps(pad, nullptr));
  if (caps && !gst_caps_is_fixed(caps.get())) return nullptr;
  return caps;
}

bool is_demuxer(GstElementFactory* factory) {
  return gst_element_factory_list_is_type(factory, GST_ELEMENT_FACTORY_TYPE_DEMUXER) == TRUE;
}

/// The demuxer that decodebin would choose: the element of the highest rank, unless that is not a
/// demuxer. `factories` owns it.
GstElementFactory* find_demuxer(GstPad* pad, FactoriesHandle& factories) {
  const auto caps = fixed_caps(pad);
  if (!caps) return nullptr;
  const FactoriesHandle all{
      gst_element_factory_list_get_elements(GST_ELEMENT_FACTORY_TYPE_DECODABLE, GST_RANK_MARGINAL)};
  GList* const fitting =
      gst_element_factory_list_filter(all.get(), caps.get(), GST_PAD_SINK, FALSE);
  factories.reset(g_list_sort(fitting, gst_plugin_feature_rank_compare_func));
  for (const GList* f = factories.get(); f != nullptr; f = f->next) {
    auto* const factory = GST_ELEMENT_FACTORY(f->data);
    if (!needs_stream_selection(factory)) return is_demuxer(factory) ? factory : nullptr;
  }
  return nullptr;
}

/// Whether the data can be read in any order, as those of a file can.
bool has_random_access(GstPad* pad) {
  const QueryHandle query{gst_query_new_scheduling()};
  return gst_pad_query(pad, query.get()) &&
         gst_query_has_scheduling_mode_with_flags(query.get(), GST_PAD_MODE_PULL,
                                                  GST_SCHEDULING_FLAG_SEEKABLE);
}

}  // namespace

std::vector<PadHandle> source_pads(GstElement* element) {
  std::vector<PadHandle> result;
  for (const GList* p = element->srcpads; p != nullptr; p = p->next) {
    result.emplace_back(GST_PAD(gst_object_ref(p->data)));
  }
  return result;
}

std::vector<PadHandle> open_source_pads(GstElement* element) {
  auto result = source_pads(element);
  std::erase_if(result, [](const PadHandle& pad) { return gst_pad_is_linked(pad.get()); });
  return result;
}

bool has_fixed_format(GstPad* pad) { return fixed_caps(pad) != nullptr; }

bool is_container(GstPad* pad) {
  FactoriesHandle factories;
  return find_demuxer(pad, factories) != nullptr;
}

GstElement* make_demuxer(GstPad* pad) {
  FactoriesHandle factories;
  GstElementFactory* const factory = find_demuxer(pad, factories);
  const std::string_view name = factory != nullptr ? GST_OBJECT_NAME(factory) : "";
  if (name == "avdemux_gif" && !has_random_access(pad)) {
    throw std::runtime_error{"a GIF plays only from a file; save it on this host and use file:"};
  }
  return factory != nullptr ? gst_element_factory_create(factory, nullptr) : nullptr;
}

}  // namespace transcoder
