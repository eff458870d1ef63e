#include "app/controller.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include "app/http/near_miss.h"
#include "base/thread_time.h"

namespace app {

namespace {

// Two streams do not take the same idle CPU time: the encoders' load of one is known before another
// tries harder. A longer time leaves the CPUs idle for longer.
constexpr base::Duration kRaiseApart = std::chrono::seconds{3};

}  // namespace

Controller::Controller(ViewerControl::Deps deps, Api& api, double on_demand, Fallback fallback)
    : deps_{std::move(deps)},
      api_{api},
      on_demand_{on_demand},
      segments_{[this](const std::string& name) { return find(name); },
                {deps_.sampler, deps_.events, deps_.event_source, deps_.hints,
                 deps_.standard_controls, deps_.networks, deps_.warnings, deps_.connections},
                {deps_.table, deps_.trace, deps_.taps},
                on_demand_},
      fallback_{std::move(fallback)} {}

void Controller::add(std::shared_ptr<LiveStream> stream) {
  std::lock_guard lock{mutex_};
  streams_.push_back(std::move(stream));
}

std::shared_ptr<LiveStream> Controller::remove(const std::string& name) {
  std::lock_guard lock{mutex_};
  const auto it = std::ranges::find(streams_, name, &LiveStream::name);
  if (it == streams_.end()) return nullptr;
  auto removed = std::move(*it);
  streams_.erase(it);
  return removed;
}

std::shared_ptr<LiveStream> Controller::find(const std::string& name) const {
  std::lock_guard lock{mutex_};
  const auto it = std::ranges::find(streams_, name, &LiveStream::name);
  return it == streams_.end() ? nullptr : *it;
}

std::vector<std::shared_ptr<LiveStream>> Controller::streams() const {
  std::lock_guard lock{mutex_};
  return streams_;
}

std::vector<std::string> Controller::names() const {
  std::vector<std::string> names;
  for (const auto& stream : streams()) names.push_back(stream->name());
  return names;
}

void Controller::arrange(const std::vector<std::string>& names) {
  std::lock_guard lock{mutex_};
  std::ranges::stable_sort(streams_, {}, [&](const auto& stream) {
    return std::ranges::find(names, stream->name()) - names.begin();
  });
}

std::optional<server::Refusal> Controller::refusal(const server::ViewerRequest& request,
                                                   base::Time now) {
  const auto stream = find(request.stream);
  if (!stream) return server::Refusal{404, unknown_stream(request.stream, names())};
  if (!stream->offers(request.container)) {
    return server::Refusal{
        404, "stream \"" + request.stream + "\" is MPEG-2 video; play /" + request.stream + ".ts"};
  }
  if (!stream->has_frame()) {
    return server::Refusal{
        503, "stream \"" + request.stream + "\" has no video yet; its source may not be connected",
        stream->is_new(now)};
  }
  return {};
}

std::variant<server::Admission, server::Refusal> Controller::admit(
    const server::ViewerRequest& request, base::Time now) {
  if (auto refused = refusal(request, now)) return std::move(*refused);
  if (request.head) return server::Admission{};
  const auto stream = find(request.stream);
  const auto unknown = [&] {
    return server::Refusal{404, unknown_stream(request.stream, names())};
  };
  if (!stream) return unknown();
  const auto removed = [&] { return find(request.stream) != stream; };
  try {
    auto control = std::make_unique<ViewerControl>(request, stream, deps_, now);
    if (removed()) return unknown();  // its channels are closed, maybe before the viewer got one
    const media::ChannelId channel = control->channel();
    return server::Admission{channel, std::move(control)};
  } catch (const std::exception&) {  // the ladder opens no more groups
    if (removed()) return unknown();
    throw;
  }
}

std::unique_ptr<server::StreamingResponse> Controller::respond(
    const server::HandlerRequest& request, server::ResponseConnection& connection, base::Time now) {
  if (auto response = api_.respond(request)) return response;
  if (auto response = segments_.respond(request, connection, now)) return response;
  return fallback_(request);
}

std::vector<std::unique_ptr<server::LoopSource>> Controller::loop_sources(int loop) {
  std::vector<std::unique_ptr<server::LoopSource>> sources;
  if (auto events = deps_.events.loop_source(loop)) sources.push_back(std::move(events));
  if (loop == 0) sources.push_back(api_.loop_source());
  // One loop receives the ends of all loops' viewers.
  if (auto ends = loop == 0 ? deps_.ends.loop_source() : nullptr) {
    sources.push_back(std::move(ends));
  }
  return sources;
}

void Controller::tick(bool late, base::Time now) {
  segments_.tick(now);
  const auto all = streams();
  std::vector<double> loads;
  for (const auto& stream : all) loads.push_back(stream->encode_load());
  const double encoders = std::accumulate(loads.begin(), loads.end(), 0.0);
  const double rest = std::max(0.0, process_.update(base::process_cpu_time(), now) - encoders);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto own = std::exchange(loads[i], 0);
    const bool may_raise = now - raised_ > kRaiseApart;
    const double most = *std::ranges::max_element(loads);
    if (all[i]->tick({encoders - own, most, rest, late, may_raise}, now)) raised_ = now;
    loads[i] = own;
  }
}

}  // namespace app
