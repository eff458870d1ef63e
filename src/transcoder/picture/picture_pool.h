#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "transcoder/picture/canvas.h"
#include "transcoder/picture/picture_size.h"

namespace transcoder {

/// Memory for pictures of one size, used again when the last holder lets go: a fresh 1.4 MB block
/// for each costs 340 page faults. Grows to as many as are held at once. Thread-safe; may be
/// destroyed before its pictures.
class PicturePool {
 public:
  struct Picture {
    Canvas canvas;
    std::shared_ptr<void> memory;  ///< keeps the canvas' planes alive
  };

  explicit PicturePool(PictureSize size);
  Picture take();

 private:
  using Block = std::unique_ptr<std::uint8_t[]>;
  struct Free {
    std::mutex mutex;
    std::vector<Block> blocks;  // GUARDED_BY(mutex)
  };
  Block take_block();

  const PictureSize size_;
  const std::shared_ptr<Free> free_ = std::make_shared<Free>();
};

}  // namespace transcoder
