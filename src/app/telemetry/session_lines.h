#pragma once

#include <memory>
#include <string>
#include <utility>

#include "app/telemetry/trace.h"
#include "app/telemetry/trace_line.h"
#include "app/telemetry/viewer_taps.h"

namespace app {

/// Where the lines of one viewer's session go: to his trace, and to whoever watches him. While
/// neither is there none is made. One thread at a time.
class SessionLines {
 public:
  /// `trace`: null, there is none. Both must outlive it.
  SessionLines(Trace* trace, ViewerTaps& taps, server::ViewerId viewer)
      : trace_{trace}, taps_{taps}, viewer_{viewer} {}
  ~SessionLines();
  SessionLines(const SessionLines&) = delete;
  SessionLines& operator=(const SessionLines&) = delete;

  /// The first one is always made: whoever comes later is given it too.
  void begin(const std::string& stream, trace_line::Line join);
  bool wanted() const { return session_ || (tap_ && tap_->watched()); }
  /// `make`: of a trace_line::Line.
  template <typename Make>
  void put(Make make) {
    if (wanted()) write(make());
  }
  /// The last one.
  void end(trace_line::Line leave);

 private:
  void write(trace_line::Line line);
  void end_tap();

  Trace* const trace_;
  ViewerTaps& taps_;
  const server::ViewerId viewer_;
  std::shared_ptr<Trace::Session> session_;  ///< null: there is no trace, or it is complete
  std::shared_ptr<ViewerTap> tap_;           ///< null: he has not joined, or has left
};

}  // namespace app
