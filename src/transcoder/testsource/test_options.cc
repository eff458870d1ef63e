#include "transcoder/testsource/test_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace transcoder {

namespace {

/// The smallest size at which the machine-readable code still has 4 pixels per block.
constexpr PictureSize kMinTestSize{192, 108};
constexpr PictureSize kMaxTestSize{3840, 2160};  // 4K; the CPU time of drawing grows with the size
constexpr double kMaxTestFrameRate = 240;        // the limit of FrameIntervalEstimator

template <typename T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool set_size(TestOptions& options, std::string_view text) {
  const auto x = text.find('x');
  if (x == std::string_view::npos) return false;
  const auto width = number<int>(text.substr(0, x));
  const auto height = number<int>(text.substr(x + 1));
  if (!width || !height || *width % 2 != 0 || *height % 2 != 0) return false;
  options.size = {*width, *height};
  return *width >= kMinTestSize.width && *height >= kMinTestSize.height &&
         *width <= kMaxTestSize.width && *height <= kMaxTestSize.height;
}

bool set_frame_rate(TestOptions& options, std::string_view text) {
  const auto rate = number<double>(text);
  options.frame_rate = rate.value_or(0);
  return options.frame_rate >= 1 && options.frame_rate <= kMaxTestFrameRate;
}

bool set_content(TestOptions& options, std::string_view text) {
  using Content = TestOptions::Content;
  options.content = text == "static"  ? Content::kStatic
                    : text == "noise" ? Content::kNoise
                                      : Content::kMotion;
  return text == "motion" || text == "static" || text == "noise";
}

bool set_audio(TestOptions& options, std::string_view text) {
  options.audio = text == "on";
  return text == "on" || text == "off";
}

struct Option {
  std::string_view name;
  bool (*set)(TestOptions&, std::string_view);
  std::string_view allowed;
};

constexpr Option kTestOptions[] = {
    {"size", set_size, "WIDTHxHEIGHT, even, from 192x108 to 3840x2160"},
    {"fps", set_frame_rate, "from 1 to 240"},
    {"content", set_content, "motion, static or noise"},
    {"audio", set_audio, "on or off"},
};

/// Applies `item`, "name=value". Returns an error text, empty if the item is valid.
std::string apply(TestOptions& options, std::string_view item) {
  const auto equals = item.find('=');
  const auto name = item.substr(0, equals);
  for (const auto& option : kTestOptions) {
    if (option.name != name) continue;
    const auto value =
        equals == std::string_view::npos ? std::string_view{} : item.substr(equals + 1);
    if (option.set(options, value)) return {};
    return fmt::format("{}={}: {} must be {}", name, value, name, option.allowed);
  }
  return fmt::format("unknown option '{}'; the options are size, fps, content and audio", name);
}

}  // namespace

base::Result<TestOptions> parse_test_options(std::string_view query) {
  TestOptions options;
  if (query.empty()) return options;
  if (query.front() != '?') {
    return base::Error{
        fmt::format("'{}': options must begin with '?', as in test:?size=640x360", query)};
  }
  query.remove_prefix(1);
  while (!query.empty()) {
    const auto item = query.substr(0, query.find('&'));
    if (auto error = apply(options, item); !error.empty()) return base::Error{std::move(error)};
    query.remove_prefix(std::min(query.size(), item.size() + 1));
  }
  return options;
}

}  // namespace transcoder
