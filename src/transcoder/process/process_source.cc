#include "transcoder/process/process_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "base/cpus.h"
#include "base/log.h"
#include "base/system_error.h"
#include "transcoder/process/child_log.h"
#include "transcoder/process/child_process.h"
#include "transcoder/process/output_log.h"
#include "transcoder/process/process_use.h"
#include "transcoder/process/source_access.h"
#include "transcoder/process/use_limits.h"
#include "transcoder/wire/channel.h"
#include "transcoder/wire/descriptors.h"
#include "transcoder/wire/message.h"
#include "transcoder/wire/ring.h"

namespace transcoder {

namespace {

using namespace std::chrono_literals;
using wire::Channel;

/// The process has to send its first message within this time. It loads a hundred libraries, on a
/// busy machine from a slow disk, and has read nothing of the source.
constexpr base::Duration kMaxStart = 30s;

/// A process that is well sends messages several times per second. One that was stopped, or whose
/// threads wait for each other, sends none. A shorter time would end honest ones on a machine that
/// is held up.
constexpr base::Duration kMaxSilence = 3s;

/// Between two looks at the memory, threads and CPU time of the process.
constexpr base::Duration kUseInterval = 250ms;

/// Our own thread may have been held up as well: no shorter than this between two looks.
constexpr base::Duration kLookInterval = 100ms;
constexpr int kLookMs = 100;

/// A killed process that has not ended by then waits for a disk or a share.
constexpr base::Duration kMaxKill = 300ms;

/// With more killed processes than this that have not ended, a source does not start another one.
constexpr std::size_t kMaxLingering = 2;

/// A group counts what the kernel stores for the process as well: socket buffers, page tables.
constexpr base::ByteCount kKernelMemory{32 << 20};

/// For a polite end, such as RTSP's TEARDOWN: cameras have few sessions.
constexpr base::Duration kMaxFarewell = 400ms;

/// Ten times as many as the highest rates of pictures and audio need. More are an attack on our CPU
/// time.
constexpr int kMaxMessagesPerSecond = 2000;

/// (to read, to write); neither waits.
std::pair<base::UniqueFd, base::UniqueFd> make_pipe() {
  int ends[2];
  base::check("pipe for the output of a source's process", ::pipe2(ends, O_CLOEXEC | O_NONBLOCK));
  return {base::UniqueFd{ends[0]}, base::UniqueFd{ends[1]}};
}

/// At most kMaxMessagesPerSecond, over windows of two seconds.
class MessageLimit {
 public:
  explicit MessageLimit(base::Time now) : begin_{now} {}

  /// Returns false if this one is too many.
  bool admit(base::Time now) {
    if (now - begin_ >= kWindow) {
      begin_ = now;
      count_ = 0;
    }
    return ++count_ <= kMaxMessagesPerSecond * kWindow / base::Duration{1s};
  }

 private:
  static constexpr base::Duration kWindow = 2s;  // a machine that was held up delivers many at once
  base::Time begin_;
  std::int64_t count_ = 0;
};

/// Where a process prints to: into the log, or where we print to, which is right for reports of
/// sanitizers and of GStreamer's own log.
bool prints_to_log() {
#ifdef SYMCAST_SANITIZED
  return false;
#else
  return std::getenv("GST_DEBUG") == nullptr;
#endif
}

std::string text(const ChildProcess::Exit& exit) {
  if (!exit.by_signal) return fmt::format("its process ended with exit code {}", exit.status);
  const char* const signal = ::sigdescr_np(exit.status);
  return fmt::format("its process {}: signal {}{}",
                     exit.status == SIGKILL ? "was killed" : "crashed", exit.status,
                     signal ? fmt::format(" ({})", signal) : "");
}

std::vector<std::string> folders_of(const std::vector<AllowedPlace>& places) {
  std::vector<std::string> folders;
  for (const auto& place : places) {
    if (place.is_folder()) folders.push_back(place.text());
  }
  return folders;
}

/// There is no program to start.
class UnavailableSource final : public Source {
 public:
  explicit UnavailableSource(std::string reason) : reason_{std::move(reason)} {}
  void start(std::shared_ptr<Listener> listener) override {
    listener->on_end({reason_, SourceEnd::Cause::kStart});
  }
  void stop() override {}

 private:
  const std::string reason_;
};

}  // namespace

class ProcessSource::Impl {
 public:
  using Cause = SourceEnd::Cause;

  Impl(std::shared_ptr<Shared> shared, std::string stream, const SourceSettings& source,
       const VideoSettings& limits)
      : shared_{std::move(shared)},
        stream_{std::move(stream)},
        start_{.source = source, .video = limits, .folders = folders_of(source.allow)},
        ring_{limits},
        limits_{{.memory = source.memory,
                 .shared = base::ByteCount{static_cast<std::int64_t>(ring_.layout().size())},
                 .cpus = std::max(1., source.cpu * base::usable_cpus())}} {}

  ~Impl() { stop(); }

