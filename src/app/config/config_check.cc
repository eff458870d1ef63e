#include "app/config/config_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "app/config/config_units.h"
#include "app/config/nearest.h"
#include "transcoder/testsource/test_options.h"

namespace app {

namespace {

// A name becomes part of URLs, metric labels and file names, so it must stay short.
constexpr std::size_t kMaxNameLength = 64;

/// "/dev/video0", with or without "file:": a camera, which cannot be read as a file.
bool is_camera(std::string_view uri) {
  for (const std::string_view scheme : {"file://", "file:"}) {
    if (uri.starts_with(scheme)) uri.remove_prefix(scheme.size());
  }
  return uri.starts_with("/dev/video");
}

using Initcwnds = std::map<std::string, int>;

/// Reports the faults of one stream.
class StreamCheck {
 public:
  StreamCheck(const PlacedStream& stream, ConfigReader& reader)
      : stream_{stream}, reader_{reader} {}

  /// `initcwnds`: by network, of all streams checked so far; this stream's are added.
  void run(const std::vector<std::string>& offered, Initcwnds& initcwnds) {
    check_name();
    check_source();
    check_rates();
    check_order();
    check_segment();
    check_congestion_controls(offered);
    check_routes(initcwnds);
  }

 private:
  void check_name() {
    const auto& name = stream_.config.media.name;
    const auto allowed = [](unsigned char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '-' || c == '_';
    };
    if (name.empty() || name.size() > kMaxNameLength || !std::ranges::all_of(name, allowed)) {
      fault({"name"}, fmt::format("name: {} is not a stream name; use 1 to {} of A-Z a-z 0-9 - _",
                                  in_quotes(name), kMaxNameLength));
    }
  }

  /// Players compute segment numbers from the time since 1970, in ticks of 1/90000 s. A length that
  /// is no whole number of ticks would be wrong by seconds in 2026.
  void check_segment() {
    const auto segment = stream_.config.media.encoder.keyframe_interval;
    if (!stream_.config.segments.enabled) return;
    if (segment % std::chrono::milliseconds{1} == base::Duration{0}) return;
    fault({"encoder.keyframe_interval"},
          fmt::format("encoder.keyframe_interval: {} is no whole number of milliseconds; round it",
                      in_quotes(text_of(segment))));
  }

  void check_source() {
    const auto& uri = stream_.config.media.source.uri;
    const auto colon = uri.find(':');
    if (is_camera(uri)) {
      fault({"source.uri"},
            fmt::format(
                "source: {} is a camera; write \"gst:v4l2src device={}\", and for the systemd "
                "service also PrivateDevices=no, as described in man symcast",
                in_quotes(uri), uri.substr(uri.find("/dev/"))));
    } else if (uri.starts_with("/") || uri.starts_with("./")) {
      fault({"source.uri"}, fmt::format("source: {0} has no scheme; did you mean {1}?",
                                        in_quotes(uri), in_quotes("file:" + uri)));
    } else if (colon == std::string::npos || colon == 0) {
      fault({"source.uri"},
            fmt::format("source: {} is not a source; write \"test:\", \"file:PATH\", \"gst:LAUNCH "
                        "TEXT\" or a URI such as \"rtsp://HOST/PATH\"",
                        in_quotes(uri)));
    } else if (colon + 1 == uri.size() && uri != "test:") {
      // transcoder::make_source would refuse it as well, but without the place in the file.
      fault({"source.uri"},
            fmt::format("source: {} is incomplete; write a path or address after the scheme",
                        in_quotes(uri)));
    } else if (uri.starts_with("test:")) {
      const auto options = transcoder::parse_test_options(std::string_view{uri}.substr(5));
      if (!options) fault({"source.uri"}, "source: " + options.error());
    }
  }

  void check_rates() {
    const auto& [min, max, start] = stream_.config.control.rate;
    if (min > max) {
      fault({"rate.min", "rate.max"},
            fmt::format("rate.min {} is above rate.max {}; lower rate.min or raise rate.max",
                        text_of(min), text_of(max)));
    } else if (start < min || start > max) {
      fault({"rate.start", "rate.min", "rate.max"},
            fmt::format("rate.start {} must be between rate.min {} and rate.max {}", text_of(start),
                        text_of(min), text_of(max)));
    }
  }

