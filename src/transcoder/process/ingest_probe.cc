#include "transcoder/process/ingest_probe.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <system_error>
#include <tuple>
#include <vector>

#include "base/log.h"
#include "base/system_error.h"
#include "base/unique_fd.h"
#include "transcoder/process/child_process.h"

namespace transcoder {

namespace {

/// Reading all plugins takes some seconds, and a minute from a slow card.
constexpr base::Duration kMaxProbe = std::chrono::minutes{3};
/// A list that is up to date takes a tenth of a second.
constexpr base::Duration kUsualUpdate = std::chrono::seconds{3};
constexpr std::size_t kMaxOutput = 64 * 1024;  // bytes
constexpr base::Duration kProbeStep = std::chrono::milliseconds{50};

/// The words of `text` after the line "GStreamer VERSION", one on each line. Libraries may have
/// printed warnings before.
base::Result<IngestProbe> parse(const std::string& text) {
  const auto begin = ("\n" + text).find("\nGStreamer ");
  if (begin == std::string::npos) {
    return base::Error{text.empty() ? "it printed nothing" : text.substr(0, text.find('\n'))};
  }
  std::istringstream lines{text.substr(begin)};
  IngestProbe probe;
  std::string word;
  lines >> word >> probe.version;
  while (lines >> word) probe.elements.insert(word);
  for (const auto barrier : {FileBarrier::kLandlock, FileBarrier::kMountNamespace}) {
    if (probe.elements.erase(std::string{"+files="} + name(barrier)) > 0) {
      probe.isolation.files = barrier;
    }
  }
  probe.isolation.system_calls = probe.elements.erase("+system_calls") > 0;
  return probe;
}

}  // namespace

base::Result<IngestProbe> probe_ingest(const IngestProgram& program,
                                       std::span<const std::string> elements,
                                       const std::function<bool()>& cancelled) {
  const auto failed = [&](const std::string& why) {
    return base::Error{fmt::format("'{}' does not work: {}", program.path(), why)};
  };
  // Memory, so that nobody has to read while it runs.
  const base::UniqueFd output{::memfd_create("probe", MFD_CLOEXEC)};
  if (!output) return failed(std::generic_category().message(errno));
  std::vector<std::string> arguments{"--probe"};
  arguments.insert(arguments.end(), elements.begin(), elements.end());
  try {
    ChildProcess process{program.fd(), std::move(arguments), output.get(), {}};
    for (base::Duration waited{}; !process.wait(kProbeStep); waited += kProbeStep) {
      if (cancelled()) return failed("it was cancelled");
      if (waited > kMaxProbe) return failed("it does not end");
    }
  } catch (const base::SystemError& error) {
    return failed(error.what());
  }
  std::string text(kMaxOutput, '\0');
  const auto size = ::pread(output.get(), text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  auto probe = parse(text);
  if (!probe) return failed(probe.error());
  return probe;
}

bool PluginList::update(const IngestProgram& program, const std::function<bool()>& cancelled) {
  std::unique_lock lock{mutex_};
  if (state_ == State::kUnknown) {
    thread_ = std::thread{[this, &program] { run(program); }};
    state_ = State::kUpdating;
  }
  while (state_ == State::kUpdating && !cancelled()) changed_.wait_for(lock, kProbeStep);
  return state_ == State::kUpdated;
}

void PluginList::run(const IngestProgram& program) {
  pthread_setname_np(pthread_self(), "plugins");
  const auto begin = base::Clock::now();
  // If it fails, the processes of the sources fail as well, and say why.
  std::ignore = probe_ingest(program, {}, [this] { return ending_.load(); });
  if (const auto took = base::Clock::now() - begin; took > kUsualUpdate && !ending_) {
    base::log::info("plugins_read", {{"took", took},
                                     {"hint",
                                      "GStreamer has read all of its plugins. If it does so at "
                                      "each start, make XDG_CACHE_HOME writable"}});
  }
  std::lock_guard lock{mutex_};
  state_ = State::kUpdated;
  changed_.notify_all();
}

PluginList::~PluginList() {
  ending_ = true;
  if (thread_.joinable()) thread_.join();
}

}  // namespace transcoder
