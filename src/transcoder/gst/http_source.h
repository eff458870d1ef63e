#pragma once

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// Makes GStreamer read http: and https: with a souphttpsrc that edits the media playlists of HLS
/// (HlsPlaylist), also inside hlsdemux, which reads them with elements of its own. Thread-safe.
/// Call after GStreamer has been initialised.
void register_http_source();

/// Whether the element is such a source, or a souphttpsrc.
bool is_http_source(GstElement* element);

}  // namespace transcoder
