#include "transcoder/gst/glib_log.h"

#include <glib.h>

#include <exception>
#include <mutex>
#include <string_view>

#include "base/log.h"
#include "base/log_period.h"
#include "transcoder/gst/gst_error.h"
#include "transcoder/secrets.h"

namespace transcoder {

namespace {

std::string_view field(const GLogField* fields, gsize count, std::string_view key) {
  for (gsize i = 0; i < count; ++i) {
    if (key != fields[i].key) continue;
    const auto* const text = static_cast<const char*>(fields[i].value);
    return fields[i].length < 0
               ? std::string_view{text}
               : std::string_view{text, static_cast<std::size_t>(fields[i].length)};
  }
  return {};
}

GLogWriterOutput write(GLogLevelFlags level, const GLogField* fields, gsize count,
                       gpointer) noexcept {
  static std::mutex mutex;
  static base::LogPeriod period;  // GUARDED_BY(mutex)
  constexpr int kReported = G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING;
  if ((level & kReported) == 0) return G_LOG_WRITER_HANDLED;
  try {
    std::lock_guard lock{mutex};
    auto times = period.count(base::Clock::now());
    // GLib ends the process after an error, whose message says why.
    if ((level & G_LOG_LEVEL_ERROR) != 0) times = times.value_or(1);
    if (times) {
      base::log::warning("glib",
                         {{"library", field(fields, count, "GLIB_DOMAIN")},
                          {"message", without_secrets(one_line(field(fields, count, "MESSAGE")))},
                          {"times", *times}});
    }
  } catch (const std::exception&) {
    return G_LOG_WRITER_UNHANDLED;  // the caller is C code
  }
  return G_LOG_WRITER_HANDLED;
}

}  // namespace

void capture_glib_log() {
  static std::once_flag once;
  std::call_once(once, [] { g_log_set_writer_func(write, nullptr, nullptr); });
}

}  // namespace transcoder
