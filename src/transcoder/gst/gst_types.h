#pragma once

// The few GStreamer types that the gst_*.cc files pass to each other, declared as GStreamer's own
// headers do, so that those stay out of ours.
using GstElement = struct _GstElement;
using GstMessage = struct _GstMessage;
using GstSample = struct _GstSample;
using GError = struct _GError;
