#include "app/config/config_units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>

namespace app {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;  ///< in the base unit: nanoseconds, bits per second or bytes
};

// Largest first. Rates and sizes may omit the unit; durations may not.
constexpr std::array kDurationUnits{
    Unit{"h", 3'600'000'000'000}, Unit{"m", 60'000'000'000}, Unit{"s", 1'000'000'000},
    Unit{"ms", 1'000'000},        Unit{"us", 1000},          Unit{"ns", 1}};
constexpr std::array kRateUnits{Unit{"G", 1'000'000'000}, Unit{"M", 1'000'000}, Unit{"k", 1000},
                                Unit{"", 1}};
constexpr std::array kSizeUnits{Unit{"GiB", 1 << 30}, Unit{"MiB", 1 << 20}, Unit{"KiB", 1 << 10},
                                Unit{"", 1}};

std::optional<std::int64_t> parse(std::string_view text, std::span<const Unit> units) {
  if (text.starts_with('-')) return std::nullopt;
  double number = 0;
  const auto* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  const std::string_view name{rest, static_cast<std::size_t>(end - rest)};
  for (const auto& unit : units) {
    if (unit.name != name) continue;
    constexpr auto kMaxInt64 = std::numeric_limits<std::int64_t>::max();
    const double value = number * static_cast<double>(unit.factor);
    return value < static_cast<double>(kMaxInt64) ? std::llround(value) : kMaxInt64;
  }
  return std::nullopt;
}

/// A whole number of at most five digits, without a sign.
std::optional<int> parse_side(std::string_view text) {
  int side = 0;
  const auto* end = text.data() + text.size();
  const bool digits = text.find_first_not_of("0123456789") == std::string_view::npos;
  if (!digits || text.size() > 5) return std::nullopt;
  return std::from_chars(text.data(), end, side).ec == std::errc{} ? std::optional{side}
                                                                   : std::nullopt;
}

/// "1.5" for 1 and 500 thousandths.
std::string decimal(std::int64_t whole, std::int64_t thousandths) {
  auto text = fmt::format("{}.{:03}", whole, thousandths);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string text(std::int64_t value, std::span<const Unit> units) {
  for (const auto& [name, factor] : units) {
    const auto divisor = std::gcd(factor, std::int64_t{1000});
    const auto step = factor / divisor;  // the fewest base units that are whole thousandths
    const auto whole = value / factor;
    if (whole == 0 || value % step != 0) continue;
    return decimal(whole, std::abs(value % factor) / step * (1000 / divisor)).append(name);
  }
  return std::to_string(value);
}

}  // namespace

std::optional<base::Duration> parse_duration(std::string_view text) {
  const auto ns = parse(text, kDurationUnits);
  return ns ? std::optional{base::Duration{*ns}} : std::nullopt;
}

std::optional<base::BitRate> parse_rate(std::string_view text) {
  const auto bps = parse(text, kRateUnits);
  return bps ? std::optional{base::BitRate{*bps}} : std::nullopt;
}

std::optional<base::ByteCount> parse_size(std::string_view text) {
  const auto bytes = parse(text, kSizeUnits);
  return bytes ? std::optional{base::ByteCount{*bytes}} : std::nullopt;
}

std::optional<transcoder::PictureSize> parse_dimensions(std::string_view text) {
  const auto x = text.find('x');
  if (x == std::string_view::npos) return std::nullopt;
  const auto width = parse_side(text.substr(0, x));
  const auto height = parse_side(text.substr(x + 1));
  if (!width || !height) return std::nullopt;
  return transcoder::PictureSize{*width, *height};
}

std::string text_of(base::Duration duration) {
  return duration == base::Duration::zero() ? "0s" : text(duration.count(), kDurationUnits);
}

std::string text_of(base::BitRate rate) { return text(rate.bps(), kRateUnits); }

std::string text_of(base::ByteCount size) { return text(size.bytes(), kSizeUnits); }

std::string text_of(transcoder::PictureSize size) {
  return fmt::format("{}x{}", size.width, size.height);
}

std::string in_quotes(std::string_view text) {
  std::string out{'"'};
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

}  // namespace app
