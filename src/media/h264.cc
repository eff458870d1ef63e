#include "media/h264.h"

#include <algorithm>
#include <array>

#include "media/bytes.h"

namespace media::h264 {

namespace {

constexpr std::array<std::uint8_t, 3> kStartCode{0, 0, 1};

/// Drops zeros at the end: a NAL unit never ends with one, so they belong to the next start code or
/// are padding.
Bytes without_zeros(Bytes unit) {
  while (!unit.empty() && unit.back() == 0) unit = unit.first(unit.size() - 1);
  return unit;
}

}  // namespace

std::vector<Bytes> nal_units(Bytes stream) {
  std::vector<Bytes> units;
  const auto start_code = [&](Bytes::iterator from) {
    return std::search(from, stream.end(), kStartCode.begin(), kStartCode.end());
  };
  for (auto code = start_code(stream.begin()); code != stream.end();) {
    const auto begin = code + kStartCode.size();
    code = start_code(begin);
    const Bytes unit = without_zeros({begin, code});
    if (!unit.empty()) units.push_back(unit);
  }
  return units;
}

void append_with_lengths(std::vector<std::uint8_t>& out, Bytes stream) {
  for (const Bytes unit : nal_units(stream)) {
    append_number(out, unit.size(), 4);
    out.insert(out.end(), unit.begin(), unit.end());
  }
}

}  // namespace media::h264
