#include "app/segments/playlist_memo.h"

#include <gtest/gtest.h>

#include <string>

namespace app {
namespace {

PlaylistMemo::Key key(std::uint64_t revision, const std::string& query = "") {
  return {.rendition = {}, .playing = {}, .revision = revision, .query = query};
}

PlaylistMemo::Playlist playlist(const std::string& text) {
  return {.extent = {.complete = 3}, .text = server::SharedBytes::of(text)};
}

TEST(PlaylistMemoTest, KeepsWhatIsAskedForTwice) {
  PlaylistMemo memo;
  memo.made(key(1), playlist("a"));
  EXPECT_FALSE(memo.find(key(1)));
  memo.made(key(1), playlist("b"));
  ASSERT_TRUE(memo.find(key(1)));
  EXPECT_EQ(memo.find(key(1))->extent.complete, 3u);
  EXPECT_EQ(memo.find(key(1))->text.bytes.front(), 'b');
}

TEST(PlaylistMemoTest, KeepsTheLastOneOnly) {
  PlaylistMemo memo;
  for (int i = 0; i < 2; ++i) memo.made(key(1), playlist("a"));
  EXPECT_FALSE(memo.find(key(2)));
  EXPECT_FALSE(memo.find(key(1, "?token=1")));
  memo.made(key(2), playlist("b"));
  EXPECT_FALSE(memo.find(key(1)));
  EXPECT_FALSE(memo.find(key(2)));
}

TEST(PlaylistMemoTest, ForgetsWhatIsOld) {
  PlaylistMemo memo;
  for (int i = 0; i < 2; ++i) memo.made(key(1), playlist("a"));
  memo.forget_old(1);
  EXPECT_TRUE(memo.find(key(1)));
  memo.forget_old(2);
  EXPECT_FALSE(memo.find(key(1)));
}

TEST(PlaylistMemoTest, KeepsNoLongQuery) {
  PlaylistMemo memo;
  const std::string query(PlaylistMemo::kMaxKeptQuery + 1, 'q');
  for (int i = 0; i < 2; ++i) memo.made(key(1, query), playlist("a"));
  EXPECT_FALSE(memo.find(key(1, query)));
}

}  // namespace
}  // namespace app
