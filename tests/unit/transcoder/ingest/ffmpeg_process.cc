#include "ffmpeg_process.h"

#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/system_error.h"
#include "base/unique_fd.h"

namespace transcoder::test {

namespace {

/// A socket of the loopback address; nullopt if the port is in use. Port 0: one that the kernel
/// chooses.
std::optional<base::UniqueFd> bound(int type, std::uint16_t port) {
  base::UniqueFd socket{base::check("socket", ::socket(AF_INET, type, 0))};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const int result = bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  if (result != 0 && port != 0 && errno == EADDRINUSE) return std::nullopt;
  base::check("bind", result);
  return socket;
}

std::uint16_t port_of(const base::UniqueFd& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  base::check("getsockname",
              getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size));
  return ntohs(address.sin_port);
}

}  // namespace

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
  // The kernel does not offer a TCP port that a connection of another test had a minute ago, and
  // that ffmpeg could not listen on.
  const auto tcp = bound(SOCK_STREAM, 0);
  const auto port = port_of(*tcp);
  return bound(SOCK_DGRAM, port) ? port : free_port();
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
