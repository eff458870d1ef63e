#pragma once

// The few GStreamer types that the gst_*.cc files pass to each other, declared as GStreamer's own
// headers do, so that those stay out of ours.
typedef struct _GstElement GstElement;
typedef struct _GstMessage GstMessage;
typedef struct _GstSample GstSample;
typedef struct _GError GError;
