#include "transcoder/access/resolver.h"

#include <gtest/gtest.h>
#include <netdb.h>
#include <poll.h>

#include <atomic>
#include <chrono>
#include <future>

namespace transcoder::access {
namespace {

using namespace std::chrono_literals;

class ResolverTest : public testing::Test {
 protected:
  void wait() {
    pollfd ready{.fd = waker_->fd(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&ready, 1, 60'000), 1);
    waker_->clear();
  }
  Resolver::Answer answer_to(Resolver& resolver, const std::string& name, base::Time now) {
    for (;;) {
      if (const auto answer = resolver.answer(name, now, waker_)) return *answer;
      wait();
    }
  }

  std::shared_ptr<Resolver::Waker> waker_ = std::make_shared<Resolver::Waker>();
};

TEST_F(ResolverTest, AnswersWithoutWaiting) {
  std::promise<void> release;
  const auto released = release.get_future().share();
  Resolver resolver{[released](const std::string& name) {
    released.wait();
    return Resolver::Answer{.error = name == "a" ? 0 : EAI_NONAME,
                            .addresses = {*base::Address::parse("192.0.2.1")}};
  }};
  const auto now = base::Clock::now();
  EXPECT_FALSE(resolver.answer("a", now, waker_));
  EXPECT_FALSE(resolver.answer("b", now, waker_)) << "waits for the same thread";
  release.set_value();
  EXPECT_EQ(answer_to(resolver, "a", now).addresses.front().text(), "192.0.2.1");
  EXPECT_EQ(answer_to(resolver, "b", now).error, EAI_NONAME);
}

TEST_F(ResolverTest, RemembersAnAnswerForAWhile) {
  const auto asked = std::make_shared<std::atomic<int>>(0);
  Resolver resolver{[asked](const std::string&) {
    ++*asked;
    return Resolver::Answer{};
  }};
  answer_to(resolver, "a", base::Clock::now());
  EXPECT_TRUE(resolver.answer("a", base::Clock::now(), waker_));
  EXPECT_EQ(*asked, 1);
  const auto later = base::Clock::now() + Resolver::kAnswerLifetime;
  EXPECT_FALSE(resolver.answer("a", later, waker_));
  wait();
  EXPECT_EQ(*asked, 2);
}

TEST_F(ResolverTest, MayGoWhileItsThreadHangs) {
  std::promise<void> release;
  const auto released = release.get_future().share();
  const auto ended = std::make_shared<std::promise<void>>();
  {
    Resolver resolver{[released, ended](const std::string&) {
      released.wait();
      ended->set_value();
      return Resolver::Answer{};
    }};
    EXPECT_FALSE(resolver.answer("a", base::Clock::now(), waker_));
  }
  release.set_value();
  EXPECT_EQ(ended->get_future().wait_for(60s), std::future_status::ready);
}

TEST_F(ResolverTest, WakesWhoAskedLast) {
  std::promise<void> release;
  const auto released = release.get_future().share();
  Resolver resolver{[released](const std::string&) {
    released.wait();
    return Resolver::Answer{};
  }};
  auto gone = std::make_shared<Resolver::Waker>();
  EXPECT_FALSE(resolver.answer("a", base::Clock::now(), gone));
  gone.reset();
  EXPECT_FALSE(resolver.answer("a", base::Clock::now(), waker_));
  release.set_value();
  wait();
  EXPECT_TRUE(resolver.answer("a", base::Clock::now(), waker_));
}

TEST_F(ResolverTest, AsksTheNameService) {
  const auto local = Resolver::by_name_service("127.0.0.1");
  EXPECT_EQ(local.error, 0);
  ASSERT_EQ(local.addresses.size(), 1u);
  EXPECT_EQ(local.addresses.front().text(), "127.0.0.1");
  EXPECT_NE(Resolver::by_name_service("a..b").error, 0);
}

}  // namespace
}  // namespace transcoder::access
