#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

/// The sender of the ingest tests: the stock ffmpeg program.
namespace transcoder::test {

bool have_ffmpeg();

/// A running ffmpeg; killed by the destructor.
class FfmpegProcess {
 public:
  using Arguments = std::vector<std::string>;

  explicit FfmpegProcess(const Arguments& arguments);
  FfmpegProcess(FfmpegProcess&& other) noexcept;
  FfmpegProcess& operator=(FfmpegProcess&&) = delete;
  ~FfmpegProcess();

  bool ended();
  /// Waits for its end and returns whether it succeeded.
  bool wait();

 private:
  pid_t pid_ = -1;
};

/// A port of the loopback address that is currently unused, by TCP and by UDP.
std::uint16_t free_port();

/// A new directory that is removed, with its content, by the destructor.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace transcoder::test
