#pragma once

#include <memory>
#include <string>
#include <utility>

#include "app/telemetry/trace.h"
#include "app/telemetry/trace_line.h"
#include "app/telemetry/viewer_taps.h"

namespace app {

/// Sends the lines of one viewer's session to the trace and to those who watch the viewer. Lines
/// are made only if there is a trace or somebody watches. Not thread-safe.
class SessionLines {
 public:
  /// `trace` may be null; `trace` and `taps` must outlive this object.
  SessionLines(Trace* trace, ViewerTaps& taps, server::ViewerId viewer)
      : trace_{trace}, taps_{taps}, viewer_{viewer} {}
  ~SessionLines();
  SessionLines(const SessionLines&) = delete;
  SessionLines& operator=(const SessionLines&) = delete;

  /// Writes the first line. It is always made, because later watchers receive it too.
  void begin(const std::string& stream, trace_line::Line join);
  /// Whether there is a trace or somebody watches.
  bool wanted() const { return session_ || (tap_ && tap_->watched()); }
  /// `make` returns the trace_line::Line; it is called only if wanted().
  template <typename Make>
  void put(Make make) {
    if (wanted()) write(make());
  }
  /// Writes the last line.
  void end(trace_line::Line leave);

 private:
  void write(trace_line::Line line);
  void end_tap();

  Trace* const trace_;
  ViewerTaps& taps_;
  const server::ViewerId viewer_;
  std::shared_ptr<Trace::Session> session_;  ///< null without a trace, or after end()
  std::shared_ptr<ViewerTap> tap_;           ///< null before begin() and after end()
};

}  // namespace app
