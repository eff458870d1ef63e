#include "transcoder/process/output_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace transcoder {
namespace {

/// The log of a process that printed `output`, and what is left to poll.
std::pair<std::string, int> log_of(const std::string& output) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  OutputLog log{base::UniqueFd{ends[0]}, "live"};
  testing::internal::CaptureStderr();
  EXPECT_EQ(::write(ends[1], output.data(), output.size()), std::ssize(output));
  log.read();
  ::close(ends[1]);
  log.read();
  return {testing::internal::GetCapturedStderr(), log.fd()};
}

TEST(OutputLogTest, LogsOneLineOfAPeriod) {
  const auto [log, fd] = log_of("\none\ntwo\nthree\n");
  EXPECT_NE(log.find("source_output stream=live text=one times=1\n"), log.npos) << log;
  EXPECT_EQ(log.find("two"), log.npos) << log;
  EXPECT_EQ(fd, -1) << "the process has closed it";
}

TEST(OutputLogTest, WritesNoSecretsAndNoControlBytes) {
  const auto [log, _] = log_of("a rtsp://user:pass@host b\x1b[2J\n");
  EXPECT_NE(log.find("source_output"), log.npos) << log;
  EXPECT_EQ(log.find("pass"), log.npos) << log;
  EXPECT_EQ(log.find('\x1b'), log.npos) << log;
}

TEST(OutputLogTest, MasksASecretThatTheCutWouldDivide) {
  const auto [log, _] = log_of(std::string(170, 'x') + " rtsp://somebody:longpassword@host\n");
  EXPECT_EQ(log.find("long"), log.npos) << log;
}

TEST(OutputLogTest, CutsLongLines) {
  const auto [log, _] = log_of(std::string(9000, 'x') + "\n");
  EXPECT_NE(log.find(std::string(200, 'x')), log.npos) << log;
  EXPECT_EQ(log.find(std::string(201, 'x')), log.npos) << log;
}

}  // namespace
}  // namespace transcoder
