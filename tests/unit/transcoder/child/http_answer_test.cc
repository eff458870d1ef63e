#include "transcoder/child/http_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transcoder {
namespace {

using ::testing::HasSubstr;

TEST(HttpAnswer, KnowsNothingWithoutAConnection) { EXPECT_EQ(HttpAnswer{}.problem(), ""); }

TEST(HttpAnswer, NamesTlsIfNoRequestWasSent) {
  HttpAnswer answer;
  answer.received(100);
  EXPECT_THAT(answer.problem(), HasSubstr("no TLS connection"));
}

TEST(HttpAnswer, NamesWhatIsWrong) {
  HttpAnswer answer;
  answer.asked();
  EXPECT_THAT(answer.problem(), HasSubstr("without an answer"));
  answer.received(20);
  EXPECT_THAT(answer.problem(), HasSubstr("does not answer in HTTP"));
  answer.received(100'000);
  EXPECT_THAT(answer.problem(), HasSubstr("too long or has no end"));
  answer.begins();
  EXPECT_THAT(answer.problem(), HasSubstr("breaks its answer off"));
}

TEST(HttpAnswer, IsOfTheLastRequest) {
  HttpAnswer answer;
  answer.asked();
  answer.received(100'000);
  answer.begins();
  answer.asked();
  EXPECT_THAT(answer.problem(), HasSubstr("without an answer"));
}

TEST(HttpAnswer, EndsInterimAnswersWithoutEnd) {
  HttpAnswer answer;
  answer.asked();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(answer.interim(), "");
  EXPECT_EQ(answer.interim(), "the HTTP server has sent 50 interim answers (1xx), but no answer");
  answer.asked();
  EXPECT_EQ(answer.interim(), "");
}

}  // namespace
}  // namespace transcoder
