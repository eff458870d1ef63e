#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/cpu_load.h"
#include "app/http/api.h"
#include "app/segments/service.h"
#include "app/stream/live_stream.h"
#include "app/viewer/viewer_control.h"
#include "server/handler.h"

namespace app {

/// Finds streams by name, in the order in which they were added, and gives every admitted viewer a
/// control loop. Thread-safe.
class Controller : public server::Handler {
 public:
  /// Responds to a path that nothing else serves; null for a 404. Called on any loop thread.
  using Fallback =
      std::function<std::unique_ptr<server::StreamingResponse>(const server::HandlerRequest&)>;

  /// `api` must outlive it. `on_demand`: CPUs for segments encoded on request, see OnDemand.
  Controller(ViewerControl::Deps deps, Api& api, double on_demand, Fallback fallback);
  const SegmentService& segments() const { return segments_; }

  void add(std::shared_ptr<LiveStream> stream);
  /// Stops offering the stream. Its viewers stay until its channels are closed.
  std::shared_ptr<LiveStream> remove(const std::string& name);
  std::shared_ptr<LiveStream> find(const std::string& name) const;
  std::vector<std::shared_ptr<LiveStream>> streams() const;
  std::vector<std::string> names() const;
  /// Lists the streams in the order of `names` from now on.
  void arrange(const std::vector<std::string>& names);

  std::optional<server::Refusal> refusal(const server::ViewerRequest& request,
                                         base::Time now) override;
  std::variant<server::Admission, server::Refusal> admit(const server::ViewerRequest& request,
                                                         base::Time now) override;
  bool is_for_admins(std::string_view path) const override { return Api::is_for_admins(path); }
  std::unique_ptr<server::StreamingResponse> respond(const server::HandlerRequest& request,
                                                     server::ResponseConnection& connection,
                                                     base::Time now) override;
  std::vector<std::unique_ptr<server::LoopSource>> loop_sources(int loop) override;
  /// Call several times per second. `late`: the event loops send frames later, to save time.
  void tick(bool late, base::Time now);
  /// Ends the segment players' sessions. Call it after the server has stopped, before it is
  /// destroyed.
  void end_sessions() { segments_.stop(); }

 private:
  const ViewerControl::Deps deps_;
  Api& api_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<LiveStream>> streams_;  // GUARDED_BY(mutex_)
  OnDemand on_demand_;
  SegmentService segments_;
  const Fallback fallback_;
  CpuLoad process_;      ///< of tick()
  base::Time raised_{};  ///< when encoders last tried harder
};

}  // namespace app
