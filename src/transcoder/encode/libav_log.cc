#include "transcoder/encode/libav_log.h"

extern "C" {
#include <libavutil/error.h>
#include <libavutil/log.h>
}

#include <array>
#include <cstdarg>
#include <mutex>
#include <string_view>

#include "base/log.h"

namespace transcoder {

namespace {

void write(void* context, int level, const char* format, std::va_list arguments) noexcept {
  if (level > AV_LOG_ERROR) return;
  std::array<char, 300> line{};
  int print_prefix = 1;
  av_log_format_line(context, level, format, arguments, line.data(), line.size(), &print_prefix);
  std::string_view text{line.data()};
  if (text.ends_with('\n')) text.remove_suffix(1);
  base::log::warning("libav", {{"message", text}});
}

}  // namespace

void capture_libav_log() {
  static std::once_flag once;
  std::call_once(once, [] { av_log_set_callback(write); });
}

std::string libav_error(int code) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(code, text.data(), text.size());
  return text.data();
}

}  // namespace transcoder
