#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "app/http/api_json.h"
#include "base/units.h"
#include "server/streaming_response.h"

namespace app {

/// `/api/v1/streams`, for readers that ask once and for those that wait for the next change
/// (StreamChanges). Thread-safe.
class StreamList {
 public:
  /// Returns the JSON; `revision` is the number of changes. Called on any thread.
  using Make = std::function<std::string(const api_json::Reader&, std::uint64_t revision)>;

  // A page asks again after this time at the latest. A longer one would show later what is not
  // counted as a change, such as another limit of the rate; a shorter one costs more requests.
  static constexpr base::Duration kMaxWait = std::chrono::seconds{5};
  /// Age up to which a list is shared among readers that have waited. At a change all of them get
  /// one at once, which would take a loop 0.1 ms each. A longer time would show older values.
  static constexpr base::Duration kMaxSharedAge = std::chrono::milliseconds{100};

  /// `changes` must outlive it.
  StreamList(Make make, const std::atomic<std::uint64_t>& changes)
      : make_{std::move(make)}, changes_{changes} {}

  /// The list as it is now or, while `after` is the number of changes, when that has changed or
  /// kMaxWait is over. This object must outlive the response.
  std::unique_ptr<server::StreamingResponse> respond(const api_json::Reader& reader,
                                                     std::optional<std::uint64_t> after);

 private:
  class Response;
  struct Shared {
    server::SharedBytes body;
    std::uint64_t revision = 0;
    base::Time made{};
  };

  server::SharedBytes now(const api_json::Reader& reader) const;
  server::SharedBytes shared(const api_json::Reader& reader, base::Time now);

  const Make make_;
  const std::atomic<std::uint64_t>& changes_;
  std::mutex mutex_;
  std::map<std::pair<bool, server::Proxy>, Shared> shared_;  // GUARDED_BY(mutex_); by reader
};

}  // namespace app