  void check_order() {
    const auto& source = stream_.config.media.source;
    if (source.backoff_min > source.backoff_max) {
      fault({"source.backoff_min", "source.backoff_max"},
            fmt::format("source.backoff_min {} is above source.backoff_max {}; lower the first or "
                        "raise the second",
                        text_of(source.backoff_min), text_of(source.backoff_max)));
    }
    const auto& itcp = stream_.config.control.itcp;
    if (itcp.hold > itcp.hold_max) {
      fault({"itcp.hold", "itcp.hold_max"},
            fmt::format("itcp.hold {} is above itcp.hold_max {}; lower hold or raise hold_max",
                        text_of(itcp.hold), text_of(itcp.hold_max)));
    }
    const double pacing = stream_.config.tcp.pacing;
    if (pacing > 0 && pacing < 1) {
      fault({"tcp.pacing"},
            fmt::format("tcp.pacing {} would send less than the stream's rate; use 0 "
                        "for no limit, or at least 1",
                        pacing));
    }
  }

  void check_congestion_controls(const std::vector<std::string>& offered) {
    const auto& tcp = stream_.config.tcp;
    check_offered("tcp.congestion_control", tcp.congestion_control, offered);
    for (std::size_t i = 0; i < tcp.networks.size(); ++i) {
      check_offered("tcp.network", tcp.networks[i].congestion_control, offered,
                    fmt::format("tcp.network.{}", i));
    }
  }

  /// A machine has only one route to a network, so all rules must agree on its initcwnd.
  void check_routes(Initcwnds& initcwnds) {
    const auto& rules = stream_.config.tcp.networks;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (rules[i].initcwnd == 0) continue;
      const auto network = rules[i].network.text();
      const auto first = initcwnds.emplace(network, rules[i].initcwnd).first->second;
      if (first == rules[i].initcwnd) continue;
      fault({fmt::format("tcp.network.{}", i)},
            fmt::format("tcp.network: another rule sets initcwnd {} for {}; use one value for both",
                        first, network));
    }
  }

  /// `place`: for an item of the list `key`, the path under which its place is known.
  void check_offered(const std::string& key, const std::string& name,
                     const std::vector<std::string>& offered, const std::string& place = {}) {
    if (name.empty() || offered.empty() || std::ranges::find(offered, name) != offered.end()) {
      return;
    }
    const auto meant = nearest(name, offered);
    fault({place.empty() ? key : place},
          fmt::format("{}: congestion control {} is not available on this host; available: {}{}",
                      key, in_quotes(name), fmt::join(offered, ", "),
                      meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
  }

  /// Reports the error at the first of `keys` that the stream itself sets, then at one that it
  /// inherits, then at its block: an inherited value may be right for all other streams.
  void fault(const std::vector<std::string>& keys, const std::string& message) {
    for (const auto* places : {&stream_.own, &stream_.inherited}) {
      for (const auto& key : keys) {
        const auto set = places->find(key);
        if (set != places->end()) return reader_.add_error(set->second, message);
      }
    }
    reader_.add_error(stream_.place, message);
  }

  const PlacedStream& stream_;
  ConfigReader& reader_;
};

}  // namespace

void check_daemon(const Config& config, const Places& places, ConfigReader& reader) {
  if (config.server.listen.empty()) {
    reader.add_error(places.at("server.listen"),
                     "server.listen: the list is empty; name an address such as \"[::]:8080\"");
  }
}

void check_streams(const std::vector<PlacedStream>& streams,
                   const std::vector<std::string>& offered, ConfigReader& reader) {
  std::map<std::string_view, std::string> names;  // and the place of each
  Initcwnds initcwnds;
  for (const auto& stream : streams) {
    StreamCheck{stream, reader}.run(offered, initcwnds);
    const auto& name = stream.config.media.name;
    const auto set = stream.own.find("name");
    const auto& place = set == stream.own.end() ? stream.place : set->second;
    const auto [first, added] = names.emplace(name, place);
    if (!added) {
      reader.add_error(place, fmt::format("name: another stream is called {} ({}); choose a "
                                          "different name",
                                          in_quotes(name), first->second));
    }
  }
}

}  // namespace app
