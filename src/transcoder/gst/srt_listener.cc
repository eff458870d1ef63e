#include "transcoder/gst/srt_listener.h"

#include <fmt/format.h>
#include <gio/gio.h>
#include <gst/gst.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/log_period.h"
#include "base/units.h"
#include "transcoder/gst/gst_handles.h"
#include "transcoder/handle.h"
#include "transcoder/uri/source_uri.h"

namespace transcoder {

namespace {

/// GstSRTConnectionMode of gstsrt-enums.h, which is not installed.
constexpr int kModeListener = 2;

/// Media come several times per second. A shorter time would let a newcomer end a publisher whose
/// network stumbles; a longer one makes a broadcaster wait after a crash. SRT asks for newcomers
/// before it has checked their passphrase, so that behind one, strangers have to wait for longer.
constexpr base::Duration kSilence = std::chrono::seconds{1};
constexpr base::Duration kSilenceWithPassphrase = std::chrono::seconds{4};

/// SRT's log says so when it refuses somebody: "processConnectRequest: rsp(REJECT): 1010 - ...",
/// with 1000 + SRT_REJECT_REASON (srt.h of libsrt 1.5). GStreamer 1.22 passes the line on at the
/// level INFO of this category, and has no signal for it.
constexpr auto kSrtLog = "srtlib";
constexpr std::string_view kRefusal = "rsp(REJECT): ";
constexpr int kBadSecret = 1010;
constexpr int kUnsecure = 1011;

std::string text_of(GSocketAddress* address) {
  if (!G_IS_INET_SOCKET_ADDRESS(address)) return "unknown";
  const Handle<gchar, g_free> text{
      g_inet_address_to_string(g_inet_socket_address_get_address(G_INET_SOCKET_ADDRESS(address)))};
  return text.get();
}

bool has_passphrase(GstElement* srtsrc) {
  gchar* uri = nullptr;
  g_object_get(srtsrc, "uri", &uri, nullptr);
  const Handle<gchar, g_free> owned{uri};
  return uri != nullptr && !query_value(uri, "passphrase").value_or("").empty();
}

/// The publisher of one srtsrc. Called on the threads of SRT and GStreamer.
class Publisher {
 public:
  Publisher(std::string source, bool has_passphrase)
      : source_{std::move(source)}, has_passphrase_{has_passphrase} {}

  void joined() {
    data_arrived();
    ++callers_;
  }
  void left() { --callers_; }
  void data_arrived() { last_ = base::Clock::now(); }

  /// Whether a newcomer may publish.
  bool admit(GstElement* srtsrc, GSocketAddress* newcomer) {
    if (callers_ == 0) return true;
    const auto now = base::Clock::now();
    const bool silent = now - last_.load() > (has_passphrase_ ? kSilenceWithPassphrase : kSilence);
    if (silent && !replaced_.exchange(true)) {
      GST_ELEMENT_ERROR(srtsrc, RESOURCE, READ,
                        ("a new publisher replaces one that has been silent"), (nullptr));
    }
    refused(text_of(newcomer),
            silent ? "the current publisher is silent, so the next attempt succeeds"
                   : "another publisher is sending; stop it, or use another stream");
    return false;
  }

  /// SRT refused a newcomer that may publish.
  void refused_by_srt(const std::string& address, int code, std::string_view why) {
    refused(address, reason_of(code, why));
  }

 private:
  std::string reason_of(int code, std::string_view why) const {
    if (code == kBadSecret) return "its passphrase is wrong; use the one in the stream's source";
    if (code != kUnsecure) return fmt::format("SRT refuses it ({}); check its settings", why);
    return has_passphrase_ ? "it has no passphrase; use the one in the stream's source"
                           : "it has a passphrase, but the stream's source has none; use the same "
                             "for both, as in srt://:9000?passphrase=...";
  }

  void refused(const std::string& address, const std::string& reason) {
    std::lock_guard lock{mutex_};
    const auto times = refusals_[reason].count(base::Clock::now());
    if (!times) return;
    base::log::warning(
        "publisher_refused",
        {{"source", source_}, {"address", address}, {"times", *times}, {"reason", reason}});
  }

