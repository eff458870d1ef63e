#include "transcoder/gst/gst_error.h"

#include <fmt/format.h>
#include <gst/gst.h>

#include <algorithm>
#include <utility>

#include "transcoder/handle.h"
#include "transcoder/secrets.h"

namespace transcoder {

namespace {

/// GStreamer's debug text is "file(line): function (): /path/of/element:\nwhat happened".
std::string detail(const char* debug) {
  if (debug == nullptr) return {};
  const std::string_view text{debug};
  const auto line_end = text.find('\n');
  if (line_end == std::string_view::npos) return {};
  const auto what = text.substr(line_end + 1);
  return one_line(what.substr(0, what.find(", URL: ")));  // souphttpsrc repeats the URI there
}

/// A media type that no decoder has: GStreamer looks for one of any type that it recognizes, and
/// has a name in words for those that are audio or video. Empty for others.
std::string_view foreign_format(std::string_view missing) {
  constexpr std::string_view kPlayable[] = {"hls", "dash", "sstr", "rtp", "rtsp-data"};
  const bool named = !missing.starts_with("text/") && !missing.starts_with("application/");
  const auto contains = [&](auto part) { return missing.find(part) != std::string_view::npos; };
  if (named || std::ranges::any_of(kPlayable, contains)) return {};
  return missing.substr(0, missing.find(' '));
}

/// Whether souphttpsrc met a refused connection or an unknown host. It only reports that its read
/// loop stopped.
bool unreadable(const GError& error, const char* debug) {
  return error.domain == GST_STREAM_ERROR && error.code == GST_STREAM_ERROR_FAILED &&
         debug != nullptr &&
         std::string_view{debug}.find("gst_base_src_loop") != std::string_view::npos;
}

std::function<std::string()>& explanation() {
  static std::function<std::string()> of_process;
  return of_process;
}

std::string_view advice(const GError& error, std::string_view more) {
  if (more.starts_with("bind failed")) {  // udpsrc
    return "; check the address and port in the source's URI; ss -lunp shows which program uses a "
           "port";
  }
  if (error.domain == GST_RESOURCE_ERROR) {
    switch (error.code) {
      case GST_RESOURCE_ERROR_NOT_FOUND:
        return "; check the path or the address";
      case GST_RESOURCE_ERROR_NOT_AUTHORIZED:
        return "; check user and password in the URI";
      case GST_RESOURCE_ERROR_OPEN_READ:
      case GST_RESOURCE_ERROR_OPEN_READ_WRITE:
        return "; check that the sender runs and is reachable from this host";
      default:
        return {};
    }
  }
  if (error.domain == GST_STREAM_ERROR && error.code == GST_STREAM_ERROR_TYPE_NOT_FOUND) {
    return "; GStreamer does not recognize this as audio or video";
  }
  return {};
}

}  // namespace

bool is_unreadable(GstMessage* message) {
  GError* error_out = nullptr;
  gchar* debug_out = nullptr;
  gst_message_parse_error(message, &error_out, &debug_out);
  const Handle<GError, g_error_free> error{error_out};
  const Handle<gchar, g_free> debug{debug_out};
  return unreadable(*error, debug.get());
}

void explain_unreadable(std::function<std::string()> call) { explanation() = std::move(call); }

std::string one_line(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '\n' || c == '\r' ? ' ' : c;
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result.substr(std::min(result.find_first_not_of(' '), result.size()));
}

std::string error_text(GstMessage* message) {
  GError* error_out = nullptr;
  gchar* debug_out = nullptr;
  gst_message_parse_error(message, &error_out, &debug_out);
  const Handle<GError, g_error_free> error{error_out};
  const Handle<gchar, g_free> debug{debug_out};
  if (unreadable(*error, debug.get())) {
    const auto known = explanation() ? explanation()() : "";
    return !known.empty()
               ? known
               : "the source cannot be read; check that the sender runs and is reachable "
                 "from this host";
  }
  const auto more = detail(debug.get());
  const auto text = one_line(error->message);
  return without_secrets(
      fmt::format("{}{}{}{}", text, more.empty() ? "" : " ", more, advice(*error, more)));
}

std::string missing_plugin(GstMessage* message) {
  const GstStructure* const details = gst_message_get_structure(message);
  if (details == nullptr || !gst_structure_has_name(details, "missing-plugin")) return {};
  const char* const name = gst_structure_get_string(details, "name");
  return name != nullptr ? name : "unknown";
}

std::string missing_plugin_text(std::string_view missing) {
  if (const auto format = foreign_format(missing); !format.empty()) {
    return fmt::format(
        "the source sends {}, which is neither audio nor video; check the address in its URI",
        format);
  }
  return fmt::format(
      "GStreamer has no plugin for '{}'; install gstreamer1.0-libav, gstreamer1.0-plugins-good, "
      "-bad or -ugly",
      missing);
}

}  // namespace transcoder
