#include "transcoder/access/request_judge.h"

#include <gtest/gtest.h>
#include <netdb.h>

#include <cerrno>

#include "sockets.h"

namespace transcoder::access {
namespace {

using namespace std::chrono_literals;
using Origin = RequestJudge::Origin;

const base::Endpoint kPublic = *base::Endpoint::parse("1.1.1.1:80");
const base::Endpoint kPrivate = *base::Endpoint::parse("10.0.0.7:80");

class RequestJudgeTest : public testing::Test {
 protected:
  RequestJudge::Verdict judge(wire::AccessRequest request, Origin origin = Origin::kAccess,
                              const RequestJudge::Socket& socket = std::nullopt) {
    return judge_.judge(origin, wire::encode(std::move(request)), socket, now_);
  }
  RequestJudge::Verdict connect(const base::Endpoint& to) {
    return judge(wire::Connect{bytes(to)}, Origin::kAccess,
                 base::Result<Transport>{Transport::kTcp});
  }
  static std::string how(const RequestJudge::Verdict& verdict) {
    const auto* const broken = std::get_if<RequestJudge::Broken>(&verdict);
    return broken != nullptr ? broken->how : "";
  }

  base::Time now_{1h};
  RequestJudge judge_{access_rules({.uri = "http://a.example/"}), std::make_shared<HostHistory>()};
};

TEST_F(RequestJudgeTest, AnAllowedCallIsMadeToThatAddress) {
  const auto verdict = connect(kPublic);
  const auto* const call = std::get_if<RequestJudge::Call>(&verdict);
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->kind, RequestJudge::Call::Kind::kConnect);
  EXPECT_EQ(call->address.endpoint, kPublic);
  EXPECT_EQ(call->wait, 0s);
}

TEST_F(RequestJudgeTest, AForbiddenOneIsRefusedWithTheReason) {
  const auto verdict = connect(kPrivate);
  const auto* const reply = std::get_if<RequestJudge::Reply>(&verdict);
  ASSERT_NE(reply, nullptr);
  EXPECT_TRUE(std::holds_alternative<wire::Refused>(reply->answer));
  ASSERT_TRUE(reply->refusal);
  EXPECT_EQ(reply->refusal->place, kPrivate.text());
}

TEST_F(RequestJudgeTest, MessagesOutOfPlaceBreakTheProtocol) {
  EXPECT_EQ(how(judge(wire::Lookup{"a.example"})), "a lookup out of place");
  EXPECT_EQ(how(judge(wire::MayOpen{.scheme = "http"}, Origin::kLookup)), "not a lookup");
  EXPECT_EQ(how(judge(wire::Connect{bytes(kPublic)})), "no descriptor");
  EXPECT_EQ(how(judge(wire::Lookup{"a.example"}, Origin::kLookup,
                      base::Result<Transport>{Transport::kTcp})),
            "a descriptor without need");
  EXPECT_EQ(how(judge(wire::Connect{bytes(kPublic)}, Origin::kAccess,
                      base::Result<Transport>{base::Error{"a file"}})),
            "a file");
  EXPECT_FALSE(how(judge_.judge(Origin::kAccess, {}, std::nullopt, now_)).empty());
}

TEST_F(RequestJudgeTest, ManyConnectionsWait) {
  base::Duration wait{};
  for (int i = 0; i < 30; ++i) wait = std::get<RequestJudge::Call>(connect(kPublic)).wait;
  EXPECT_EQ(wait, 2s);
}

TEST_F(RequestJudgeTest, ALookupGetsTheAddressesThatTheNameMayHave) {
  const auto verdict = judge(wire::Lookup{"cdn.example"}, Origin::kLookup);
  const auto* const lookup = std::get_if<RequestJudge::LookUp>(&verdict);
  ASSERT_NE(lookup, nullptr);
  EXPECT_EQ(lookup->name, "cdn.example");
  const auto reply =
      judge_.found("cdn.example", {.addresses = {kPublic.address, kPrivate.address}});
  ASSERT_TRUE(std::holds_alternative<wire::Found>(reply.answer));
  EXPECT_EQ(std::get<wire::Found>(reply.answer).addresses.size(), 1u);
  EXPECT_TRUE(judge_.found("cdn.example", {.addresses = {kPrivate.address}}).refusal);
  EXPECT_EQ(std::get<wire::Failed>(judge_.found("cdn.example", {}).answer).error, EAI_NONAME);
}

}  // namespace
}  // namespace transcoder::access
