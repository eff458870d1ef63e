#include "server/output_account.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace server {
namespace {

using base::ByteCount;

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kLeast = OutputAccount::kLeast.bytes();

Address host(int number) { return *Address::parse("192.0.2." + std::to_string(number)); }

class OutputAccountTest : public testing::Test {
 protected:
  /// A connection that reads nothing: it is sent what there is room for, 64 KiB at most.
  OutputAccount::Share reader(const Address& address) {
    auto share = account_.open(address);
    share.set(std::min(share.room(), ByteCount{64 * 1024}));
    return share;
  }

  OutputAccount account_{ByteCount{16 * kMiB}, {*Network::parse("203.0.113.0/24")}};
};

TEST_F(OutputAccountTest, ABlockHasAQuarterAndThenLittleForEach) {
  std::vector<OutputAccount::Share> readers;
  for (int i = 0; i < 200; ++i) readers.push_back(reader(host(1)));
  EXPECT_EQ(account_.held(), ByteCount{4 * kMiB + 136 * kLeast});
  EXPECT_EQ(readers.back().room(), ByteCount{}) << "it has to read first";
  EXPECT_GT(account_.open(host(2)).room(), ByteCount{kMiB}) << "another address is not concerned";
}

TEST_F(OutputAccountTest, AllTogetherHaveALimit) {
  std::vector<OutputAccount::Share> readers;
  for (int i = 0; i < 1000; ++i) readers.push_back(reader(host(i % 250)));
  EXPECT_EQ(account_.held(), ByteCount{16 * kMiB + 744 * kLeast});
  EXPECT_EQ(account_.open(host(251)).room(), OutputAccount::kLeast) << "a newcomer is served";
}

TEST_F(OutputAccountTest, ThoseWhoReadGoOn) {
  std::vector<OutputAccount::Share> readers;
  for (int i = 0; i < 200; ++i) readers.push_back(reader(host(1)));
  readers.back().set(ByteCount{1000});
  EXPECT_EQ(readers.back().room(), OutputAccount::kLeast - ByteCount{1000});
  readers.clear();
  EXPECT_EQ(account_.held(), ByteCount{}) << "everything is given back";
  EXPECT_GT(account_.open(host(1)).room(), ByteCount{kMiB});
}

TEST_F(OutputAccountTest, AProxyHasNoLimitOfItsOwn) {
  std::vector<OutputAccount::Share> readers;
  for (int i = 0; i < 200; ++i) readers.push_back(reader(*Address::parse("203.0.113.7")));
  EXPECT_EQ(account_.held(), ByteCount{200 * 64 * 1024});
}

}  // namespace
}  // namespace server
