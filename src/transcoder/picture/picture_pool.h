#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "transcoder/picture/canvas.h"
#include "transcoder/picture/picture_size.h"

namespace transcoder {

/// Reuses the memory of I420 pictures of one size, because a new 1.4 MB block (720p) costs 340 page
/// faults. Keeps as many blocks as were ever in use at once. Thread-safe; may be destroyed before
/// its pictures.
class PicturePool {
 public:
  struct Picture {
    Canvas canvas;
    std::shared_ptr<void> memory;  ///< keeps the planes alive; its last owner returns the block
  };

  /// `size` must be even.
  explicit PicturePool(PictureSize size);
  /// A picture with undefined content.
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
