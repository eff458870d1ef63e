#include "app/segments/rate_response.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "app/segments/connection.h"
#include "app/segments/deferred_response.h"

namespace app {

namespace {

using server::error_response;
using server::full_response;
using server::FullResponse;

FullResponse answer(const segments::Segment& segment) {
  std::vector<server::SharedBytes> body;
  for (const auto& part : segment.parts) body.push_back({part, part->bytes()});
  return full_response({.content_type = "video/mp4"}, std::move(body));
}

FullResponse answer(const OnDemand::Gone&) {
  return error_response(404, "there is no such segment");
}

FullResponse answer(const OnDemand::Failed&) {
  return error_response(500,
                        "this segment could not be encoded at that rate; see the server's log");
}

FullResponse answer(const OnDemand::Off&) {
  return error_response(404, "segments are not encoded on request: on_demand.cpu is 0");
}

FullResponse answer(const OnDemand::Refused& refused) {
  auto result =
      error_response(503, "too many segments are being encoded on request; try again later");
  result.head.retry_after = static_cast<int>(std::ceil(base::seconds(refused.retry_after)));
  return result;
}

std::optional<FullResponse> answer(const OnDemand::Pending&) { return {}; }

class RateResponse final : public DeferredResponse {
 public:
  RateResponse(std::shared_ptr<SegmentSession> its, OnDemand& on_demand, OnDemand::Request asked,
               base::Time until)
      : DeferredResponse{std::move(its), until}, on_demand_{on_demand}, asked_{std::move(asked)} {}

 private:
  std::optional<FullResponse> make(base::Time now) override {
    const auto got = on_demand_.get(asked_, now);
    if (const auto* segment = std::get_if<segments::Segment>(&got)) parts_ = segment->parts;
    return std::visit([](const auto& what) { return std::optional<FullResponse>{answer(what)}; },
                      got);
  }
  void sending(server::ResponseConnection& connection, base::Time now) override {
    for (const auto& part : parts_) {
      static_cast<SegmentConnection&>(*connection.state).sent(connection, *part, false, now);
    }
  }

  OnDemand& on_demand_;
  const OnDemand::Request asked_;
  std::vector<segments::PartPtr> parts_;  ///< that are about to be sent
};

}  // namespace

std::unique_ptr<server::StreamingResponse> rate_response(std::shared_ptr<SegmentSession> session,
                                                         OnDemand& on_demand,
                                                         OnDemand::Request asked,
                                                         base::Time until) {
  return std::make_unique<RateResponse>(std::move(session), on_demand, std::move(asked), until);
}

}  // namespace app
