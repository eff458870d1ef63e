#include "app/http/stream_changes.h"

#include <fmt/format.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <chrono>

#include "app/telemetry/names.h"
#include "base/system_error.h"
#include "base/unique_fd.h"

namespace app {

namespace {

// As often as the event loops look for responses that may go on.
constexpr long kLookNanoseconds = 50'000'000;

std::uint64_t unix_milliseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

/// The part of the sources that viewers see, as a text to compare.
std::string sight(const std::vector<LiveStream::Source>& streams) {
  std::string all;
  for (const auto& [name, source] : streams) {
    const auto away = source.away_since.value_or(base::Time{}).time_since_epoch().count();
    const bool stalled = source.status == transcoder::Ingest::Status::kStalled;
    all += fmt::format("{} {} {}", name, away, stalled);
    for (const auto& [trouble, detail] : source.troubles) {
      all += fmt::format(" {}", transcoder::name(trouble));
    }
    all += '\n';
  }
  return all;
}

}  // namespace

class StreamChanges::Timer final : public server::LoopSource {
 public:
  explicit Timer(StreamChanges& changes) : changes_{changes} {
    const itimerspec period{.it_interval = {.tv_sec = 0, .tv_nsec = kLookNanoseconds},
                            .it_value = {.tv_sec = 0, .tv_nsec = kLookNanoseconds}};
    base::check("set a timer", ::timerfd_settime(fd_.get(), 0, &period, nullptr));
  }

  const char* name() const override { return "stream_changes"; }
  int fd() const override { return fd_.get(); }
  void on_readable(base::Time now) override {
    std::uint64_t expired = 0;
    if (::read(fd_.get(), &expired, sizeof expired) == sizeof expired) changes_.update(now);
  }

 private:
  StreamChanges& changes_;
  const base::UniqueFd fd_{
      base::check("create a timer", ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC))};
};

StreamChanges::StreamChanges(Look look) : look_{std::move(look)}, count_{unix_milliseconds()} {}

void StreamChanges::update(base::Time now) {
  if (now - changed_ < kMinInterval) return;
  auto now_seen = sight(look_());
  if (now_seen == seen_) return;
  seen_ = std::move(now_seen);
  changed_ = now;
  ++count_;
}

std::unique_ptr<server::LoopSource> StreamChanges::loop_source() {
  return std::make_unique<Timer>(*this);
}

}  // namespace app
