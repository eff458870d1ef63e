// A measuring viewer: reads an MPEG-TS stream over HTTP and records when each frame arrived and
// everything that a strict receiver would reject. Can also stand for many viewers at once, of
// MPEG-TS or FLV, of which some or all are read like that.
#include <sys/epoll.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <deque>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/system_error.h"
#include "netlab/arrivals.h"
#include "netlab/command.h"
#include "netlab/connection.h"
#include "netlab/flv_parser.h"
#include "netlab/real_time.h"
#include "netlab/ts_parser.h"
#include "netlab/viewing.h"

namespace {

using nlohmann::json;

/// How often a rate-limited reader checks whether it may read again.
constexpr int kTickMs = 5;

volatile std::sig_atomic_t stop_asked = 0;

struct Options {
  std::string url;
  double seconds = 0;
  int connections = 1;
  int timed = 1;
  double settle = 0;
  std::string output;
  std::string record;
  std::string arrivals;
  std::string read_rate;
  std::size_t read_piece = netlab::Connection::Settings{}.read_piece;
  double stop_after = -1;
  int rcvbuf = 0;
  bool http_1_0 = false;
};

/// Writes one JSON line per frame and keeps the sums.
class Recorder {
 public:
  explicit Recorder(const std::string& output) {
    if (output.empty()) return;
    file_.open(output);
    if (!file_) throw base::SystemError{"open " + output};
  }

  void add(const netlab::Picture& picture) {
    viewing_.add(picture);
    if (!file_.is_open()) return;
    const double pts = static_cast<double>(picture.pts) / netlab::kTicksPerSecond;
    file_ << json{{"index", picture.index},
                  {"pts", pts},
                  {"arrival_ns", picture.arrival.time_since_epoch().count()},
                  {"bytes", picture.bytes},
                  {"keyframe", picture.keyframe}}
          << std::endl;  // flushed: tests follow the file while it grows
  }

  netlab::Viewing::State state() const { return viewing_.state(); }

 private:
  netlab::Viewing viewing_;
  std::ofstream file_;
};

/// The frames of one viewer that are some time after the first, by their timestamps: a frame may
/// wait for long in the buffers of a slow reader.
struct SettledFrames {
  std::optional<std::int64_t> joined;  ///< timestamp of the first frame
  netlab::Viewing later;
};

/// The viewers of this process; the first is measured, more are timed, the others only counted.
class Viewers {
 public:
  explicit Viewers(const Options& options)
      : recorder_{options.output},
        recording_{open_file(options.record)},
        arrivals_of_all_{open_file(options.arrivals)},
        settled_{base::Clock::now() + base::from_seconds(options.settle)},
        settle_{static_cast<std::int64_t>(options.settle * netlab::kTicksPerSecond)},
        epoll_{base::check("epoll_create1", ::epoll_create1(EPOLL_CLOEXEC))} {
    const netlab::Target target = netlab::resolve(options.url);
    netlab::Connection::Settings settings = settings_of(options);
    holds_back_ = settings.read_rate || settings.stop_after;
    for (int i = 0; i < options.connections; ++i) {
      settings.discard = i >= std::max(1, options.timed);
      connections_.push_back(std::make_unique<netlab::Connection>(
          target, settings, settings.discard ? netlab::Connection::Body{} : reader(options.url),
          base::Clock::now()));
      if (connections_.back()->open()) watch(static_cast<std::size_t>(i));
    }
    bytes_before_.resize(connections_.size());
  }

