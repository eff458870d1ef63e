#pragma once

#include <memory>

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// Gives a reference back.
struct Unref {
  void operator()(GstElement* element) const;
  void operator()(GstPad* pad) const;
  void operator()(GstCaps* caps) const;
  void operator()(GstSample* sample) const;
};
using ElementHandle = std::unique_ptr<GstElement, Unref>;
using PadHandle = std::unique_ptr<GstPad, Unref>;
using CapsHandle = std::unique_ptr<GstCaps, Unref>;
using SampleHandle = std::unique_ptr<GstSample, Unref>;

/// Takes the floating reference.
ElementHandle own(GstElement* floating);

}  // namespace transcoder
