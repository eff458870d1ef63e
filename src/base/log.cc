#include "base/log.h"

#include <poll.h>
#include <pthread.h>
#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <future>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/log_limit.h"
#include "base/log_line.h"

namespace base::log {

namespace {

/// sd-daemon(3): a "<N>" prefix gives a line on stderr its journal priority.
std::string_view journal_prefix(Level level) {
  switch (level) {
    case Level::kDebug:
      return "<7>";
    case Level::kInfo:
      return "<6>";
    case Level::kWarning:
      return "<4>";
    case Level::kError:
      return "<3>";
  }
  return "<6>";
}

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarning:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

/// JOURNAL_STREAM (systemd.exec(5)) names the journal's stream by device and inode. Child processes
/// inherit it even if their stderr goes elsewhere, so compare it with stderr.
bool stderr_is_journal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat status {};
  if (stream == nullptr || ::fstat(STDERR_FILENO, &status) != 0) return false;
  return stream == fmt::format("{}:{}", status.st_dev, status.st_ino);
}

const bool to_journal = stderr_is_journal();

std::atomic<std::uint64_t> lines_unwritten{0};

/// Bypasses stdio: a thread stuck in stdio holds the lock that exit() needs.
class StderrSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  StderrSink() { set_pattern_(to_journal ? "%v" : "%Y-%m-%dT%H:%M:%S.%e%z %l %v"); }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    std::string_view rest{line.data(), line.size()};
    while (!rest.empty()) {
      const auto written = ::write(STDERR_FILENO, rest.data(), rest.size());
      if (written >= 0) {
        rest.remove_prefix(static_cast<std::size_t>(written));
      } else if (!can_retry(errno)) {
        ++lines_unwritten;
        return;
      }
    }
  }

  /// Waits if stderr is non-blocking: another process that shares it may have made it so.
  static bool can_retry(int error) {
    if (error != EAGAIN) return error == EINTR;
    pollfd writable{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    return ::poll(&writable, 1, -1) == 1 || errno == EINTR;
  }

  void flush_() override {}
};

constexpr auto kLoggerName = "symcast";  // spdlog needs one; no line shows it
std::atomic<Level> min_level{Level::kInfo};

/// The sink, and the logger that writes to it now.
struct Output {
  const std::shared_ptr<spdlog::sinks::sink> sink = std::make_shared<StderrSink>();
  std::mutex mutex;
  std::shared_ptr<spdlog::logger> logger = direct();  // GUARDED_BY(mutex)
  /// The Writer's; null without one. GUARDED_BY(mutex)
  std::shared_ptr<spdlog::details::thread_pool> pool{};

  std::shared_ptr<spdlog::logger> direct() const {
    return unfiltered(std::make_shared<spdlog::logger>(kLoggerName, sink));
  }
  /// write() has already dropped the lines below `min_level`.
  static std::shared_ptr<spdlog::logger> unfiltered(std::shared_ptr<spdlog::logger> logger) {
    logger->set_level(spdlog::level::trace);
    return logger;
  }
};

/// Never destroyed: a thread may still be stuck in it when the process exits.
Output& output() {
  static auto& instance = *new Output;
  return instance;
}

std::shared_ptr<spdlog::logger> logger() {
  std::lock_guard lock{output().mutex};
  return output().logger;
}

std::atomic<std::uint64_t> left_out{0};

/// At the level debug, the operator wants everything.
LogLimit::Verdict admit(std::string_view event, Fields fields) {
  if (min_level == Level::kDebug) return {};
  static auto& mutex = *new std::mutex;  // like output(), never destroyed
  static auto& limit = *new LogLimit;    // GUARDED_BY(mutex)
  const auto* address = std::ranges::find(fields, std::string_view{"address"}, &Field::key);
  std::lock_guard lock{mutex};
  const auto verdict = limit.admit(
      event, address == fields.end() ? std::string_view{} : address->value(), Clock::now());
  if (!verdict.write) ++left_out;
  return verdict;
}

/// Like output(), never destroyed.
std::function<void(Level, std::string_view, Fields)>& redirection() {
  static auto& instance = *new std::function<void(Level, std::string_view, Fields)>;
  return instance;
}

}  // namespace

Field::Field(std::string_view key, double value)
    : key_{key}, value_{fmt::format("{:.6g}", value)} {}

Writer::Writer(std::size_t max_lines, Duration flush_timeout) : flush_timeout_{flush_timeout} {
  auto pool = std::make_shared<spdlog::details::thread_pool>(
      max_lines, 1, [] { pthread_setname_np(pthread_self(), "log"); });
  auto& out = output();
  std::lock_guard lock{out.mutex};
  out.logger = Output::unfiltered(std::make_shared<spdlog::async_logger>(
      kLoggerName, out.sink, pool, spdlog::async_overflow_policy::overrun_oldest));
  out.pool = std::move(pool);
}

Writer::~Writer() {
  auto& out = output();
  std::unique_lock lock{out.mutex};
  auto logger = std::exchange(out.logger, out.direct());  // must outlive the queued lines
  auto pool = std::exchange(out.pool, nullptr);
  lock.unlock();
  // The pool's destructor waits until every line is written, which may never happen.
  std::promise<void> ended;
  auto end = ended.get_future();
  try {
    std::thread{[logger = std::move(logger), pool = std::move(pool),
                 ended = std::move(ended)]() mutable {
      pool.reset();
      logger.reset();
      ended.set_value();
    }}.detach();
    end.wait_for(flush_timeout_);
  } catch (const std::system_error&) {  // no thread could start, so the pool was destroyed here
  }
}

std::string wall_time(Time time) {
  using std::chrono::milliseconds;
  using std::chrono::system_clock;
  const auto age = std::chrono::duration_cast<milliseconds>(Clock::now() - time);
  const auto wall = std::chrono::floor<milliseconds>(system_clock::now() - age);
  const auto second = std::chrono::floor<std::chrono::seconds>(wall);
  const auto count = system_clock::to_time_t(second);
  std::tm local{};
  ::localtime_r(&count, &local);
  std::array<char, 32> date{};
  std::array<char, 8> zone{};
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &local);
  std::strftime(zone.data(), zone.size(), "%z", &local);
  const std::string_view offset{zone.data()};  // "+0100"
  return fmt::format("{}.{:03}{}:{}", date.data(), (wall - second).count(), offset.substr(0, 3),
                     offset.substr(3));
}

std::uint64_t lines_dropped() {
  auto& out = output();
  std::lock_guard lock{out.mutex};
  return lines_unwritten + (out.pool ? out.pool->overrun_counter() : 0);
}

std::uint64_t lines_left_out() { return left_out; }

void set_level(Level level) { min_level = level; }

void redirect(std::function<void(Level, std::string_view, Fields)> to) {
  redirection() = std::move(to);
}

void write(Level level, std::string_view event, Fields fields) {
  if (level < min_level) return;
  if (const auto& to = redirection()) return to(level, event, fields);
  const auto verdict = admit(event, fields);
  if (!verdict.write) return;
  std::string text{to_journal ? journal_prefix(level) : std::string_view{}};
  text += line(event, fields);
  if (verdict.left_out > 0) text += fmt::format(" left_out={}", verdict.left_out);
  logger()->log(spdlog_level(level), text);
}

}  // namespace base::log
