#include "app/http/event_responses.h"

#include <utility>

#include "app/telemetry/server_sent_event.h"

namespace app::event_responses {

namespace {

using server::StreamingResponse;

class EventResponse : public StreamingResponse {
 public:
  Chunk next(server::ResponseConnection&, base::Time now) final {
    Chunk step;
    if (!std::exchange(begun_, true)) step.head = {.content_type = "text/event-stream"};
    add(step, now);
    return step;
  }

 private:
  virtual void add(Chunk& step, base::Time now) = 0;

  bool begun_ = false;
};

class StateResponse final : public EventResponse {
 public:
  explicit StateResponse(StateEvents& events) : events_{events} {}
  Wait wait() const override {
    return {.stream = {}, .until = due_, .count = &events_.changes(), .seen = seen_};
  }

 private:
  void add(Chunk& step, base::Time now) override {
    const auto changes = events_.changes().load();
    if (now < due_ && changes == seen_) return;
    auto event = events_.get(now);
    if (!event) return;
    step.body.push_back(std::move(*event));
    seen_ = changes;
    const bool early = now < due_;
    due_ += StateEvents::kStateInterval;
    if (early || due_ <= now) due_ = now + StateEvents::kStateInterval;
  }

  StateEvents& events_;
  base::Time due_{};
  std::uint64_t seen_ = 0;  ///< changes that the reader has been sent
};

class LinesResponse final : public EventResponse {
 public:
  explicit LinesResponse(ViewerWatch viewer) : viewer_{std::move(viewer)} {}
  /// Due at every wake-up of the loop: twenty times per second, several lines go out in one write.
  Wait wait() const override { return {.stream = {}, .until = base::Time{}}; }

 private:
  void add(Chunk& step, base::Time) override {
    step.complete = viewer_.ended();
    for (const auto& [viewer, line] : viewer_.take()) {
      step.body.push_back(server_sent_event(line->event, line->text));
    }
  }

  ViewerWatch viewer_;
};

}  // namespace

std::unique_ptr<StreamingResponse> states(StateEvents& events) {
  return std::make_unique<StateResponse>(events);
}

std::unique_ptr<StreamingResponse> lines(ViewerWatch viewer) {
  return std::make_unique<LinesResponse>(std::move(viewer));
}

}  // namespace app::event_responses
