#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/target.h"

// Gives each target the files of corpus/NAME, and no bytes at all. A property that does not hold
// ends this program with a message of CHECK.

namespace {

struct Case {
  fuzz::Target target;
  std::filesystem::path file;  ///< empty for no bytes

  std::string name() const {
    auto name = std::string{target.name} + '_';
    name += file.empty() ? "no_bytes" : file.filename().string();
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
  }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& target : fuzz::targets()) {
    all.push_back({target, {}});
    const auto folder = std::filesystem::path{SYMCAST_FUZZ_CORPUS} / target.name;
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
      all.push_back({target, entry.path()});
    }
  }
  std::ranges::sort(all, {}, &Case::name);
  return all;
}

class CorpusTest : public testing::TestWithParam<Case> {};

TEST_P(CorpusTest, KeepsItsProperties) {
  const auto& [target, file] = GetParam();
  std::vector<std::uint8_t> bytes;
  if (!file.empty()) {
    std::ifstream in{file, std::ios::binary};
    ASSERT_TRUE(in) << file;
    bytes.assign(std::istreambuf_iterator<char>{in}, {});
  }
  target.run(fuzz::Input{bytes.data(), bytes.size()});
}

INSTANTIATE_TEST_SUITE_P(Fuzz, CorpusTest, testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name(); });

}  // namespace