  /// Runs until `end`, a signal, or the last connection's end.
  void run(std::optional<base::Time> end) {
    while (!stop_asked && open_count() > 0) {
      const base::Time now = base::Clock::now();
      if (end && now >= *end) return;
      if (!counting_ && now >= settled_) begin_count();
      std::array<epoll_event, 256> events;
      const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), timeout(now, end));
      const base::Time ready = base::Clock::now();
      for (int i = 0; i < count; ++i) {
        connections_[events[static_cast<std::size_t>(i)].data.u64]->on_ready(ready);
      }
      update_interests(events, count);
    }
  }

  json summary() const;
  int status() const { return connections_.front()->state().status; }

 private:
  static netlab::Connection::Settings settings_of(const Options& options) {
    netlab::Connection::Settings settings{.http_1_0 = options.http_1_0};
    if (options.rcvbuf > 0) settings.rcvbuf = options.rcvbuf;
    if (options.stop_after >= 0) settings.stop_after = base::from_seconds(options.stop_after);
    if (!options.read_rate.empty()) {
      const auto parsed = netlab::assign({}, "rate=" + options.read_rate);
      if (!parsed) throw std::runtime_error{"--read-rate: not a rate: " + options.read_rate};
      settings.read_rate = parsed->rate;
      settings.read_piece = options.read_piece;
    }
    return settings;
  }

  static std::ofstream open_file(const std::string& path) {
    if (path.empty()) return {};
    std::ofstream file{path, std::ios::binary};
    if (!file) throw base::SystemError{"open " + path};
    return file;
  }

  /// Reads the body of the next connection. The first one is recorded.
  netlab::Connection::Body reader(const std::string& url) {
    const std::size_t viewer = parsers_.size();
    const bool first = viewer == 0;
    SettledFrames& settled = settled_frames_.emplace_back();
    const auto on_picture = [this, viewer, first, &settled](const netlab::Picture& picture) {
      if (first) recorder_.add(picture);
      if (arrivals_of_all_.is_open()) write_arrival(viewer, picture);
      if (counting_) arrivals_.add(picture);
      if (!settled.joined) settled.joined = picture.pts;
      if (picture.pts >= *settled.joined + settle_) settled.later.add(picture);
    };
    if (url.ends_with(".flv")) {
      parsers_.push_back(std::make_unique<netlab::FlvParser>(on_picture));
    } else {
      auto parser = std::make_unique<netlab::TsParser>(on_picture);
      if (first) first_ts_ = parser.get();
      parsers_.push_back(std::move(parser));
    }
    return [this, first, parser = parsers_.back().get()](std::span<const std::uint8_t> bytes,
                                                         base::Time arrival) {
      if (first) record(bytes);
      parser->feed(bytes, arrival);
    };
  }

  void write_arrival(std::size_t viewer, const netlab::Picture& picture) {
    arrivals_of_all_ << viewer << ' ' << picture.arrival.time_since_epoch().count() << ' '
                     << picture.pts << ' ' << picture.bytes << '\n';
  }

  /// The bytes so far do not count.
  void begin_count() {
    counting_ = true;
    std::ranges::transform(connections_, bytes_before_.begin(),
                           [](const auto& c) { return c->state().bytes; });
  }

  void record(std::span<const std::uint8_t> bytes) {
    if (!recording_.is_open()) return;
    recording_.write(reinterpret_cast<const char*>(bytes.data()),
                     static_cast<std::streamsize>(bytes.size()));
  }

  void watch(std::size_t index) {
    interests_.resize(connections_.size());
    interests_[index] = connections_[index]->interest(base::Clock::now());
    epoll_event event{.events = interests_[index], .data = {.u64 = index}};
    base::check("epoll_ctl",
                ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connections_[index]->fd(), &event));
  }

  void update_interest(std::size_t index, base::Time now) {
    if (!connections_[index]->open()) return;
    const std::uint32_t interest = connections_[index]->interest(now);
    if (interest == interests_[index]) return;
    interests_[index] = interest;
    epoll_event event{.events = interest, .data = {.u64 = index}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connections_[index]->fd(), &event);
  }

  void update_interests(const std::array<epoll_event, 256>& events, int count) {
    const base::Time now = base::Clock::now();
    if (holds_back_) {
      for (std::size_t i = 0; i < connections_.size(); ++i) update_interest(i, now);
      return;
    }
    for (int i = 0; i < count; ++i) {
      update_interest(events[static_cast<std::size_t>(i)].data.u64, now);
    }
  }

  int timeout(base::Time now, std::optional<base::Time> end) const {
    if (holds_back_) return kTickMs;
    if (!end) return -1;
    return static_cast<int>(base::seconds(*end - now) * 1e3) + 1;
  }

  std::ptrdiff_t open_count() const {
    return std::ranges::count_if(connections_, [](const auto& c) { return c->open(); });
  }

  json many_summary() const;
  json timed_summary() const;

  Recorder recorder_;
  std::ofstream recording_;        // open only if requested
  std::ofstream arrivals_of_all_;  // open only if requested
  const base::Time settled_;
  const std::int64_t settle_;  // ticks
  bool counting_ = false;      // arriving data counts
  netlab::Arrivals arrivals_;
  std::deque<SettledFrames> settled_frames_;                    // of the timed connections
  std::vector<std::unique_ptr<netlab::StreamParser>> parsers_;  // of the timed connections
  const netlab::TsParser* first_ts_ = nullptr;  // if the first connection reads MPEG-TS
  base::UniqueFd epoll_;
  bool holds_back_ = false;
  std::vector<std::unique_ptr<netlab::Connection>> connections_;
  std::vector<std::uint64_t> bytes_before_;  // of each connection, until the count began
  std::vector<std::uint32_t> interests_;
};

json seconds_after(std::optional<base::Time> time, base::Time start) {
  return time ? json(base::seconds(*time - start)) : json(nullptr);
}

json to_json(const netlab::TsCounters& c) {
  return {{"packets", c.packets},
          {"null_packets", c.null_packets},
          {"sync_losses", c.sync_losses},
          {"transport_errors", c.transport_errors},
          {"continuity_errors", c.continuity_errors},
          {"discontinuities_signalled", c.discontinuities_signalled},
          {"section_errors", c.section_errors},
          {"pes_errors", c.pes_errors},
          {"audio_frames", c.audio_frames},
          {"audio_errors", c.audio_errors},
          {"pcr_count", c.pcr_count},
          {"pcr_backwards", c.pcr_backwards},
          {"pcr_longest_gap_s", static_cast<double>(c.pcr_longest_gap) / netlab::kTicksPerSecond},
          {"pts_before_pcr", c.pts_before_pcr}};
}