  const std::string source_;
  const bool has_passphrase_;
  std::atomic<int> callers_{0};
  std::atomic<bool> replaced_{false};
  std::atomic<base::Time> last_{};
  std::mutex mutex_;
  std::map<std::string, base::LogPeriod> refusals_;  // GUARDED_BY(mutex_); by reason
};

using Shared = std::shared_ptr<Publisher>;

Publisher& publisher(gpointer data) { return **static_cast<Shared*>(data); }

void on_added(GstElement*, gint, GSocketAddress*, gpointer data) { publisher(data).joined(); }
void on_removed(GstElement*, gint, GSocketAddress*, gpointer data) { publisher(data).left(); }

/// A newcomer that SRT may still refuse.
struct Newcomer {
  Shared publisher;
  std::string address;
};

/// SRT completes the handshake on the thread on which it has asked for the newcomer.
thread_local Newcomer newcomer;

gboolean on_connecting(GstElement* srtsrc, GSocketAddress* address, gchar*, gpointer data) {
  newcomer = {};
  if (!publisher(data).admit(srtsrc, address)) return FALSE;
  newcomer = {*static_cast<Shared*>(data), text_of(address)};
  return TRUE;
}

void on_log_line(GstDebugCategory* category, GstDebugLevel, const gchar*, const gchar*, gint,
                 GObject*, GstDebugMessage* message, gpointer) {
  if (gst_debug_category_get_name(category) != std::string_view{kSrtLog}) return;
  std::string_view line = gst_debug_message_get(message);
  const auto at = line.find(kRefusal);
  if (at == std::string_view::npos) return;
  line.remove_prefix(at + kRefusal.size());
  int code = 0;
  std::from_chars(line.data(), line.data() + line.size(), code);
  if (code < kBadSecret) return;  // not for its settings, and maybe before it was asked for
  const auto [shared, address] = std::exchange(newcomer, {});
  if (!shared) return;
  const auto why = line.find(" - ");
  shared->refused_by_srt(address, code,
                         why == std::string_view::npos ? line : line.substr(why + 3));
}

/// Reads SRT's log, for the whole process. GStreamer would write the lines to stderr as well; only
/// with GST_DEBUG somebody wants to see them there.
void read_srt_log() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (std::getenv("GST_DEBUG") != nullptr) return;
    gst_debug_remove_log_function(nullptr);
    gst_debug_add_log_function(on_log_line, nullptr, nullptr);
    gst_debug_set_threshold_for_name(kSrtLog, GST_LEVEL_INFO);
  });
}

GstPadProbeReturn on_data(GstPad*, GstPadProbeInfo*, gpointer data) {
  publisher(data).data_arrived();
  return GST_PAD_PROBE_OK;
}

void release(gpointer data) { delete static_cast<Shared*>(data); }
void release_closure(gpointer data, GClosure*) { release(data); }

void connect(GstElement* element, const char* signal, GCallback callback, const Shared& shared) {
  g_signal_connect_data(element, signal, callback, new Shared{shared}, release_closure,
                        GConnectFlags{});
}

}  // namespace

void admit_one_publisher(GstElement* srtsrc, const std::string& source) {
  gint mode = 0;
  g_object_get(srtsrc, "mode", &mode, nullptr);
  if (mode != kModeListener) return;
  g_object_set(srtsrc, "authentication", TRUE, nullptr);  // otherwise it does not ask
  read_srt_log();
  const auto shared = std::make_shared<Publisher>(source, has_passphrase(srtsrc));
  connect(srtsrc, "caller-added", G_CALLBACK(on_added), shared);
  connect(srtsrc, "caller-removed", G_CALLBACK(on_removed), shared);
  connect(srtsrc, "caller-connecting", G_CALLBACK(on_connecting), shared);
  const PadHandle pad{gst_element_get_static_pad(srtsrc, "src")};
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_data, new Shared{shared}, release);
}

}  // namespace transcoder
