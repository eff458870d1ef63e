#include "transcoder/gst/fragment_tracks.h"

#include <gst/gst.h>

#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "transcoder/gst/fragment_edits.h"
#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/handle.h"
#include "transcoder/gst/pes_times.h"

namespace transcoder {

namespace {

using PadHandle = Handle<GstPad, gst_object_unref>;
using ElementHandle = Handle<GstElement, gst_object_unref>;
using SampleHandle = Handle<GstSample, gst_sample_unref>;
using EventHandle = Handle<GstEvent, gst_event_unref>;

constexpr const char* kTimesKey = "symcast-media-times";
constexpr std::string_view kTimestampOwner = "com.apple.streaming.transportStreamTimestamp";
constexpr std::uint8_t kPacketBegin = 0x47;  // ISO/IEC 13818-1, 2.4.3.3: sync_byte

/// The times in what enters one demuxer. It has one streaming thread, on which its data leave, too.
struct MediaTimes {
  bool is_ts = false;
  PesTimes ts;
  FragmentEdits mp4;
};

void scan(PesTimes& times, std::span<const std::uint8_t> bytes,
          std::optional<base::Duration> arrival) {
  while (bytes.size() >= kTsPacketBytes) {
    const bool aligned = bytes[0] == kPacketBegin;
    if (aligned) times.scan(bytes.first<kTsPacketBytes>(), arrival);
    bytes = bytes.subspan(aligned ? kTsPacketBytes : 1);
  }
}

/// Runs before data enter a demuxer. The filter of a tsdemux has made packets of them.
GstPadProbeReturn on_data(GstPad*, GstPadProbeInfo* info, gpointer data) {
  GstBuffer* const buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  GstMapInfo map;
  if (buffer == nullptr || gst_buffer_map(buffer, &map, GST_MAP_READ) == FALSE) {
    return GST_PAD_PROBE_OK;
  }
  auto& times = *static_cast<MediaTimes*>(data);
  const bool restarts = GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  const std::span<const std::uint8_t> bytes{map.data, map.size};
  if (times.is_ts) {
    if (restarts) times.ts.restart();
    const auto arrival = GST_BUFFER_DTS_OR_PTS(buffer);
    const auto known = GST_CLOCK_TIME_IS_VALID(arrival);
    scan(times.ts, bytes,
         known ? std::optional{base::Duration{static_cast<std::int64_t>(arrival)}} : std::nullopt);
  } else {
    if (restarts) times.mp4.restart();
    times.mp4.push(bytes);
  }
  gst_buffer_unmap(buffer, &map);
  return GST_PAD_PROBE_OK;
}

/// The number at the end of a text.
int trailing_number(std::string_view text, char separator, int base) {
  return static_cast<int>(std::strtol(text.data() + text.rfind(separator) + 1, nullptr, base));
}

int track_of(GstPad* pad, bool is_ts) {
  if (is_ts) return trailing_number(GST_OBJECT_NAME(pad), '_', 16);  // "audio_0_00101"
  const Handle<gchar, g_free> id{gst_pad_get_stream_id(pad)};        // "…/001"
  return id ? trailing_number(id.get(), '/', 10) : 0;
}

void move(GstClockTime& time, GstClockTimeDiff by) {
  if (!GST_CLOCK_TIME_IS_VALID(time)) return;
  const auto moved = static_cast<GstClockTimeDiff>(time) + by;
  time = moved < 0 ? 0 : static_cast<GstClockTime>(moved);
}

std::optional<base::Duration> running_time(GstPad* pad, GstBuffer* buffer) {
  const EventHandle event{gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0)};
  if (!event || !GST_BUFFER_PTS_IS_VALID(buffer)) return std::nullopt;
  const GstSegment* segment = nullptr;
  gst_event_parse_segment(event.get(), &segment);
  if (segment->format != GST_FORMAT_TIME) return std::nullopt;
  guint64 time = 0;
  const int sign =
      gst_segment_to_running_time_full(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer), &time);
  return base::Duration{sign * static_cast<base::Duration::rep>(time)};
}

GstBuffer* moved_by(base::Duration shift, GstBuffer* buffer) {
  if (shift == base::Duration{0}) return buffer;
  GstBuffer* const moved = gst_buffer_make_writable(buffer);
  const auto by = static_cast<GstClockTimeDiff>(shift.count());
  move(GST_BUFFER_PTS(moved), by);
  move(GST_BUFFER_DTS(moved), by);
  return moved;
}

/// One track of the source, at the pad of its demuxer.
class FragmentTrack {
 public:
  FragmentTrack(MediaTimes& times, std::shared_ptr<FragmentClock> clock)
      : times_{times}, clock_{std::move(clock)} {}

  GstBuffer* moved(GstPad* pad, GstBuffer* buffer) {
    if (const auto running = running_time(pad, buffer)) {
      if (const auto media = media_time(pad, buffer, *running)) {
        shift_ = clock_->shift(place_, *media, *running);
      }
    }
    return moved_by(shift_, buffer);
  }

