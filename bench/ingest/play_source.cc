#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "transcoder/gst/gst_source.h"
#include "transcoder/process/process_source.h"

// Plays one source for a while, without a server: in this process, or in a process of its own.

namespace {

using namespace transcoder;

/// How late each picture came.
class Delays final : public Source::Listener {
 public:
  void on_picture(media::Frame picture) override {
    const auto now = base::Clock::now();
    std::lock_guard lock{mutex_};
    if (delays_.empty()) first_ = now;
    delays_.push_back(now - picture.captured);
    held_ = std::move(picture);  // as the server holds the newest one, to repeat it
  }
  void on_audio(media::Samples, base::Time) override {}
  void on_gap(base::Time) override {}
  void on_unreadable(std::uint64_t) override {}
  void on_dropped(std::uint64_t count) override { dropped_ += count; }
  void on_end(SourceEnd end) override {
    std::cerr << end.reason << '\n';
    std::_Exit(EXIT_FAILURE);
  }

  std::vector<base::Duration> sorted() {
    std::lock_guard lock{mutex_};
    std::ranges::sort(delays_);
    return delays_;
  }
  base::Time first() const { return first_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  std::mutex mutex_;
  std::vector<base::Duration> delays_;
  media::Frame held_;
  base::Time first_{};
  std::uint64_t dropped_ = 0;
};

double cpu_seconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

/// play_source in|out PROGRAM URI WIDTH HEIGHT FPS SECONDS
int play(char** arguments) {
  const std::string mode{arguments[1]};
  const SourceSettings source{.uri = arguments[3]};
  const VideoSettings video{.max_width = std::atoi(arguments[4]),
                            .max_height = std::atoi(arguments[5]),
                            .max_frame_rate = std::atof(arguments[6])};
  const auto begin = base::Clock::now();
  const auto make = mode == "out" ? process_source_maker(IngestProgram::at(arguments[2]),
                                                         base::ByteCount{1L << 40}, nullptr)
                                  : [](const std::string&, const SourceSettings& settings,
                                       const VideoSettings& limits) -> std::unique_ptr<Source> {
    return std::make_unique<GstSource>(settings, limits);
  };
  const auto player = make("bench", source, video);
  const auto delays = std::make_shared<Delays>();
  player->start(delays);
  std::this_thread::sleep_for(std::chrono::duration<double>{std::atof(arguments[7])});
  player->stop();
  const auto sorted = delays->sorted();
  if (sorted.empty()) return EXIT_FAILURE;
  const auto ms = [](base::Duration time) { return 1e3 * base::seconds(time); };
  std::cout << nlohmann::json{{"pictures", sorted.size()},
                              {"dropped", delays->dropped()},
                              {"first_ms", ms(delays->first() - begin)},
                              {"p50_ms", ms(sorted[sorted.size() / 2])},
                              {"p99_ms", ms(sorted[sorted.size() * 99 / 100])},
                              {"cpu_s", cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN)}}
            << std::endl;
  return EXIT_SUCCESS;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 8) return EXIT_FAILURE;
  std::_Exit(play(arguments));  // not after GStreamer's destructors
}
