#include "transcoder/gst/rtp_tracks.h"

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "transcoder/gst/gst_handles.h"
#include "transcoder/gst/rtcp_name.h"

namespace transcoder {

namespace {

/// RTP-Info of a track.
struct Named {
  std::uint32_t rtp;  ///< time at which playing begins
  int clock_rate;     ///< ticks per second
};

/// rtspsrc puts it into the track's format. nullopt if there is none, or for other tracks: cameras
/// also send metadata.
std::optional<Named> named_time(GstPad* pad) {
  const CapsHandle caps{gst_pad_get_current_caps(pad)};
  if (!caps) return std::nullopt;
  const GstStructure* const format = gst_caps_get_structure(caps.get(), 0);
  const auto* const media = gst_structure_get_string(format, "media");
  const bool is_track = media != nullptr &&
                        (std::string_view{media} == "video" || std::string_view{media} == "audio");
  guint base = 0;
  int rate = 0;
  if (!is_track || !gst_structure_get_uint(format, "clock-base", &base) ||
      !gst_structure_get_int(format, "clock-rate", &rate) || rate <= 0) {
    return std::nullopt;
  }
  return Named{base, rate};
}

/// RFC 3550, 5.1.
std::optional<std::uint32_t> rtp_time(GstBuffer* packet) {
  std::uint8_t bytes[4];
  constexpr gsize kAt = 4;
  if (gst_buffer_extract(packet, kAt, bytes, sizeof bytes) < sizeof bytes) return std::nullopt;
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

/// The track of one jitter buffer, which owns it.
class RtpTrack {
 public:
  RtpTrack(GstElement* buffer, std::shared_ptr<PlayStart> start)
      : buffer_{buffer}, start_{std::move(start)} {
    const PadHandle sink{gst_element_get_static_pad(buffer, "sink")};
    const PadHandle src{gst_element_get_static_pad(buffer, "src")};
    gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_BUFFER, on_arrival, nullptr, nullptr);
    gst_pad_add_probe(src.get(), GST_PAD_PROBE_TYPE_BUFFER, on_packet, this, nullptr);
    g_signal_connect(buffer, "notify::ts-offset", G_CALLBACK(on_offset), this);
    g_signal_connect(buffer, "pad-added", G_CALLBACK(on_pad), nullptr);
    built_.store(true, std::memory_order_release);
  }

 private:
  /// See GstPipeline::Impl::of().
  static RtpTrack& of(gpointer data) {
    RtpTrack& self = *static_cast<RtpTrack*>(data);
    (void)self.built_.load(std::memory_order_acquire);
    return self;
  }

  /// rtspsrc gives the first packet of each interleaved track the arrival time of the very first
  /// packet, and the others none. Without it, the jitter buffer takes the current time, as it does
  /// with the others.
  static GstPadProbeReturn on_arrival(GstPad*, GstPadProbeInfo* info, gpointer) {
    GstBuffer* const packet = GST_PAD_PROBE_INFO_BUFFER(info);
    if (!GST_BUFFER_PTS_IS_VALID(packet) || GST_BUFFER_DTS_IS_VALID(packet)) {
      return GST_PAD_PROBE_OK;
    }
    GstBuffer* const changed = gst_buffer_make_writable(packet);
    GST_BUFFER_PTS(changed) = GST_CLOCK_TIME_NONE;
    info->data = changed;
    return GST_PAD_PROBE_OK;
  }

  static GstPadProbeReturn on_packet(GstPad*, GstPadProbeInfo* info, gpointer data) {
    return of(data).follow(GST_PAD_PROBE_INFO_BUFFER(info)) ? GST_PAD_PROBE_OK
                                                            : GST_PAD_PROBE_REMOVE;
  }

  /// Returns whether RTP-Info still matters.
  bool follow(GstBuffer* packet) {
    const auto rtp = rtp_time(packet);
    if (!rtp || !GST_BUFFER_PTS_IS_VALID(packet)) return true;
    const base::Duration now{static_cast<base::Duration::rep>(GST_BUFFER_PTS(packet))};
    if (!begun_) begun_ = now;
    if (!first_) first_ = *rtp;
    if (now > *begun_ + kMaxInfoAge || start_->settled(now)) return false;
    const PadHandle sink{gst_element_get_static_pad(buffer_, "sink")};
    const auto named = named_time(sink.get());
    if (!named) return true;
    if (!number_) number_ = start_->add_track();
    const auto since = [&named](std::uint32_t time) {
      const auto ticks = static_cast<std::int32_t>(time - named->rtp);
      return base::from_seconds(static_cast<double>(ticks) / named->clock_rate);
    };
    const auto origin = now - base::Duration{offset_.load()} - since(*rtp);
    const auto offset = start_->offset(*number_, {origin, since(*first_)}, now);
    if (offset.count() != offset_.exchange(offset.count())) {
      g_object_set(buffer_, "ts-offset", static_cast<gint64>(offset.count()), nullptr);
    }
    return true;
  }

  /// Another offset than ours is rtpbin's, which has got sender reports.
  static void on_offset(GstElement* buffer, GParamSpec*, gpointer data) {
    auto& self = of(data);
    gint64 offset = 0;
    g_object_get(buffer, "ts-offset", &offset, nullptr);
    if (offset != self.offset_) self.start_->stop();
  }

  static void on_pad(GstElement*, GstPad* pad, gpointer) {
    if (std::string_view{GST_OBJECT_NAME(pad)} != "sink_rtcp") return;
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_report, nullptr, nullptr);
  }

  static GstPadProbeReturn on_report(GstPad*, GstPadProbeInfo* info, gpointer) {
    GstBuffer* const report = GST_PAD_PROBE_INFO_BUFFER(info);
    GstMapInfo map;
    if (gst_buffer_map(report, &map, GST_MAP_READ) == FALSE) return GST_PAD_PROBE_OK;
    const auto named = with_name({map.data, map.size});
    gst_buffer_unmap(report, &map);
    if (!named) return GST_PAD_PROBE_OK;
    info->data = gst_buffer_new_memdup(named->data(), named->size());
    gst_buffer_unref(report);
    return GST_PAD_PROBE_OK;
  }

  /// RTP-Info comes before the data, and belongs to the beginning. A track that begins 10 s after
  /// the others is still put in time.
  static constexpr base::Duration kMaxInfoAge = std::chrono::seconds{10} + PlayStart::kSettling;

  GstElement* const buffer_;  ///< owns this
  const std::shared_ptr<PlayStart> start_;
  std::optional<std::size_t> number_;
  std::optional<base::Duration> begun_;
  std::optional<std::uint32_t> first_;  ///< RTP time
  std::atomic<base::Duration::rep> offset_{0};
  std::atomic<bool> built_ = false;
};

}  // namespace

void keep_in_time(GstElement* jitterbuffer, std::shared_ptr<PlayStart> start) {
  g_object_set_data_full(G_OBJECT(jitterbuffer), "symcast-rtp-track",
                         new RtpTrack{jitterbuffer, std::move(start)},
                         [](gpointer data) { delete static_cast<RtpTrack*>(data); });
}

}  // namespace transcoder
