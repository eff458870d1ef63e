#include "transcoder/child/uri_guard.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <glib-object.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/log_period.h"
#include "base/units.h"
#include "transcoder/access/token_bucket.h"
#include "transcoder/child/access_gate.h"
#include "transcoder/handle.h"
#include "transcoder/secrets.h"

namespace transcoder {

namespace {

using namespace std::chrono_literals;

/// More lead nowhere (RFC 9110, 15.4, leaves the number to the client).
constexpr int kMaxRedirections = 5;

/// Redirections of RTSP are counted within this time: a later connection is a new attempt.
constexpr base::Duration kRtspWindow = 10s;

/// A start of HLS with separate audio takes a dozen requests, and its parts ten per second.
const access::TokenBucket kRequests{50, 50ms};

/// libsoup, in either of its versions. GStreamer loads it, so we do not link it.
class Soup {
 public:
  /// nullopt if it is not loaded.
  static std::optional<Soup> find() {
    for (const char* const name : {"libsoup-3.0.so.0", "libsoup-2.4.so.1"}) {
      if (void* const library = ::dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) return Soup{library};
    }
    return std::nullopt;
  }

  GType message_type() const { return message_type_ != nullptr ? message_type_() : G_TYPE_INVALID; }

  /// The URI of a redirection, as the server has sent it; empty if it is not known.
  std::string location(gpointer message) const {
    if (headers_ == nullptr || one_header_ == nullptr) return {};
    const char* const value = one_header_(headers_(message), "Location");
    return value != nullptr ? value : "";
  }

  std::string uri(gpointer message) const {
    const gpointer value = uri_ != nullptr ? uri_(message) : nullptr;
    if (value == nullptr) return {};
    const Handle<char, g_free> text{text_ != nullptr ? text_(value, FALSE)
                                                     : g_uri_to_string(static_cast<GUri*>(value))};
    return text ? text.get() : "";
  }

 private:
  explicit Soup(void* library) {
    look_for(library, "soup_message_get_type", message_type_);
    look_for(library, "soup_message_get_uri", uri_);
    look_for(library, "soup_uri_to_string", text_);
    look_for(library, "soup_message_get_response_headers", headers_);
    look_for(library, "soup_message_headers_get_one", one_header_);
  }

  template <typename Function>
  static void look_for(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(::dlsym(library, name));
  }

  using TypeFunction = GType();
  using UriFunction = gpointer(gpointer message);
  using TextFunction = char*(gpointer uri, gboolean only_path);
  using HeadersFunction = gpointer(gpointer message);
  using OneHeaderFunction = const char*(gpointer headers, const char* name);

