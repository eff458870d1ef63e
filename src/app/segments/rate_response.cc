#include "app/segments/rate_response.h"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "app/segments/connection.h"
#include "app/segments/deferred_response.h"

namespace app {

namespace {

using server::error_response;
using server::full_response;
using server::FullResponse;

FullResponse response_to(const std::vector<segments::PartPtr>& parts) {
  std::vector<server::SharedBytes> body;
  for (const auto& part : parts) body.push_back({part, part->bytes()});
  return full_response({.content_type = "video/mp4"}, std::move(body));
}

/// The response that says why there is no segment and will be none.
std::optional<FullResponse> error_of(const OnDemand::Result& result) {
  if (std::holds_alternative<OnDemand::NotFound>(result)) {
    return error_response(404, "there is no such segment: reload the playlist or manifest");
  }
  if (std::holds_alternative<OnDemand::Failed>(result)) {
    return error_response(500,
                          "the segment could not be encoded at this rate: see the server's log");
  }
  if (std::holds_alternative<OnDemand::Disabled>(result)) {
    return error_response(404,
                          "segments are not encoded on request, because on_demand.cpu is 0: "
                          "request the segment without ?rate=");
  }
  return {};
}

class RateResponse final : public DeferredResponse {
 public:
  RateResponse(std::shared_ptr<SegmentSession> session, OnDemand& on_demand,
               OnDemand::Request request, base::Duration later, base::Time until)
      : DeferredResponse{std::move(session), until},
        on_demand_{on_demand},
        request_{std::move(request)},
        later_{later} {}

 private:
  std::optional<FullResponse> make(base::Time now) override {
    const auto result = on_demand_.get(request_, now);
    if (const auto* const segment = std::get_if<segments::Segment>(&result)) return send(*segment);
    return error_of(result);
  }

  FullResponse make_late(base::Time now) override {
    const auto another = on_demand_.get_another(request_, now);
    const auto* const segment = std::get_if<segments::Segment>(&another);
    return segment ? send(*segment) : DeferredResponse::make_late(now);
  }

  FullResponse send(const segments::Segment& segment) {
    for (const auto& part : segment.parts) parts_.push_back(part->later(later_));
    return response_to(parts_);
  }

  void on_sending(server::ResponseConnection& connection, base::Time now) override {
    for (const auto& part : parts_) {
      SegmentConnection::of(connection).on_sending(connection, *part, false, now);
    }
  }

  OnDemand& on_demand_;
  const OnDemand::Request request_;
  const base::Duration later_;
  std::vector<segments::PartPtr> parts_;  ///< of the segment to send
};

}  // namespace

std::unique_ptr<server::StreamingResponse> rate_response(std::shared_ptr<SegmentSession> session,
                                                         OnDemand& on_demand,
                                                         OnDemand::Request request,
                                                         base::Duration later, base::Time until) {
  return std::make_unique<RateResponse>(std::move(session), on_demand, std::move(request), later,
                                        until);
}

std::optional<FullResponse> missing_at_rate(const OnDemand& on_demand, const LiveStream& stream,
                                            std::uint64_t number, base::BitRate rate) {
  const auto known = on_demand.without_encoding(stream, number, rate);
  return known ? error_of(*known) : std::nullopt;
}

}  // namespace app
