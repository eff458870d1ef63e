#pragma once

// The GStreamer types that the gst_*.cc files pass to each other, declared as in GStreamer's own
// headers, so that our headers need not include those.
using GstBuffer = struct _GstBuffer;
using GstCaps = struct _GstCaps;
using GstElement = struct _GstElement;
using GstMessage = struct _GstMessage;
using GstObject = struct _GstObject;
using GstPad = struct _GstPad;
using GstSample = struct _GstSample;
using GstVideoInfo = struct _GstVideoInfo;
using GError = struct _GError;
