#include "base/termination.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <thread>

namespace {

/// Ends the process by an exception that no code catches, on a thread.
template <typename Exception>
void fail(Exception exception) {
  base::explain_termination();
  std::thread{[&] { throw exception; }}.join();
}

class TerminationTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(TerminationTest, SaysWhatToDoWithoutMemory) {
  EXPECT_DEATH(fail(std::bad_alloc{}),
               "^symcast: out of memory: raise MemoryMax=.*server.max_viewers");
}

TEST_F(TerminationTest, SaysWhatWasWrong) {
  EXPECT_DEATH(fail(std::logic_error{"no such thing"}), "report it: no such thing");
}

}  // namespace
