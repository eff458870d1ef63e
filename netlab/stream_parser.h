#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/units.h"
#include "netlab/ticks.h"

namespace netlab {

/// One complete coded picture (a frame).
struct Picture {
  std::uint64_t index = 0;
  Ticks pts{};
  base::Time arrival{};  ///< of the last byte
  std::size_t bytes = 0;
  bool keyframe = false;
};

/// Takes a stream apart, fed in any pieces, and reports its pictures.
class StreamParser {
 public:
  using OnPicture = std::function<void(const Picture&)>;

  virtual ~StreamParser() = default;
  virtual void feed(std::span<const std::uint8_t> bytes, base::Time arrival) = 0;
  /// How much of the stream a strict receiver would reject.
  virtual std::uint64_t errors() const = 0;
};

}  // namespace netlab
