#include "app/http/stream_list.h"

#include "server/full_response.h"

namespace app {

class StreamList::Response final : public server::StreamingResponse {
 public:
  Response(StreamList& list, const api_json::Reader& reader, std::optional<std::uint64_t> after)
      : list_{list}, reader_{reader}, after_{after} {}

  Chunk next(server::ResponseConnection&, base::Time now) override {
    if (!until_) until_ = now + kMaxWait;
    if (after_ == list_.changes_.load() && now < *until_) return {};
    auto all = server::full_response({.content_type = "application/json", .media = true},
                                     {after_ ? list_.shared(reader_, now) : list_.now(reader_)});
    return {.head = std::move(all.head), .body = std::move(all.body), .complete = true};
  }
  Wait wait() const override {
    return {.stream = {}, .until = until_, .count = &list_.changes_, .seen = after_.value_or(0)};
  }

 private:
  StreamList& list_;
  const api_json::Reader reader_;
  const std::optional<std::uint64_t> after_;
  std::optional<base::Time> until_;
};

std::unique_ptr<server::StreamingResponse> StreamList::respond(const api_json::Reader& reader,
                                                               std::optional<std::uint64_t> after) {
  return std::make_unique<Response>(*this, reader, after);
}

server::SharedBytes StreamList::now(const api_json::Reader& reader) const {
  const auto revision = changes_.load();  // first: the list is as new or newer
  return server::SharedBytes::of(make_(reader, revision));
}

server::SharedBytes StreamList::shared(const api_json::Reader& reader, base::Time now) {
  const std::lock_guard lock{mutex_};
  auto& last = shared_[{reader.admin, reader.proxy}];
  const auto revision = changes_.load();
  if (last.revision != revision || now - last.made > kMaxSharedAge) {
    last = {server::SharedBytes::of(make_(reader, revision)), revision, now};
  }
  return last.body;
}

}  // namespace app
