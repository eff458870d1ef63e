#include "app/segments/rate_answer.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "app/segments/link.h"
#include "app/segments/whole_answer.h"

namespace app {

namespace {

Whole answer(const segments::Segment& segment) {
  std::vector<server::SharedBytes> body;
  for (const auto& part : segment.parts) body.push_back({part, part->bytes()});
  return whole({.content_type = "video/mp4"}, std::move(body));
}

Whole answer(const OnDemand::Gone&) { return reason(404, "there is no such segment"); }

Whole answer(const OnDemand::Failed&) {
  return reason(500, "this segment could not be coded at that rate; the server's log says why");
}

Whole answer(const OnDemand::Off&) {
  return reason(404, "there are no segments at rates of their player's own: on_demand.cpu is 0");
}

Whole answer(const OnDemand::Refused& refused) {
  auto result = reason(503, "too many segments are asked for at rates of their own");
  result.head.retry_after = static_cast<int>(std::ceil(base::seconds(refused.retry_after)));
  return result;
}

std::optional<Whole> answer(const OnDemand::Pending&) { return {}; }

class RateAnswer final : public WholeAnswer {
 public:
  RateAnswer(std::shared_ptr<SegmentSession> its, OnDemand& on_demand, OnDemand::Asked asked,
             base::Time until)
      : WholeAnswer{std::move(its), until}, on_demand_{on_demand}, asked_{std::move(asked)} {}

 private:
  std::optional<Whole> make(base::Time now) override {
    const auto got = on_demand_.get(asked_, now);
    if (const auto* segment = std::get_if<segments::Segment>(&got)) parts_ = segment->parts;
    return std::visit([](const auto& what) { return std::optional<Whole>{answer(what)}; }, got);
  }
  void sending(server::Link& link, base::Time now) override {
    for (const auto& part : parts_) {
      static_cast<SegmentLink&>(*link.note).give(link, *part, false, now);
    }
  }

  OnDemand& on_demand_;
  const OnDemand::Asked asked_;
  std::vector<segments::PartPtr> parts_;  ///< that are about to be sent
};

}  // namespace

std::unique_ptr<server::Answer> rate_answer(std::shared_ptr<SegmentSession> session,
                                            OnDemand& on_demand, OnDemand::Asked asked,
                                            base::Time until) {
  return std::make_unique<RateAnswer>(std::move(session), on_demand, std::move(asked), until);
}

}  // namespace app
