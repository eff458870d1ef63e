#pragma once

#include <string>

#include "transcoder/child/http_answer.h"

namespace transcoder {

/// Whether the source may open the URI that a playlist, a redirection or a description names. If it
/// may not, the source ends with that reason. Everything may be opened without an AccessGate.
bool may_open_uri(const std::string& uri);

/// The same for an RTSP server, which may send the source to another one five times in a
/// row.
bool may_open_rtsp(const std::string& host, int port, const std::string& path);

/// Follows the requests of libsoup, once GStreamer has loaded it: the source ends at a redirection
/// that it may not follow or at one too many, and at interim answers without end, and requests
/// without end become slow.
void watch_http_requests();

/// Of this process, whose last request it is. Bytes of other sockets than libsoup's count as well.
HttpAnswer& http_answer();

}  // namespace transcoder
