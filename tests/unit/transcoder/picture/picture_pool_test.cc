#include "transcoder/picture/picture_pool.h"

#include <gtest/gtest.h>

#include <optional>

namespace transcoder {
namespace {

TEST(PicturePoolTest, ReusesMemory) {
  PicturePool pool{{64, 36}};
  const auto* const first = pool.take().canvas.plane[0];
  EXPECT_EQ(pool.take().canvas.plane[0], first);
}

TEST(PicturePoolTest, PicturesInUseDoNotShareMemory) {
  PicturePool pool{{64, 36}};
  const auto a = pool.take();
  const auto b = pool.take();
  EXPECT_NE(a.canvas.plane[0], b.canvas.plane[0]);
}

TEST(PicturePoolTest, PicturesOutliveThePool) {
  std::optional<PicturePool> pool{PictureSize{64, 36}};
  const auto picture = pool->take();
  pool.reset();
  picture.canvas.plane[2][17 * picture.canvas.stride[2] + 31] = 1;
  EXPECT_EQ(picture.canvas.plane[2][17 * picture.canvas.stride[2] + 31], 1);
}

}  // namespace
}  // namespace transcoder
