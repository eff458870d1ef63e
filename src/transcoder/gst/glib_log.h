#pragma once

namespace transcoder {

/// Sends GLib's and GStreamer's warnings to the log, as one line each and one line per 10 s, for
/// the whole process. An error, after which GLib ends the process, always has its line. GLib would
/// write them to stderr itself, past the log. Thread-safe; only the first call has an effect.
void capture_glib_log();

}  // namespace transcoder