json Viewers::many_summary() const {
  std::vector<std::uint64_t> bytes;
  std::uint64_t total = 0, good = 0;
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    const auto& state = connections_[i]->state();
    bytes.push_back(state.bytes - bytes_before_[i]);
    total += bytes.back();
    good += state.status == 200;
  }
  std::ranges::sort(bytes);
  return {{"asked", connections_.size()}, {"answered_200", good},
          {"open", open_count()},         {"bytes_total", total},
          {"bytes_least", bytes.front()}, {"bytes_median", bytes[bytes.size() / 2]},
          {"bytes_most", bytes.back()}};
}

json Viewers::timed_summary() const {
  const auto state = arrivals_.state();
  std::uint64_t errors = 0;
  for (const auto& parser : parsers_) errors += parser->errors();
  double seconds = 0;
  std::uint64_t frames = 0;
  for (const auto& settled : settled_frames_) {
    const auto later = settled.later.state();
    seconds += later.media_s;
    frames += later.pictures;
  }
  return {
      {"connections", parsers_.size()},
      {"errors", errors},
      {"watched", {{"seconds", seconds}, {"frames", frames}}},
      {"frames", state.frames},
      {"lag_s",
       {{"p50", state.p50_s}, {"p95", state.p95_s}, {"p99", state.p99_s}, {"most", state.most_s}}}};
}

json Viewers::summary() const {
  const netlab::Connection::State& c = connections_.front()->state();
  const netlab::Viewing::State v = recorder_.state();
  json result = first_ts_ ? to_json(first_ts_->counters()) : json::object();
  result.update({{"status", c.status},
                 {"chunked", c.chunked},
                 {"started_ns", c.started.time_since_epoch().count()},
                 {"first_byte_s", seconds_after(c.first_byte, c.started)},
                 {"first_picture_s", seconds_after(v.first_arrival, c.started)},
                 {"closed_s", seconds_after(c.closed, c.started)},
                 {"complete", c.complete},
                 {"error", c.error},
                 {"bytes", c.bytes},
                 {"duration_s", base::seconds(base::Clock::now() - c.started)},
                 {"pictures", v.pictures},
                 {"keyframes", v.keyframes},
                 {"picture_bytes", v.picture_bytes},
                 {"gaps", v.gaps},
                 {"repeats", v.repeats},
                 {"interval_s", v.interval_s},
                 {"media_s", v.media_s},
                 {"longest_wait_s", v.longest_wait_s},
                 {"connections", many_summary()},
                 {"timed", timed_summary()}});
  return result;
}

void ask_to_stop(int) { stop_asked = 1; }

void raise_file_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void declare(CLI::App& cli, Options& options) {
  cli.add_option("url", options.url, "http://HOST:PORT/NAME.ts")->required();
  cli.add_option("--seconds", options.seconds, "how long to read; 0: until it ends");
  cli.add_option("--connections", options.connections,
                 "viewers; the first is measured, the others are only counted")
      ->check(CLI::PositiveNumber);
  cli.add_option("--timed", options.timed, "viewers whose frames are timed, the first included");
  cli.add_option("--settle", options.settle, "seconds at the start that do not count");
  cli.add_option("--output", options.output, "file for one JSON line per picture");
  cli.add_option("--record", options.record, "file for the stream as it came");
  cli.add_option("--arrivals", options.arrivals,
                 "file for a line per picture of each timed viewer: viewer, ns, PTS, bytes");
  cli.add_option("--read-rate", options.read_rate, "read no faster than this, e.g. 500k (bit/s)");
  cli.add_option("--read-piece", options.read_piece, "with --read-rate: bytes at a time, at least")
      ->check(CLI::Range(std::size_t{1}, netlab::Connection::kReadSize));
  cli.add_option("--stop-reading-after", options.stop_after, "seconds; stays connected");
  cli.add_option("--rcvbuf", options.rcvbuf, "SO_RCVBUF (bytes)");
  cli.add_flag("--http-1.0", options.http_1_0, "ask as HTTP/1.0");
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App cli{"Reads MPEG-TS over HTTP and measures; prints a summary in JSON"};
  Options options;
  declare(cli, options);
  CLI11_PARSE(cli, argc, argv);

  std::signal(SIGTERM, ask_to_stop);
  std::signal(SIGINT, ask_to_stop);
  raise_file_limit();
  // Thousands of connections would leave the server no CPU time.
  if (options.connections == 1) netlab::become_real_time();
  std::optional<base::Time> end;
  if (options.seconds > 0) end = base::Clock::now() + base::from_seconds(options.seconds);
  Viewers viewers{options};
  viewers.run(end);
  std::cout << viewers.summary().dump() << std::endl;
  return viewers.status() == 200 ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << "ts_client: " << error.what() << '\n';
  return 2;
}
