#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "server/output_queue.h"

namespace app {

/// One event of a text/event-stream (WHATWG HTML, 9.2.6). `data` is one line, as JSON is.
inline server::SharedBytes server_sent_event(std::string_view name, std::string_view data) {
  std::string text;
  text.reserve(name.size() + data.size() + 16);
  text.append("event: ").append(name).append("\ndata: ").append(data).append("\n\n");
  return server::SharedBytes::of(std::move(text));
}

}  // namespace app
