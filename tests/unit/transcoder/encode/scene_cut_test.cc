#include "transcoder/encode/scene_cut.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pictures.h"

namespace transcoder {
namespace {

using test::Content;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The numbers of the pictures, of `count`, that are reported as the first of a scene.
std::vector<int> cuts(Content content, int width, int height, int count) {
  test::Pictures pictures{content, width, height};
  SceneCut scene_cut;
  std::vector<int> found;
  for (int i = 0; i < count; ++i) {
    if (scene_cut.update(*pictures.next({}))) found.push_back(i);
  }
  return found;
}

TEST(SceneCutTest, DetectsEachNewScene) {
  EXPECT_THAT(cuts(Content::kCuts, 176, 120, 70), ElementsAre(30, 60));
  EXPECT_THAT(cuts(Content::kCuts, 640, 360, 35), ElementsAre(30));
}

TEST(SceneCutTest, OneSceneHasNoCut) {
  for (const auto content : {Content::kStatic, Content::kMoving, Content::kNoise}) {
    EXPECT_THAT(cuts(content, 176, 120, 35), IsEmpty()) << name(content);
    EXPECT_THAT(cuts(content, 640, 360, 10), IsEmpty()) << name(content);
  }
}

TEST(SceneCutTest, APictureSmallerThanABlockHasNoCut) {
  EXPECT_THAT(cuts(Content::kCuts, 2, 2, 70), IsEmpty());
}

}  // namespace
}  // namespace transcoder
