#include "server/connection_output.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "server/output_account.h"

namespace server {
namespace {

using Status = ConnectionOutput::Written::Status;

std::array<base::UniqueFd, 2> socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) != 0) {
    throw std::system_error{errno, std::generic_category(), "socketpair"};
  }
  return {base::UniqueFd{ends[0]}, base::UniqueFd{ends[1]}};
}

TEST(ConnectionOutputTest, WritesALittleInEachTurn) {
  auto [client, ours] = socket_pair();
  ViewerSocket socket{std::move(ours)};
  OutputAccount account{base::ByteCount{1'000'000}, {}};
  const Settings settings;
  ConnectionOutput output{socket, account.open(*Address::parse("192.0.2.1")), settings};
  output.response().begin("head", SharedBytes::of(std::string(ConnectionOutput::kMaxTurn, 'x')));

  const auto first = output.write();
  EXPECT_EQ(first.status, Status::kTurnOver);
  EXPECT_EQ(first.bytes, ConnectionOutput::kMaxTurn);
  EXPECT_EQ(output.write().bytes, 0u) << "not in this turn";

  output.begin_turn();
  const auto second = output.write();
  EXPECT_EQ(second.status, Status::kAll);
  EXPECT_EQ(second.bytes, 4u);
}

}  // namespace
}  // namespace server
