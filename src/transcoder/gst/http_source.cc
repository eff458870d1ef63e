#include "transcoder/gst/http_source.h"

#include <fmt/format.h>
#include <gst/base/gstpushsrc.h>
#include <gst/gst.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/log_period.h"
#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/hls_nesting.h"
#include "transcoder/gst/hls_playlist.h"
#include "transcoder/gst/refusal.h"
#include "transcoder/handle.h"
#include "transcoder/secrets.h"

namespace transcoder {

namespace {

using BufferHandle = Handle<GstBuffer, gst_buffer_unref>;
using FeatureHandle = Handle<GstPluginFeature, gst_object_unref>;

constexpr const char* kHttpSourceName = "symcasthttpsrc";
constexpr std::string_view kFirstLine = "#EXTM3U";

/// Playlists and manifests are kept whole, by us and by GStreamer's demuxers: a day of segments of
/// two seconds has 3 MB. Larger ones are refused.
constexpr std::size_t kMaxTextBytes = 16 << 20;
/// Playlists that are remembered. Each source has a few, and one in use is never the oldest.
constexpr std::size_t kMaxPlaylists = 128;

/// The playlists of all sources, by URL, those used last in front. A source that connects again
/// goes on with its numbers.
class Playlists {
 public:
  /// See HlsNesting.
  std::string check(const std::string& url, std::string_view text) {
    std::lock_guard lock{mutex_};
    return nesting_.check(url, text);
  }

  std::string edit(const std::string& url, std::string_view text) {
    std::lock_guard lock{mutex_};
    const auto known = std::ranges::find(playlists_, url, &Playlist::url);
    if (known == playlists_.end()) {
      playlists_.emplace_front(url);
      if (playlists_.size() > kMaxPlaylists) playlists_.pop_back();
    } else {
      playlists_.splice(playlists_.begin(), playlists_, known);
    }
    auto& playlist = playlists_.front();
    const auto before = playlist.editor.restarts();
    auto result = playlist.editor.edit(text);
    const auto times = playlist.log.count(base::Clock::now(), playlist.editor.restarts() - before);
    if (times) {
      base::log::warning("source_numbers_restarted",
                         {{"playlist", without_secrets(url)}, {"times", *times}});
    }
    return result;
  }

 private:
  struct Playlist {
    explicit Playlist(std::string of) : url{std::move(of)} {}

    std::string url;
    HlsPlaylist editor;
    base::LogPeriod log;
  };

