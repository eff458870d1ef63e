#include "app/http/trace_response.h"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace app {

namespace {

class TraceResponse final : public server::StreamingResponse {
 public:
  TraceResponse(ViewerWatch watch, server::Slots::Slot slot)
      : slot_{std::move(slot)}, watch_{std::move(watch)} {}

  Chunk next(server::ResponseConnection&, base::Time now) override {
    Chunk chunk;
    std::string text;
    if (!std::exchange(begun_, true)) {
      chunk.head = {.content_type = "application/x-ndjson"};
      add(text, trace_line::trace(now));
    }
    chunk.complete = watch_.ended();
    const auto dropped = watch_.dropped();
    if (const auto lines = dropped - std::exchange(dropped_, dropped)) {
      add(text, trace_line::dropped(lines, now));
    }
    for (const auto& line : watch_.take()) add(text, line);
    if (text.empty() && now - written_ >= kTraceIdleInterval) add(text, trace_line::idle(now));
    if (text.empty()) return chunk;
    written_ = now;
    chunk.body.push_back(server::SharedBytes::of(std::move(text)));
    return chunk;
  }
  /// Due at every wake-up of the loop: twenty times per second, several lines go out in one write.
  Wait wait() const override { return {.stream = {}, .until = base::Time{}}; }

 private:
  static void add(std::string& text, const trace_line::Line& line) {
    text.append(line.text).push_back('\n');
  }
  /// The lines of a file have the viewer in the `join` alone; here those of several are mixed.
  static void add(std::string& text, const ViewerLine& line) {
    if (line.line->event == std::string_view{"join"}) return add(text, *line.line);
    fmt::format_to(std::back_inserter(text), "{{\"viewer\":{},", line.viewer);
    text.append(line.line->text, 1).push_back('\n');
  }

  const server::Slots::Slot slot_;
  ViewerWatch watch_;
  bool begun_ = false;
  std::uint64_t dropped_ = 0;
  base::Time written_{};
};

}  // namespace

std::unique_ptr<server::StreamingResponse> trace_response(ViewerWatch watch,
                                                          server::Slots::Slot slot) {
  return std::make_unique<TraceResponse>(std::move(watch), std::move(slot));
}

}  // namespace app
