#include "transcoder/wire/codec.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "transcoder/wire/printable.h"

namespace transcoder::wire {

namespace {

/// Eight times full scale: decoders overshoot, but not by more.
constexpr float kMaxSample = 8;

void check_size(const char* name, std::size_t size, std::size_t least, std::size_t most) {
  if (size >= least && size <= most) return;
  throw std::length_error{fmt::format("{}: {} instead of {} to {}", name, size, least, most)};
}

bool has_sample_range(float value) { return value >= -kMaxSample && value <= kMaxSample; }

}  // namespace

void FieldWriter::append(const void* data, std::size_t size) {
  const auto* const from = static_cast<const std::uint8_t*>(data);
  out_.insert(out_.end(), from, from + size);
}

void FieldWriter::sized(const char* name, const void* data, std::size_t size, std::size_t least,
                        std::size_t most) {
  check_size(name, size, least, most);
  put(static_cast<std::uint16_t>(size));
  append(data, size);
}

void FieldWriter::real(const char* /*name*/, double& value, double least, double most) {
  put(std::isnan(value) ? least : std::clamp(value, least, most));
}

void FieldWriter::duration(const char* /*name*/, base::Duration& value, base::Duration least,
                           base::Duration most) {
  put(std::int64_t{std::clamp(value, least, most).count()});
}

void FieldWriter::text(const char* name, std::string& value, std::size_t most) {
  const auto clean = printable(value, most);
  sized(name, clean.data(), clean.size(), 0, most);
}

void FieldWriter::exact_text(const char* name, std::string& value, std::size_t most) {
  if (printable(value, most) != value) {
    throw std::length_error{fmt::format("{} is too long or unprintable", name)};
  }
  sized(name, value.data(), value.size(), 0, most);
}

void FieldWriter::samples(std::vector<float>& values, std::size_t channels, std::size_t most) {
  check_size("audio frames", values.size() / channels, 1, most);
  for (auto& value : values) {
    value = std::isfinite(value) ? std::clamp(value, -kMaxSample, kMaxSample) : 0;
  }
  put(static_cast<std::uint16_t>(values.size() / channels));
  append(values.data(), values.size() / channels * channels * sizeof(float));
}

std::span<const std::uint8_t> FieldReader::next(std::size_t size) {
  if (rest_.size() < size) {
    refuse("end", "early");
    rest_ = {};
    return {};
  }
  const auto result = rest_.first(size);
  rest_ = rest_.subspan(size);
  return result;
}

std::span<const std::uint8_t> FieldReader::sized(const char* name, std::size_t least,
                                                 std::size_t most) {
  std::size_t size = 0;
  number<std::uint16_t>(name, size, static_cast<std::int64_t>(least),
                        static_cast<std::int64_t>(most));
  return next(size);
}

void FieldReader::refuse(const char* name, const std::string& value) {
  if (error_.empty()) error_ = fmt::format("{}: {} {}", message_, name, value);
}

void FieldReader::real(const char* name, double& value, double least, double most) {
  const auto read = get<double>();
  if (!(read >= least && read <= most)) return refuse(name, std::to_string(read));
  value = read;
}

void FieldReader::duration(const char* name, base::Duration& value, base::Duration least,
                           base::Duration most) {
  auto count = value.count();
  number<std::int64_t>(name, count, least.count(), most.count());
  value = base::Duration{count};
}

void FieldReader::text(const char* name, std::string& value, std::size_t most) {
  bytes(name, value, 0, most);
  if (printable(value, most) != value) refuse(name, "unprintable");
}

void FieldReader::samples(std::vector<float>& values, std::size_t channels, std::size_t most) {
  std::size_t frames = 0;
  number<std::uint16_t>("frames", frames, 1, static_cast<std::int64_t>(most));
  const auto read = next(frames * channels * sizeof(float));
  values.resize(read.size() / sizeof(float));
  if (!read.empty()) std::memcpy(values.data(), read.data(), read.size());
  if (!std::ranges::all_of(values, has_sample_range)) refuse("sample", "out of range");
}

std::string FieldReader::finish() {
  if (!rest_.empty()) refuse("end", "late");
  return std::move(error_);
}

}  // namespace transcoder::wire