  std::mutex mutex_;
  std::list<Playlist> playlists_;  // GUARDED_BY(mutex_)
  HlsNesting nesting_;             // GUARDED_BY(mutex_)
};

Playlists& playlists() {
  static Playlists all;
  return all;
}

/// The progress of one element since it started. Its streaming thread runs between start() and
/// stop().
struct Reading {
  std::atomic<bool> begun = false;
  std::atomic<bool> ended = false;
  std::atomic<bool> manifest = false;
  std::atomic<std::size_t> bytes = 0;
};

/// GLib's locks order what follows between threads. The atomic accesses say so to ThreadSanitizer,
/// which does not know those locks.
std::atomic<GstPushSrcClass*> parent_class = nullptr;
std::atomic<unsigned> readings = 0;

GQuark reading_key() {
  static const GQuark key = g_quark_from_static_string("symcast-reading");
  return key;
}

Reading& reading_of(gpointer element) {
  (void)readings.load(std::memory_order_acquire);
  auto* reading = static_cast<Reading*>(g_object_get_qdata(G_OBJECT(element), reading_key()));
  if (reading == nullptr) {
    reading = new Reading;
    readings.fetch_add(1, std::memory_order_release);
    g_object_set_qdata_full(G_OBJECT(element), reading_key(), reading,
                            [](gpointer data) { delete static_cast<Reading*>(data); });
  }
  return *reading;
}

bool append(std::string& text, GstBuffer* buffer) {
  GstMapInfo map;
  if (gst_buffer_map(buffer, &map, GST_MAP_READ) == FALSE) return false;
  text.append(reinterpret_cast<const char*>(map.data), map.size);
  gst_buffer_unmap(buffer, &map);
  return true;
}

bool is_playlist(GstBuffer* buffer) {
  return gst_buffer_get_size(buffer) >= kFirstLine.size() &&
         gst_buffer_memcmp(buffer, 0, kFirstLine.data(), kFirstLine.size()) == 0;
}

/// Whether the data are XML, as manifests are. No audio and no video begins with such text.
bool is_manifest(GstBuffer* buffer) {
  std::string begin(16, ' ');
  begin.resize(gst_buffer_extract(buffer, 0, begin.data(), begin.size()));
  std::erase(begin, '\0');  // of UTF-16
  std::string_view text{begin};
  for (const std::string_view mark : {"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"}) {
    if (text.starts_with(mark)) text.remove_prefix(mark.size());
  }
  const auto is_text = [](unsigned char c) { return c >= ' ' || g_ascii_isspace(c) != 0; };
  const auto at = text.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && text[at] == '<' && std::ranges::all_of(text, is_text);
}

GstFlowReturn refuse_text(GstPushSrc* source) {
  refuse(GST_ELEMENT(source),
         fmt::format("a playlist or manifest is longer than {} MB", kMaxTextBytes >> 20));
  return GST_FLOW_ERROR;
}

/// Reads the rest of a playlist.
GstFlowReturn read_all(GstPushSrc* source, std::string& text) {
  GstFlowReturn result = GST_FLOW_OK;
  while (result == GST_FLOW_OK && text.size() <= kMaxTextBytes) {
    GstBuffer* part = nullptr;
    result = parent_class.load()->create(source, &part);
    if (result != GST_FLOW_OK) break;  // souphttpsrc leaves a buffer there that is gone
    const BufferHandle owned{part};
    if (!append(text, part)) return GST_FLOW_ERROR;
  }
  return result;
}

GstFlowReturn create(GstPushSrc* source, GstBuffer** buffer) {
  auto& reading = reading_of(source);
  if (reading.ended) return GST_FLOW_EOS;
  const auto result = parent_class.load()->create(source, buffer);
  if (result != GST_FLOW_OK) return result;
  const bool first = !reading.begun.exchange(true);
  if (first) reading.manifest = is_manifest(*buffer);
  if (!first || !is_playlist(*buffer)) {
    reading.bytes += gst_buffer_get_size(*buffer);
    if (!reading.manifest || reading.bytes <= kMaxTextBytes) return GST_FLOW_OK;
    gst_buffer_replace(buffer, nullptr);
    return refuse_text(source);
  }
  std::string text;
  const bool readable = append(text, *buffer);
  gst_buffer_replace(buffer, nullptr);
  const auto end = readable ? read_all(source, text) : GST_FLOW_ERROR;
  if (end == GST_FLOW_OK) return refuse_text(source);
  if (end != GST_FLOW_EOS) return end;
  const Handle<gchar, g_free> url{gst_uri_handler_get_uri(GST_URI_HANDLER(source))};
  if (const auto reason = playlists().check(url ? url.get() : "", text); !reason.empty()) {
    refuse(GST_ELEMENT(source), reason);
    return GST_FLOW_ERROR;
  }
  text = playlists().edit(url ? url.get() : "", text);
  reading.ended = true;
  *buffer = gst_buffer_new_memdup(text.data(), text.size());
  GST_BUFFER_OFFSET(*buffer) = 0;
  return GST_FLOW_OK;
}

gboolean start(GstBaseSrc* source) {
  auto& reading = reading_of(source);
  reading.begun = reading.ended = reading.manifest = false;
  reading.bytes = 0;
  return GST_BASE_SRC_CLASS(parent_class.load())->start(source);
}

void initialise_class(gpointer of, gpointer) {
  parent_class = GST_PUSH_SRC_CLASS(g_type_class_peek_parent(of));
  GST_PUSH_SRC_CLASS(of)->create = create;
  GST_BASE_SRC_CLASS(of)->start = start;
}

/// Derives a type from souphttpsrc, whose own type only its plugin knows.
void register_once() {
  const FeatureHandle named{gst_registry_lookup_feature(gst_registry_get(), "souphttpsrc")};
  if (!named) return;
  const FeatureHandle loaded{gst_plugin_feature_load(named.get())};
  if (!loaded) return;
  const GType soup = gst_element_factory_get_element_type(GST_ELEMENT_FACTORY(loaded.get()));
  if (g_type_is_a(soup, GST_TYPE_PUSH_SRC) == FALSE) return;
  GTypeQuery sizes;
  g_type_query(soup, &sizes);
  GTypeInfo info{};
  info.class_size = static_cast<guint16>(sizes.class_size);
  info.instance_size = static_cast<guint16>(sizes.instance_size);
  info.class_init = initialise_class;
  const GType type = g_type_register_static(soup, "SymcastHttpSrc", &info, GTypeFlags{});
  gst_element_register(nullptr, kHttpSourceName, gst_plugin_feature_get_rank(loaded.get()) + 1,
                       type);
}

}  // namespace

void register_http_source() {
  static std::once_flag done;
  std::call_once(done, register_once);
}

bool is_http_source(GstElement* element) {
  return is_a(element, kHttpSourceName) || is_a(element, "souphttpsrc");
}

}  // namespace transcoder
