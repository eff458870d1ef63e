#pragma once

#include <cstdint>
#include <utility>

#include "base/units.h"
#include "server/handler.h"

namespace app {

/// How much of what is on its way to a viewer is padding.
class PaddingWatch {
 public:
  /// `acked`: bytes of the connection that have been acknowledged.
  base::ByteCount under_way(const server::ViewerState& state, std::uint64_t acked) {
    if (state.padding > seen_) {
      newest_ = state.padding - std::exchange(seen_, state.padding);
      end_ = state.sent + state.queued;
    }
    return static_cast<std::int64_t>(acked) < end_.bytes() ? newest_ : base::ByteCount{};
  }

 private:
  base::ByteCount seen_;  ///< of ViewerState::padding
  base::ByteCount newest_;
  base::ByteCount end_;  ///< offset in the connection behind which there is none of it
};

}  // namespace app
