#include "transcoder/gst/gst_handles.h"

#include <gst/gst.h>

namespace transcoder {

void Unref::operator()(GstElement* element) const { gst_object_unref(element); }

void Unref::operator()(GstPad* pad) const { gst_object_unref(pad); }

void Unref::operator()(GstCaps* caps) const { gst_caps_unref(caps); }

void Unref::operator()(GstSample* sample) const { gst_sample_unref(sample); }

ElementHandle own(GstElement* floating) {
  return ElementHandle{GST_ELEMENT(gst_object_ref_sink(floating))};
}

}  // namespace transcoder
