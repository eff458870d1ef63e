#include "app/serve.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

#include "app/kernel_access.h"
#include "app/pipeline.h"
#include "base/log.h"
#include "base/log_period.h"
#include "base/system_error.h"
#include "server/settings.h"

namespace app {

namespace {

// Housekeeping four times per second: shared groups' rates, dwells, empty groups, the watchdog.
// Longer delays all of them; shorter only costs CPU time.
constexpr timespec kTickInterval{.tv_sec = 0, .tv_nsec = 250'000'000};

// Descriptors that are open after the start, and a few viewers' or pages'. Fewer would let a server
// start that can hardly serve anybody.
constexpr rlim_t kDescriptorsAtStart = 24;  // stderr, listeners, the log, eBPF, netlink
constexpr rlim_t kDescriptorsOfALoop = 4;
constexpr rlim_t kDescriptorsOfAStream = 8;  // the source's process and its sockets

/// Blocks the signals here and in all threads started later; only sigtimedwait receives them.
sigset_t block_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  base::check("pthread_sigmask", -pthread_sigmask(SIG_BLOCK, &set, nullptr));
  ::signal(SIGPIPE, SIG_IGN);
  return set;
}

/// Each viewer needs a descriptor. The usual soft limit, 1024, protects programs that use select().
void raise_descriptor_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur == limit.rlim_max) return;
  const auto soft = std::exchange(limit.rlim_cur, limit.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    base::log::warning("descriptor_limit_kept", {{"descriptors", soft}});
  }
}

/// Fewer than these would end the start in words of libevent, or of the source.
void check_descriptors(const Config& config) {
  const auto needed = kDescriptorsAtStart +
                      kDescriptorsOfALoop * static_cast<rlim_t>(server::loop_count(config.server)) +
                      kDescriptorsOfAStream * config.streams.size();
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= needed) return;
  throw std::runtime_error{fmt::format(
      "{} file descriptors are too few: the server needs {} to start, and one or more for each "
      "viewer; raise LimitNOFILE= of the systemd unit, or ulimit -n",
      limit.rlim_cur, needed)};
}

void reload_pipeline(Pipeline& pipeline, const std::function<Config()>& reload) {
  const auto now =
      std::chrono::duration_cast<std::chrono::microseconds>(base::Clock::now().time_since_epoch());
  sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld", static_cast<long long>(now.count()));
  try {
    pipeline.reload(reload());
    base::log::info("configuration_reloaded");
  } catch (const std::runtime_error& e) {
    base::log::error("configuration_kept", {{"error", e.what()}});
  }
  sd_notify(0, "READY=1");
}

/// Without this message, systemd kills and restarts the server (WatchdogSec in the unit).
void notify_watchdog(bool alive, base::Time now, base::LogPeriod& hangs) {
  if (alive) {
    sd_notify(0, "WATCHDOG=1");
  } else if (const auto times = hangs.count(now)) {
    base::log::error("event_loop_hangs", {{"times", *times}});
  }
}

/// The line of `systemctl status`.
class ServiceStatus {
 public:
  /// Sends the line if it has changed, once per second at most.
  void update(const Pipeline& pipeline, base::Time now) {
    if (!wanted_ || now < next_) return;
    next_ = now + std::chrono::seconds{1};
    auto line = pipeline.summary();
    if (line == sent_) return;
    sd_notifyf(0, "STATUS=%s", line.c_str());
    sent_ = std::move(line);
  }

 private:
  const bool wanted_ = std::getenv("NOTIFY_SOCKET") != nullptr;
  base::Time next_{};
  std::string sent_;
};

}  // namespace

int serve(Config config, const std::function<Config()>& reload) {
  const sigset_t signals = block_signals();
  raise_descriptor_limit();
  check_descriptors(config);
  base::log::set_level(config.log_level);
  KernelAccess kernel = open_kernel(config);
  drop_capabilities();
  const base::log::Writer log;  // starts its thread here, without capabilities
  Pipeline pipeline{std::move(config), std::move(kernel)};
  pipeline.start();
  sd_notify(0, "READY=1");
  base::LogPeriod hangs;
  ServiceStatus status;
  for (;;) {
    const int signal = ::sigtimedwait(&signals, nullptr, &kTickInterval);
    if (signal == SIGTERM || signal == SIGINT) break;
    if (signal == SIGHUP) reload_pipeline(pipeline, reload);
    const auto now = base::Clock::now();
    pipeline.tick(now);
    notify_watchdog(pipeline.alive(now), now, hangs);
    status.update(pipeline, now);
  }
  sd_notify(0, "STOPPING=1");
  base::log::info("stopping");
  pipeline.stop();
  return 0;
}

}  // namespace app