  void start(std::shared_ptr<Listener> listener) {
    listener_ = std::move(listener);
    if (shared_->lingering.count(stream_) >= kMaxLingering) {
      return listener_->on_end(
          {"its processes wait for a disk or a share that does not respond", Cause::kHung});
    }
    auto [ours, theirs] = wire::channel_sockets();
    channel_.emplace(std::move(ours));
    childs_channel_ = std::move(theirs);
    try {
      channel_->send(wire::encode(start_), Channel::Wait::kNever);
    } catch (const std::length_error& error) {
      return listener_->on_end(
          {fmt::format("the source's settings are too long: {}", error.what()), Cause::kStart});
    }
    thread_ = std::thread{[this] { run(); }};
  }

  void stop() {
    if (!thread_.joinable()) return;
    stopping_ = true;
    channel_->send(wire::encode(wire::Stop{}), Channel::Wait::kNever);
    thread_.join();
  }

  SourceReport report() const {
    std::lock_guard lock{mutex_};
    auto report = report_;
    report.use = use_;
    report.preparing = !isolation_;
    return report;
  }

 private:
  void run() {
    pthread_setname_np(pthread_self(), "ingest");
    try {
      if (!shared_->plugins.update(shared_->program, [this] { return stopping_.load(); })) return;
      start_process();
    } catch (const std::system_error& error) {
      return listener_->on_end({error.what(), Cause::kStart});
    }
    auto end = follow();
    // Its own exit status says more than ours, which would be SIGKILL.
    auto exit = process_->wait(end.reason.empty() && !stopping_ ? kMaxKill : 0s);
    if (!exit) {
      process_->kill();
      exit = process_->wait(kMaxKill);
    }
    output_->read();
    shared_->memory.note(this, {});
    const bool exceeded = group_ && group_->exceeded();
    if (!exit) shared_->lingering.add(stream_, std::move(process_));
    if (stopping_) return;
    if (exceeded) {
      end = {limits_.too_much_memory(), Cause::kLimit};
    } else if (end.reason.empty()) {
      end = {exit ? text(*exit) : "its process does not end", Cause::kCrashed};
    }
    listener_->on_end(std::move(end));
  }

  void start_process() {
    auto [output, childs_output] = make_pipe();
    output_.emplace(std::move(output), stream_);
    access_.emplace(stream_, start_.source, shared_->accesses.of(stream_, base::Clock::now()));
    const std::array<std::pair<int, int>, 4> descriptors{{{childs_channel_.get(), wire::kMediaFd},
                                                          {ring_.fd(), wire::kRingFd},
                                                          {access_->access_fd(), wire::kAccessFd},
                                                          {access_->lookup_fd(), wire::kLookupFd}}};
    process_ = std::make_unique<ChildProcess>(shared_->program.fd(), std::vector{stream_},
                                              prints_to_log() ? childs_output.get() : STDERR_FILENO,
                                              descriptors);
    childs_channel_.reset();
    access_->release();
    enter_group();
  }

  /// The process has only begun to load its libraries, and has read nothing of the source.
  void enter_group() {
    if (!shared_->groups) return;
    auto group = shared_->groups->make(
        {.memory = limits_.most_memory() + kKernelMemory, .threads = 2 * limits_.most_threads()});
    if (!group) {
      std::call_once(shared_->groups_refused, [&] {
        base::log::warning("source_group", {{"stream", stream_}, {"reason", group.error()}});
      });
      return;
    }
    (*group)->add(process_->pid());
    group_ = std::move(*group);
  }

  /// Follows the process to its end, or to the reason for which it has to end. Returns no reason if
  /// it closed the channel without a word, or if it has to stop.
  SourceEnd follow() {
    MessageLimit limit{base::Clock::now()};
    base::Duration silence{};  // in which we looked
    std::optional<base::Time> stopped;
    for (auto last = base::Clock::now();;) {
      std::array<pollfd, 2> ready{{{.fd = channel_->fd(), .events = POLLIN, .revents = 0},
                                   {.fd = output_->fd(), .events = POLLIN, .revents = 0}}};
      ::poll(ready.data(), ready.size(), kLookMs);
      const auto now = base::Clock::now();
      silence += std::min(now - std::exchange(last, now), kLookInterval);
      if (ready[1].revents != 0) output_->read();
      if (ready[0].revents != 0) {
        silence = {};
        if (auto end = receive(limit, now)) return *end;
      }
      if (auto how = access_->broken(); !how.empty()) return broken(how);
      if (auto end = look(now)) return *end;
      if (const auto most = greeted_ ? kMaxSilence : kMaxStart; silence > most) {
        return {fmt::format("its process does not respond for {:g} s", base::seconds(most)),
                Cause::kHung};
      }
      if (stopping_ && now - *(stopped = stopped.value_or(now)) > kMaxFarewell) return {};
    }
  }

  /// Whether the process uses more than it may.
  std::optional<SourceEnd> look(base::Time now) {
#ifdef SYMCAST_SANITIZED  // which needs a multiple of the memory
    return std::nullopt;
#endif
    if (now < next_look_) return std::nullopt;
    next_look_ = now + kUseInterval;
    const auto use = use_of(process_->pid());
    if (!use) return std::nullopt;
    {
      std::lock_guard lock{mutex_};
      use_ = use;
    }
    const bool too_much = shared_->memory.note(this, use->memory);
    if (auto excess = limits_.excess(*use, now)) return SourceEnd{*excess, Cause::kLimit};
    if (!too_much) return std::nullopt;
    return SourceEnd{fmt::format("the sources use more than {} MB of memory, and this one the most",
                                 shared_->memory.limit().bytes() >> 20),
                     Cause::kLimit};
  }

