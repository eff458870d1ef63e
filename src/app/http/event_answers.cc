#include "app/http/event_answers.h"

#include <iterator>
#include <utility>

namespace app::event_answers {

namespace {

using server::Answer;
using server::SharedBytes;

class EventAnswer : public Answer {
 public:
  Step next(server::Link&, base::Time now) final {
    Step step;
    if (!std::exchange(begun_, true)) step.head = {.content_type = "text/event-stream"};
    add(step, now);
    return step;
  }

 private:
  virtual void add(Step& step, base::Time now) = 0;

  bool begun_ = false;
};

class StateAnswer final : public EventAnswer {
 public:
  explicit StateAnswer(StateEvents& events) : events_{events} {}
  Wait wait() const override { return {.stream = {}, .until = due_}; }

 private:
  void add(Step& step, base::Time now) override {
    if (now < due_) return;
    auto event = events_.get(now);
    if (!event) return;
    step.body.push_back(std::move(*event));
    due_ += StateEvents::kInterval;
    if (due_ <= now) due_ = now + StateEvents::kInterval;
  }

  StateEvents& events_;
  base::Time due_{};
};

class LinesAnswer final : public EventAnswer {
 public:
  explicit LinesAnswer(ViewerWatch viewer) : viewer_{std::move(viewer)} {}
  /// As often as the loop looks: twenty times per second several lines go out in one write.
  Wait wait() const override { return {.stream = {}, .until = base::Time{}}; }

 private:
  void add(Step& step, base::Time) override {
    step.complete = viewer_.ended();
    auto lines = viewer_.take();
    step.body.assign(std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
  }

  ViewerWatch viewer_;
};

}  // namespace

std::unique_ptr<Answer> states(StateEvents& events) {
  return std::make_unique<StateAnswer>(events);
}

std::unique_ptr<Answer> lines(ViewerWatch viewer) {
  return std::make_unique<LinesAnswer>(std::move(viewer));
}

}  // namespace app::event_answers
