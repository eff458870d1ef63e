#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/config/config_units.h"
#include "fuzz/check.h"
#include "fuzz/target.h"
#include "server/address.h"
#include "server/admin_access.h"
#include "server/cors.h"
#include "transcoder/testsource/test_options.h"

// Values that operators write: each is read as it is written, whole, and in one way only.

namespace {

// A number that is read as a double is exact up to 2^53, and its products with a unit up to a bit
// less: 26 days, 2 Pbit/s.
constexpr std::int64_t kMaxExact = std::int64_t{1} << 51;

template <typename Value>
void check_written(Value value, std::optional<Value> (*parse)(std::string_view)) {
  const auto text = app::text_of(value);
  CHECK(parse(text) == value, text);
  CHECK(text.size() <= 22, text);
}

void check_number(std::int64_t number) {
  check_written(base::Duration{number}, app::parse_duration);
  check_written(base::BitRate{number}, app::parse_rate);
  check_written(base::ByteCount{number}, app::parse_size);
}

template <typename Value, typename Number>
void check_quantity(std::string_view text, std::optional<Value> value, Number number) {
  if (!value) return;
  CHECK(text.find_first_of("+-") == text.npos, text, number(*value));
  CHECK(number(*value) >= 0, text, number(*value));
  if (number(*value) < kMaxExact) check_number(number(*value));
}

void check_quantities(std::string_view text) {
  check_quantity(text, app::parse_duration(text), [](auto d) { return d.count(); });
  check_quantity(text, app::parse_rate(text), [](auto r) { return r.bps(); });
  check_quantity(text, app::parse_size(text), [](auto s) { return s.bytes(); });
}

/// Reads `text` again as it is written. Returns it if it is valid.
template <typename T>
std::optional<T> check_named(std::string_view text) {
  const auto value = T::parse(text);
  if (!value) {
    CHECK(!value.error().empty(), text);
    return std::nullopt;
  }
  CHECK(std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; }), text);
  const auto again = T::parse(value->text());
  CHECK(again && *again == *value, text, value->text());
  return *value;
}

void check_addresses(std::string_view text) {
  if (const auto address = check_named<server::Address>(text)) {
    CHECK(address->prefix(50).prefix(50) == address->prefix(50), text);
    const auto network = server::Network::parse(address->text());
    CHECK(network && network->contains(*address), text);
  }
  check_named<server::Network>(text);
  if (const auto endpoint = check_named<server::Endpoint>(text)) {
    CHECK(server::Endpoint::of(endpoint->socket_address()) == *endpoint, text);
    CHECK(!server::reachable_text(*endpoint).empty(), text);
  }
}

void check_test_options(std::string_view text) {
  using Content = transcoder::TestOptions::Content;
  const auto options = transcoder::parse_test_options(text);
  if (!options) {
    CHECK(!options.error().empty(), text);
    return;
  }
  CHECK(options->frame_rate >= 1 && options->frame_rate <= 240, text, options->frame_rate);
  const auto [width, height] = options->size;
  CHECK(width % 2 == 0 && width >= 192 && width <= 3840, text, width);
  CHECK(height % 2 == 0 && height >= 108 && height <= 2160, text, height);
  const auto content = options->content == Content::kStatic  ? "static"
                       : options->content == Content::kNoise ? "noise"
                                                             : "motion";
  const auto written = "?size=" + std::to_string(width) + 'x' + std::to_string(height) +
                       "&content=" + content + "&audio=" + (options->audio ? "on" : "off");
  const auto again = transcoder::parse_test_options(written);
  CHECK(again && again->size == options->size && again->content == options->content, written);
  CHECK(again->audio == options->audio, written);
}

void check_quoted(std::string_view text) {
  const auto quoted = app::in_quotes(text);
  CHECK(std::ranges::none_of(quoted, [](unsigned char c) { return c < ' ' || c == 0x7f; }), quoted);
  bool escaped = false;
  for (const char c : std::string_view{quoted}.substr(1, quoted.size() - 2)) {
    CHECK(c != '"' || escaped, quoted);
    escaped = c == '\\' && !escaped;
  }
  CHECK(!escaped, quoted);
}

}  // namespace

FUZZ_TARGET(quantity) {
  const auto text = input.rest();
  check_quantities(text);
  check_addresses(text);
  check_named<server::Origin>(text);
  check_named<server::HostName>(text);
  check_test_options(text);
  check_quoted(text);
  fuzz::Input numbers{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  check_number(numbers.take<std::int64_t>() & (kMaxExact - 1));
}