  /// Takes the messages that have arrived. Returns the reason of the end, if it is the end.
  std::optional<SourceEnd> receive(MessageLimit& limit, base::Time now) {
    for (;;) {
      auto received = channel_->receive(Channel::Wait::kNever);
      if (!received) return broken(received.error());
      if (received->status == Channel::Received::Status::kNothing) return std::nullopt;
      if (received->status == Channel::Received::Status::kClosed) return SourceEnd{};
      if (!limit.admit(now)) return broken("more than 2000 messages per second");
      auto message = wire::decode_from_child(received->message, ring_.layout());
      if (!message) return broken(message.error());
      if (greeted_ == std::holds_alternative<wire::Hello>(*message)) {
        return broken(greeted_ ? "a second hello" : "no hello");
      }
      wire::settle_times(*message, now);
      if (auto* last = std::get_if<wire::End>(&*message)) return std::move(last->end);
      auto error = std::visit([this](auto& m) { return handle(m); }, *message);
      if (!error.empty()) return broken(error);
    }
  }

  static SourceEnd broken(const std::string& how) {
    return {"its process breaks the protocol: " + how, Cause::kProtocol};
  }

  std::string handle(wire::Hello& hello) {
    greeted_ = true;
    if (hello.isolation != Isolation{.files = FileBarrier::kLandlock, .system_calls = true}) {
      std::call_once(shared_->otherwise_isolated, log_isolation, hello.isolation);
    }
    hello.isolation.memory = group_ != nullptr;
    std::lock_guard lock{mutex_};
    isolation_ = hello.isolation;
    return {};
  }

  std::string handle(wire::Picture& picture) {
    auto frame = ring_.take(picture.slot, picture.format);
    if (!frame) return frame.error();
    frame->pts = picture.pts;
    frame->captured = picture.captured;
    listener_->on_picture(std::move(*frame));
    return {};
  }

  std::string handle(wire::Audio& audio) {
    listener_->on_audio(std::move(audio.samples), audio.captured);
    return {};
  }

  std::string handle(wire::Gap& gap) {
    listener_->on_gap(gap.until);
    return {};
  }

  std::string handle(wire::Unreadable& unreadable) {
    listener_->on_unreadable(unreadable.count);
    return {};
  }

  std::string handle(wire::Dropped& dropped) {
    listener_->on_dropped(dropped.count);
    return {};
  }

  std::string handle(wire::Report& message) {
    std::lock_guard lock{mutex_};
    report_ = std::move(message.report);
    report_.isolation = isolation_;
    return {};
  }

  std::string handle(wire::Note& note) {
    log_note(stream_, note);
    return {};
  }

  std::string handle(wire::End&) { return {}; }  // receive() does

  const std::shared_ptr<Shared> shared_;
  const std::string stream_;
  const wire::Start start_;
  std::optional<SourceAccess> access_;
  wire::RingReader ring_;
  UseLimits limits_;
  base::Time next_look_{};
  std::shared_ptr<Listener> listener_;
  std::optional<Channel> channel_;
  base::UniqueFd childs_channel_;  ///< until it has it
  std::optional<OutputLog> output_;
  std::unique_ptr<ChildProcess> process_;
  std::unique_ptr<MemoryGroup> group_;  ///< of the process; null if there is none
  bool greeted_ = false;
  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;
  std::optional<Isolation> isolation_;  // GUARDED_BY(mutex_); nullopt before its first message
  SourceReport report_;                 // GUARDED_BY(mutex_)
  std::optional<ProcessUse> use_;       // GUARDED_BY(mutex_)
  std::thread thread_;
};

ProcessSource::ProcessSource(std::shared_ptr<Shared> shared, std::string stream,
                             const SourceSettings& source, const VideoSettings& limits)
    : impl_{std::make_unique<Impl>(std::move(shared), std::move(stream), source, limits)} {}

ProcessSource::~ProcessSource() = default;

void ProcessSource::start(std::shared_ptr<Listener> listener) { impl_->start(std::move(listener)); }
void ProcessSource::stop() { impl_->stop(); }
SourceReport ProcessSource::report() const { return impl_->report(); }

MakeSource process_source_maker(base::Result<IngestProgram> program, base::ByteCount memory,
                                std::shared_ptr<MemoryGroups> groups) {
  if (!program) {
    return [reason = program.error()](auto&&...) {
      return std::make_unique<UnavailableSource>(reason);
    };
  }
  return [shared = std::make_shared<ProcessSource::Shared>(std::move(*program), memory,
                                                           std::move(groups))](
             const std::string& stream, const SourceSettings& source, const VideoSettings& limits) {
    return std::make_unique<ProcessSource>(shared, stream, source, limits);
  };
}

}  // namespace transcoder
