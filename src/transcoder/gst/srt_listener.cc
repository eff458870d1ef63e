#include "transcoder/gst/srt_listener.h"

#include <gio/gio.h>
#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/log.h"
#include "base/log_period.h"
#include "base/units.h"
#include "transcoder/gst/handle.h"

namespace transcoder {

namespace {

using PadHandle = Handle<GstPad, gst_object_unref>;

/// GstSRTConnectionMode of gstsrt-enums.h, which is not installed.
constexpr int kModeListener = 2;

/// Media come several times per second. A shorter time would let a newcomer end a publisher whose
/// network stumbles; a longer one makes a broadcaster wait after a crash. SRT asks for newcomers
/// before it has checked their passphrase, so that behind one, strangers have to wait for longer.
constexpr base::Duration kSilence = std::chrono::seconds{1};
constexpr base::Duration kSilenceWithPassphrase = std::chrono::seconds{4};

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
  return uri != nullptr && std::string_view{uri}.find("passphrase=") != std::string_view::npos;
}

/// The publisher of one srtsrc. Called on the threads of SRT and GStreamer.
class Publisher {
 public:
  Publisher(std::string source, base::Duration silence)
      : source_{std::move(source)}, silence_{silence} {}

  void joined() {
    heard();
    ++callers_;
  }
  void left() { --callers_; }
  void heard() { last_ = base::Clock::now(); }

  /// Whether a newcomer may publish.
  bool admit(GstElement* srtsrc, GSocketAddress* newcomer) {
    if (callers_ == 0) return true;
    const auto now = base::Clock::now();
    const bool silent = now - last_.load() > silence_;
    if (silent && !replaced_.exchange(true)) {
      GST_ELEMENT_ERROR(srtsrc, RESOURCE, READ,
                        ("a new publisher replaces one that has been silent"), (nullptr));
    }
    log(text_of(newcomer), silent, now);
    return false;
  }

 private:
  void log(const std::string& address, bool silent, base::Time now) {
    std::lock_guard lock{mutex_};
    const auto times = refusals_.count(now);
    if (!times) return;
    base::log::warning(
        "publisher_refused",
        {{"source", source_},
         {"address", address},
         {"times", *times},
         {"reason", silent ? "the one before it is silent; the next attempt succeeds"
                           : "another one is publishing; stop that one, or use another stream"}});
  }

  const std::string source_;
  const base::Duration silence_;
  std::atomic<int> callers_{0};
  std::atomic<bool> replaced_{false};
  std::atomic<base::Time> last_{};
  std::mutex mutex_;
  base::LogPeriod refusals_;  // GUARDED_BY(mutex_)
};

using Shared = std::shared_ptr<Publisher>;

Publisher& publisher(gpointer data) { return **static_cast<Shared*>(data); }

void on_added(GstElement*, gint, GSocketAddress*, gpointer data) { publisher(data).joined(); }
void on_removed(GstElement*, gint, GSocketAddress*, gpointer data) { publisher(data).left(); }

gboolean on_connecting(GstElement* srtsrc, GSocketAddress* address, gchar*, gpointer data) {
  return publisher(data).admit(srtsrc, address) ? TRUE : FALSE;
}

GstPadProbeReturn on_data(GstPad*, GstPadProbeInfo*, gpointer data) {
  publisher(data).heard();
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
  const auto shared = std::make_shared<Publisher>(
      source, has_passphrase(srtsrc) ? kSilenceWithPassphrase : kSilence);
  connect(srtsrc, "caller-added", G_CALLBACK(on_added), shared);
  connect(srtsrc, "caller-removed", G_CALLBACK(on_removed), shared);
  connect(srtsrc, "caller-connecting", G_CALLBACK(on_connecting), shared);
  const PadHandle pad{gst_element_get_static_pad(srtsrc, "src")};
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_data, new Shared{shared}, release);
}

}  // namespace transcoder
