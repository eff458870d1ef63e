#include "ffmpeg_process.h"

#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <filesystem>
#include <utility>

#include "base/system_error.h"
#include "base/unique_fd.h"

namespace transcoder::test {

bool have_ffmpeg() { return std::system("command -v ffmpeg > /dev/null") == 0; }

FfmpegProcess::FfmpegProcess(const Arguments& arguments) {
  Arguments all{"ffmpeg", "-hide_banner", "-loglevel", "fatal", "-nostdin", "-y"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> raw;
  for (auto& argument : all) raw.push_back(argument.data());
  raw.push_back(nullptr);
  const int error = posix_spawnp(&pid_, "ffmpeg", nullptr, nullptr, raw.data(), environ);
  if (error != 0) throw base::SystemError{"run ffmpeg", error};
}

FfmpegProcess::FfmpegProcess(FfmpegProcess&& other) noexcept
    : pid_{std::exchange(other.pid_, -1)} {}

FfmpegProcess::~FfmpegProcess() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool FfmpegProcess::ended() {
  if (pid_ >= 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
  return pid_ < 0;
}

bool FfmpegProcess::wait() {
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::uint16_t free_port() {
  const base::UniqueFd socket{base::check("socket", ::socket(AF_INET, SOCK_DGRAM, 0))};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  base::check("bind", bind(socket.get(), any, size));
  base::check("getsockname", getsockname(socket.get(), any, &size));
  return ntohs(address.sin_port);
}

TemporaryDirectory::TemporaryDirectory()
    : path_{(std::filesystem::temp_directory_path() / "symcast-ingest-XXXXXX").string()} {
  if (mkdtemp(path_.data()) == nullptr) throw base::SystemError{"mkdtemp " + path_};
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace transcoder::test