  TypeFunction* message_type_ = nullptr;
  UriFunction* uri_ = nullptr;
  TextFunction* text_ = nullptr;        ///< of version 2, whose URIs are not GLib's
  HeadersFunction* headers_ = nullptr;  ///< of version 3
  OneHeaderFunction* one_header_ = nullptr;
};

void refuse_redirections() {
  if (auto* const gate = AccessGate::active()) {
    gate->refuse(fmt::format("redirected more than {} times", kMaxRedirections));
  }
}

/// The number of redirections that the message has followed.
int count_redirection(gpointer message) {
  static const GQuark key = g_quark_from_static_string("symcast-redirections");
  auto* const object = static_cast<GObject*>(message);
  const int count = GPOINTER_TO_INT(g_object_get_qdata(object, key)) + 1;
  g_object_set_qdata(object, key, GINT_TO_POINTER(count));
  return count;
}

void log_redirection(const std::string& to) {
  static std::mutex mutex;
  static base::LogPeriod period;  // GUARDED_BY(mutex)
  std::lock_guard lock{mutex};
  if (const auto times = period.count(base::Clock::now())) {
    base::log::warning("source_redirected", {{"to", without_secrets(to)}, {"times", *times}});
  }
}

bool is_redirected(gpointer message) {
  guint status = 0;
  g_object_get(message, "status-code", &status, nullptr);
  return status >= 300 && status <= 399;
}

/// Called on libsoup's thread with the head of an answer. libsoup does not follow a redirection to
/// a file, and the source's end would have no reason.
gboolean on_answer(GSignalInvocationHint*, guint, const GValue* values, gpointer data) {
  http_answer().begins();
  const gpointer message = g_value_get_object(values);
  if (!is_redirected(message)) return TRUE;
  const auto location = static_cast<const Soup*>(data)->location(message);
  const Handle<char, g_free> scheme{g_uri_parse_scheme(location.c_str())};
  if (scheme) may_open_uri(location);
  return TRUE;
}

/// Called on libsoup's thread before it sends a request again, with the new URI.
gboolean on_restarted(GSignalInvocationHint*, guint, const GValue* values, gpointer data) {
  const auto* const soup = static_cast<const Soup*>(data);
  const gpointer message = g_value_get_object(values);
  if (!is_redirected(message)) return TRUE;  // it has to log in
  const auto uri = soup->uri(message);
  if (count_redirection(message) > kMaxRedirections) {
    refuse_redirections();
  } else if (may_open_uri(uri)) {
    log_redirection(uri);
  }
  return TRUE;
}

/// Called on libsoup's thread before each request.
gboolean on_starting(GSignalInvocationHint*, guint, const GValue*, gpointer) {
  http_answer().asked();
  static std::mutex mutex;
  static access::TokenBucket requests = kRequests;  // GUARDED_BY(mutex)
  base::Duration wait{};
  {
    std::lock_guard lock{mutex};
    wait = requests.take(base::Clock::now());
  }
  std::this_thread::sleep_for(wait);
  return TRUE;
}

/// Called on libsoup's thread with the head of an interim answer. It waits for another one as long
/// as they come.
gboolean on_interim(GSignalInvocationHint*, guint, const GValue*, gpointer) {
  if (auto reason = http_answer().interim(); !reason.empty()) {
    if (auto* const gate = AccessGate::active()) gate->refuse(std::move(reason));
  }
  return TRUE;
}

void add_hook(GType type, const char* signal, GSignalEmissionHook hook, gpointer data) {
  const guint id = g_signal_lookup(signal, type);
  if (id != 0) g_signal_add_emission_hook(id, 0, hook, data, nullptr);
}

/// At most kMaxRedirections and the first connection.
bool is_one_rtsp_connection_too_many(base::Time now) {
  static std::mutex mutex;
  static std::deque<base::Time> connections;  // GUARDED_BY(mutex)
  std::lock_guard lock{mutex};
  while (!connections.empty() && now - connections.front() > kRtspWindow) connections.pop_front();
  connections.push_back(now);
  return connections.size() > kMaxRedirections + 1;
}

}  // namespace

bool may_open_uri(const std::string& uri) {
  auto* const gate = AccessGate::active();
  return gate == nullptr || gate->may_open(uri);
}

bool may_open_rtsp(const std::string& host, int port, const std::string& path) {
  auto* const gate = AccessGate::active();
  if (gate == nullptr) return true;
  if (is_one_rtsp_connection_too_many(base::Clock::now())) {
    refuse_redirections();
    return false;
  }
  return gate->may_open(wire::MayOpen{.scheme = "rtsp", .host = host, .port = port, .path = path});
}

void watch_http_requests() {
  static std::atomic<bool> watched = false;
  static std::mutex mutex;
  if (watched) return;
  std::lock_guard lock{mutex};
  static auto soup = Soup::find();
  if (watched || (!soup && !(soup = Soup::find()))) return;
  watched = true;
  const GType type = soup->message_type();
  if (g_type_is_a(type, G_TYPE_OBJECT) == FALSE) return;
  g_type_class_ref(type);  // its signals exist from then on
  add_hook(type, "got-headers", on_answer, &*soup);
  add_hook(type, "restarted", on_restarted, &*soup);
  add_hook(type, "starting", on_starting, nullptr);
  add_hook(type, "got-informational", on_interim, nullptr);
}

HttpAnswer& http_answer() {
  static HttpAnswer last;
  return last;
}

}  // namespace transcoder
