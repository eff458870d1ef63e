#include "transcoder/picture/picture_pool.h"

#include <utility>

namespace transcoder {

namespace {

/// Each row begins at a multiple of a cache line, and loops over whole vectors may run past its
/// end.
constexpr int kRowAlignment = 64;

int stride_for(int width) { return (width + kRowAlignment - 1) / kRowAlignment * kRowAlignment; }

}  // namespace

PicturePool::PicturePool(PictureSize size) : size_{size} {}

PicturePool::Block PicturePool::take_block() {
  {
    std::lock_guard lock{free_->mutex};
    if (!free_->blocks.empty()) {
      Block block = std::move(free_->blocks.back());
      free_->blocks.pop_back();
      return block;
    }
  }
  const auto luma = static_cast<std::size_t>(stride_for(size_.width)) * size_.height;
  const auto chroma = static_cast<std::size_t>(stride_for(size_.width / 2)) * (size_.height / 2);
  return std::make_unique_for_overwrite<std::uint8_t[]>(luma + 2 * chroma);
}

PicturePool::Picture PicturePool::take() {
  Block block = take_block();
  std::uint8_t* const luma = block.get();
  const int stride = stride_for(size_.width);
  const int chroma_stride = stride_for(size_.width / 2);
  std::uint8_t* const u = luma + static_cast<std::ptrdiff_t>(stride) * size_.height;
  std::uint8_t* const v = u + static_cast<std::ptrdiff_t>(chroma_stride) * (size_.height / 2);
  Picture picture;
  picture.canvas = {
      {luma, u, v}, {stride, chroma_stride, chroma_stride}, size_.width, size_.height};
  picture.memory = std::shared_ptr<void>{block.release(), [free = free_](void* memory) {
                                           Block back{static_cast<std::uint8_t*>(memory)};
                                           std::lock_guard lock{free->mutex};
                                           free->blocks.push_back(std::move(back));
                                         }};
  return picture;
}

}  // namespace transcoder
