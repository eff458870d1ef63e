#include "netlab/command.h"

#include <array>
#include <charconv>
#include <sstream>
#include <string>
#include <utility>

namespace netlab {
namespace {

using Unit = std::pair<std::string_view, double>;

constexpr std::array<Unit, 4> kDecimal{{{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}}};
constexpr std::array<Unit, 3> kTime{{{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

template <std::size_t N>
std::optional<double> parse_number(std::string_view text, const std::array<Unit, N>& units) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value < 0) return std::nullopt;
  const std::string_view suffix = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const auto& [name, factor] : units) {
    if (suffix == name) return value * factor;
  }
  return std::nullopt;
}

bool set_rate(base::BitRate& rate, std::string_view text) {
  const auto bps = parse_number(text, kDecimal);
  if (bps) rate = base::BitRate{static_cast<std::int64_t>(*bps)};
  return bps.has_value();
}

bool set_size(base::ByteCount& size, std::string_view text) {
  const auto bytes = parse_number(text, kDecimal);
  if (bytes) size = base::ByteCount{static_cast<std::int64_t>(*bytes)};
  return bytes.has_value();
}

bool set_duration(base::Duration& duration, std::string_view text) {
  const auto parsed = parse_duration(text);
  if (parsed) duration = *parsed;
  return parsed.has_value();
}

bool set_probability(double& probability, std::string_view text) {
  const auto parsed = parse_number(text, std::array<Unit, 1>{{{"", 1}}});
  if (!parsed || *parsed > 1) return false;
  probability = *parsed;
  return true;
}

bool set_switch(bool& value, std::string_view text) {
  value = text == "on";
  return value || text == "off";
}

bool assign_one(LinkSettings& settings, std::string_view key, std::string_view value) {
  if (key == "rate") return set_rate(settings.rate, value);
  if (key == "delay") return set_duration(settings.delay, value);
  if (key == "jitter") return set_duration(settings.jitter, value);
  if (key == "aggregate") return set_duration(settings.aggregate, value);
  if (key == "queue") return set_size(settings.queue, value);
  if (key == "codel") return set_switch(settings.codel, value);
  if (key == "fair") return set_switch(settings.fair, value);
  if (key == "bucket") return set_size(settings.bucket, value);
  if (key == "peak") return set_rate(settings.peak, value);
  if (key == "loss") return set_probability(settings.loss, value);
  if (key == "burst_enter") return set_probability(settings.burst_enter, value);
  if (key == "burst_leave") return set_probability(settings.burst_leave, value);
  if (key == "burst_time") return set_duration(settings.burst_time, value);
  if (key == "blackhole") return set_switch(settings.blackhole, value);
  return false;
}

std::optional<std::size_t> parse_index(std::string_view text) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return index;
}

}  // namespace

std::optional<base::Duration> parse_duration(std::string_view text) {
  const auto nanoseconds = parse_number(text, kTime);
  if (!nanoseconds) return std::nullopt;
  return base::Duration{static_cast<std::int64_t>(*nanoseconds)};
}

base::Result<LinkSettings> assign(LinkSettings settings, std::string_view assignments) {
  std::istringstream words{std::string{assignments}};
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos ||
        !assign_one(settings, std::string_view{word}.substr(0, equals),
                    std::string_view{word}.substr(equals + 1))) {
      return base::Error{"not a link setting: " + word};
    }
  }
  return settings;
}

base::Result<Command> parse_command(std::string_view line) {
  std::istringstream words{std::string{line}};
  std::string word;
  words >> word;
  Command command;
  if ((command.client = parse_index(word))) words >> word;
  command.down = word == "down" || word == "both";
  command.up = word == "up" || word == "both";
  if (!command.down && !command.up) return base::Error{"not a direction: " + word};
  std::getline(words, command.assignments);
  if (const auto valid = assign({}, command.assignments); !valid) {
    return base::Error{valid.error()};
  }
  return command;
}

}  // namespace netlab
