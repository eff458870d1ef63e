#include "app/telemetry/trace.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/log.h"

namespace app {

namespace {

std::string writable_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error && ::access(directory.c_str(), W_OK | X_OK) != 0) {
    error = {errno, std::generic_category()};
  }
  if (error) {
    throw std::runtime_error{
        fmt::format("trace directory {}: {}; choose a directory that the server may write "
                    "to, or leave trace.directory empty",
                    directory, error.message())};
  }
  return directory;
}

const char* hint(int error) {
  return error == ENOSPC
             ? "traces leave 1 GB or 5 % of the file system free: delete old ones, or set "
               "trace.directory to another disk"
             : "see that trace.directory exists and that the server may write there";
}

// At 1000 viewers a trace grows by 10 MB in it.
constexpr base::Duration kRoomInterval = std::chrono::seconds{1};

}  // namespace

Trace::Trace(const std::string& directory, Reserve reserve)
    : directory_{writable_directory(directory)}, reserve_{reserve}, thread_{[this] { run(); }} {}

Trace::~Trace() {
  lines_.close();
  thread_.join();
}

std::shared_ptr<Trace::Session> Trace::open(const std::string& stream, std::uint64_t viewer) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return std::make_shared<Session>(
      fmt::format("{}/{}-{:%Y%m%dT%H%M%S}-{}.jsonl", directory_, stream, fmt::gmtime(now), viewer));
}

void Trace::write(std::shared_ptr<Session> session, std::string line) {
  lines_.push({std::move(session), std::move(line)});
}

void Trace::run() {
  Files files;  // each key holds a reference to its session
  std::size_t lines = 0;
  while (const auto line = lines_.pop()) {
    write(*line, files);
    if (++lines % kLinesPerSweep != 0) continue;
    std::erase_if(files, [](const auto& file) { return file.first.use_count() == 1; });
  }
}

bool Trace::has_room() {
  const auto now = base::Clock::now();
  if (now - looked_for_room_ < kRoomInterval) return has_room_;
  looked_for_room_ = now;
  std::error_code error;
  const auto space = std::filesystem::space(directory_, error);
  const auto part = reserve_.part * static_cast<double>(space.capacity);
  const auto reserved = std::min(part, static_cast<double>(reserve_.amount.bytes()));
  has_room_ = error || static_cast<double>(space.available) >= reserved;
  return has_room_;
}

void Trace::write(const Line& line, Files& files) {
  if (!has_room()) return write_failed(ENOSPC);
  auto& file = files[line.session];
  errno = 0;
  if (!file.is_open()) file.open(line.session->path);
  const bool last = line.session.use_count() == 2;
  file << line.text << '\n';
  if (last) file.flush();
  if (!file) {
    const int error = errno == 0 ? EIO : errno;
    file.clear();  // the disk may have room for the next line
    write_failed(error);
  }
  if (last) files.erase(line.session);
}

void Trace::write_failed(int error) {
  ++lines_failed_;
  if (const auto lines = failures_.count(base::Clock::now())) {
    base::log::warning("trace_not_written", {{"directory", directory_},
                                             {"error", std::generic_category().message(error)},
                                             {"lines", *lines},
                                             {"hint", hint(error)}});
  }
}

}  // namespace app
