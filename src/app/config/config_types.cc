#include "app/config/config_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "app/config/config_units.h"
#include "app/config/nearest.h"

namespace app::types {

namespace {

template <typename T, typename Type>
T in_range(const Type& type, const Value& written, T value) {
  if (value >= T{type.min} && value <= T{type.max}) return value;
  throw Rejected{written.place, fmt::format("{} is out of range; allowed: {} to {}", shown(written),
                                            type.write(type.min), type.write(type.max))};
}

std::string range_text(std::string_view what, const auto& type) {
  return fmt::format("{}, {} to {}", what, type.write(type.min), type.write(type.max));
}

const std::string* text_in(const Value& value) { return std::get_if<std::string>(&value.data); }

}  // namespace

std::string shown(const Value& value) {
  struct Show {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(const std::string& text) const { return in_quotes(text); }
    std::string operator()(const Value::List&) const { return "a list"; }
    std::string operator()(const Value::Table&) const { return "a table"; }
  };
  return value.written.empty() ? std::visit(Show{}, value.data) : in_quotes(value.written);
}

void reject(const Value& value, std::string_view expected) {
  throw Rejected{value.place, fmt::format("{} is not {}", shown(value), expected)};
}

bool Flag::read(const Value& value) const {
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag;
  reject(value, allowed());
}
std::string Flag::write(bool flag) const { return flag ? "true" : "false"; }
std::string Flag::allowed() const { return "true or false"; }

int Whole::read(const Value& value) const {
  const auto* number = std::get_if<std::int64_t>(&value.data);
  if (number == nullptr) reject(value, "a whole number");
  return static_cast<int>(in_range(*this, value, *number));
}
std::string Whole::write(int number) const { return std::to_string(number); }
std::string Whole::allowed() const { return range_text("whole number", *this); }

double Real::read(const Value& value) const {
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) {
    return in_range(*this, value, static_cast<double>(*whole));
  }
  const auto* number = std::get_if<double>(&value.data);
  if (number == nullptr) reject(value, "a number");
  return in_range(*this, value, *number);
}
std::string Real::write(double number) const { return fmt::format("{}", number); }
std::string Real::allowed() const { return range_text("number", *this); }

base::Duration Duration::read(const Value& value) const {
  const auto* text = text_in(value);
  const auto parsed = text != nullptr ? parse_duration(*text) : std::nullopt;
  if (!parsed) reject(value, R"(a duration; write it with a unit, such as "300ms", "5s" or "2m")");
  return in_range(*this, value, *parsed);
}
std::string Duration::write(base::Duration duration) const { return in_quotes(text_of(duration)); }
std::string Duration::allowed() const { return range_text("duration", *this); }

base::BitRate Rate::read(const Value& value) const {
  const auto* bps = std::get_if<std::int64_t>(&value.data);
  if (bps != nullptr) return in_range(*this, value, base::BitRate{*bps});
  const auto* text = text_in(value);
  const auto parsed = text != nullptr ? parse_rate(*text) : std::nullopt;
  if (!parsed) reject(value, R"(a rate; write bit/s, such as "300k", "1.5M" or 1500000)");
  return in_range(*this, value, *parsed);
}
std::string Rate::write(base::BitRate rate) const { return in_quotes(text_of(rate)); }
std::string Rate::allowed() const { return range_text("bit/s", *this); }

base::ByteCount Size::read(const Value& value) const {
  const auto* bytes = std::get_if<std::int64_t>(&value.data);
  if (bytes != nullptr) return in_range(*this, value, base::ByteCount{*bytes});
  const auto* text = text_in(value);
  const auto parsed = text != nullptr ? parse_size(*text) : std::nullopt;
  if (!parsed) reject(value, R"(a size; write bytes, such as "16KiB", "1MiB" or 65536)");
  return in_range(*this, value, *parsed);
}
std::string Size::write(base::ByteCount size) const { return in_quotes(text_of(size)); }
std::string Size::allowed() const { return range_text("bytes", *this); }

transcoder::PictureSize Dimensions::read(const Value& value) const {
  const auto* text = text_in(value);
  const auto size = text != nullptr ? parse_dimensions(*text) : std::nullopt;
  if (!size) reject(value, R"(a picture size; write width and height, such as "1920x1080")");
  const bool allowed = size->width >= min.width && size->height >= min.height &&
                       size->width <= max.width && size->height <= max.height;
  if (allowed) return *size;
  throw Rejected{value.place, fmt::format("{} is out of range; allowed: {} to {}", shown(value),
                                          write(min), write(max))};
}
std::string Dimensions::write(transcoder::PictureSize size) const {
  return in_quotes(text_of(size));
}
std::string Dimensions::allowed() const { return range_text("width by height", *this); }

std::string Text::read(const Value& value) const {
  if (const auto* text = text_in(value)) return *text;
  reject(value, "a string; write it in quotes");
}
std::string Text::write(const std::string& text) const { return in_quotes(text); }
std::string Text::allowed() const { return std::string{meaning}; }

std::string Word::read(const Value& value) const {
  const auto* text = text_in(value);
  if (text == nullptr) reject(value, allowed());
  for (const auto* accepted : {&words, &also}) {
    if (std::ranges::find(*accepted, *text) != accepted->end()) return *text;
  }
  const auto meant = nearest(*text, words);
  reject(value, meant.empty() ? allowed()
                              : fmt::format("{}; did you mean {}?", allowed(), in_quotes(meant)));
}
std::string Word::write(const std::string& word) const { return in_quotes(word); }
std::string Word::allowed() const {
  std::vector<std::string> all;
  for (const auto& word : words) all.push_back(in_quotes(word));
  return fmt::format("one of {}", fmt::join(all, ", "));
}

}  // namespace app::types
