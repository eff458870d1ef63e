#include "app/telemetry/session_lines.h"

namespace app {

SessionLines::~SessionLines() { end_tap(); }

void SessionLines::begin(const std::string& stream, trace_line::Line join) {
  tap_ = taps_.add(viewer_, stream, join);
  if (!trace_) return;
  session_ = trace_->open(stream, viewer_);
  trace_->write(session_, std::move(join.text));
}

void SessionLines::end(trace_line::Line leave) {
  if (tap_->watched()) tap_->put(leave);
  end_tap();
  if (session_) trace_->write(std::move(session_), std::move(leave.text));
}

void SessionLines::end_tap() {
  if (!tap_) return;
  taps_.remove(viewer_);
  tap_->end();
  tap_.reset();
}

void SessionLines::write(trace_line::Line line) {
  if (tap_ && tap_->watched()) tap_->put(line);
  if (session_) trace_->write(session_, std::move(line.text));
}

}  // namespace app
