#include "transcoder/process/output_log.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "transcoder/secrets.h"
#include "transcoder/wire/printable.h"

namespace transcoder {

namespace {

constexpr std::size_t kMaxLine = 200;   // bytes; enough for the reason of an abort
constexpr std::size_t kMaxKept = 1024;  // so that no secret is cut before it is masked

}  // namespace

void OutputLog::read() {
  std::array<char, 4096> buffer;
  for (;;) {
    const auto size = ::read(pipe_.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size == 0) pipe_.reset();
    if (size <= 0) return;
    take({buffer.data(), static_cast<std::size_t>(size)});
  }
}

void OutputLog::take(std::string_view text) {
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    append(text.substr(0, end));
    write();
    text.remove_prefix(end + 1);
  }
  append(text);
}

void OutputLog::append(std::string_view text) { line_ += text.substr(0, kMaxKept - line_.size()); }

void OutputLog::write() {
  const auto line = std::exchange(line_, {});
  if (line.empty()) return;
  if (const auto times = period_.count(base::Clock::now())) {
    base::log::warning("source_output", {{"stream", stream_},
                                         {"text", wire::printable(without_secrets(line), kMaxLine)},
                                         {"times", *times}});
  }
}

}  // namespace transcoder
