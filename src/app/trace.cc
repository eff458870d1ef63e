#include "app/trace.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace app {

namespace {

std::string writable_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw std::runtime_error{
        fmt::format("trace directory {}: {}; choose one that the server may write to, or leave "
                    "trace.directory empty",
                    directory, error.message())};
  }
  return directory;
}

}  // namespace

Trace::Trace(const std::string& directory)
    : directory_{writable_directory(directory)}, thread_{[this] { run(); }} {}

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
  while (const auto line = lines_.pop()) {
    line->session->file_ << line->text << '\n';
    if (line->session.use_count() == 1) line->session->file_.flush();
  }
}

}  // namespace app