 private:
  std::optional<base::Duration> media_time(GstPad* pad, GstBuffer* buffer,
                                           base::Duration running) const {
    if (!times_.is_ts) return running + times_.mp4.shift(track_of(pad, false));
    const auto out = static_cast<std::int64_t>(GST_BUFFER_PTS(buffer));
    return times_.ts.media_time(track_of(pad, true), base::Duration{out});
  }

  MediaTimes& times_;
  const std::shared_ptr<FragmentClock> clock_;
  FragmentClock::Track place_;
  base::Duration shift_{};
};

/// The time of a segment of packed audio, from its ID3 tag (RFC 8216, 3.4): 33 bits, in ticks of 90
/// kHz. nullopt if the tags are others.
std::optional<base::Duration> packed_time(const GstTagList* tags) {
  for (guint i = 0; i < gst_tag_list_get_tag_size(tags, GST_TAG_PRIVATE_DATA); ++i) {
    GstSample* sample = nullptr;
    gst_tag_list_get_sample_index(tags, GST_TAG_PRIVATE_DATA, i, &sample);
    const SampleHandle owned{sample};
    const GstStructure* const about = sample != nullptr ? gst_sample_get_info(sample) : nullptr;
    const auto* const owner = about != nullptr ? gst_structure_get_string(about, "owner") : nullptr;
    std::uint8_t bytes[8];
    const bool is_time =
        owner != nullptr && owner == kTimestampOwner &&
        gst_buffer_extract(gst_sample_get_buffer(sample), 0, bytes, sizeof bytes) == sizeof bytes;
    if (!is_time) continue;
    std::uint64_t ticks = 0;
    for (const auto byte : bytes) ticks = ticks << 8 | byte;
    return ts_time(ticks & kTsTimeMask);
  }
  return std::nullopt;
}

/// One track of packed audio, at the pad of the adaptive demuxer. Without tags it begins when the
/// others do.
class PackedTrack {
 public:
  explicit PackedTrack(std::shared_ptr<FragmentClock> clock) : clock_{std::move(clock)} {}

  void note(GstEvent* event) {
    if (GST_EVENT_TYPE(event) != GST_EVENT_TAG) return;
    GstTagList* tags = nullptr;
    gst_event_parse_tag(event, &tags);
    if (const auto time = packed_time(tags)) time_ = time;
  }

  GstBuffer* moved(GstPad* pad, GstBuffer* buffer) {
    const auto running = running_time(pad, buffer);
    if (time_ && running) shift_ = clock_->shift(place_, *time_, *running);
    time_.reset();
    return moved_by(shift_, buffer);
  }

 private:
  const std::shared_ptr<FragmentClock> clock_;
  FragmentClock::Track place_;
  std::optional<base::Duration> time_;  ///< of the next data
  base::Duration shift_ = FragmentClock::kHeadroom;
};

GstPadProbeReturn on_packed(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  auto& track = *static_cast<PackedTrack*>(data);
  if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
    info->data = track.moved(pad, GST_PAD_PROBE_INFO_BUFFER(info));
  } else {
    track.note(GST_PAD_PROBE_INFO_EVENT(info));
  }
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn on_demuxed(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  info->data = static_cast<FragmentTrack*>(data)->moved(pad, GST_PAD_PROBE_INFO_BUFFER(info));
  return GST_PAD_PROBE_OK;
}

template <typename T>
void free_data(gpointer data) {
  delete static_cast<T*>(data);
}

}  // namespace

bool is_adaptive_demuxer(GstElement* element) {
  const auto* const klass = gst_element_get_metadata(element, GST_ELEMENT_METADATA_KLASS);
  return klass != nullptr && std::string_view{klass}.find("Adaptive") != std::string_view::npos;
}

void read_media_times(GstElement* demuxer) {
  const bool is_ts = is_a(demuxer, "tsdemux");
  if (!is_ts && !is_a(demuxer, "qtdemux")) return;
  auto* const times = new MediaTimes{.is_ts = is_ts};
  g_object_set_data_full(G_OBJECT(demuxer), kTimesKey, times, free_data<MediaTimes>);
  const PadHandle sink{gst_element_get_static_pad(demuxer, "sink")};
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_BUFFER, on_data, times, nullptr);
}

void follow_media(GstPad* pad, std::shared_ptr<FragmentClock> clock) {
  const ElementHandle demuxer{gst_pad_get_parent_element(pad)};
  if (demuxer && is_adaptive_demuxer(demuxer.get())) {
    gst_pad_add_probe(pad,
                      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER |
                                                   GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
                      on_packed, new PackedTrack{std::move(clock)}, free_data<PackedTrack>);
    return;
  }
  auto* const times =
      demuxer ? static_cast<MediaTimes*>(g_object_get_data(G_OBJECT(demuxer.get()), kTimesKey))
              : nullptr;
  if (times == nullptr) return;
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_demuxed,
                    new FragmentTrack{*times, std::move(clock)}, free_data<FragmentTrack>);
}

}  // namespace transcoder
