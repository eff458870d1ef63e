#include "transcoder/gst/fragment_tracks.h"

#include <gst/gst.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "transcoder/gst/fragment_edits.h"
#include "transcoder/gst/fragment_ts.h"
#include "transcoder/gst/gst_element.h"
#include "transcoder/gst/gst_handles.h"
#include "transcoder/handle.h"
#include "transcoder/time/fragment_position.h"
#include "transcoder/time/source_time.h"

namespace transcoder {

namespace {

using EventHandle = Handle<GstEvent, gst_event_unref>;

constexpr const char* kTimesKey = "symcast-media-times";
constexpr std::string_view kTimestampOwner = "com.apple.streaming.transportStreamTimestamp";

/// Two sizes of a box. The offsets of `moov` in two initialization sections differ by less.
constexpr std::size_t kSmallSpace = 8;
constexpr std::size_t kLargeSpace = 1024;

/// The times in the data of one demuxer. It has one streaming thread, on which its data leave, too.
class MediaTimes {
 public:
  MediaTimes(bool is_ts, FragmentOrigin origin, std::shared_ptr<FragmentClock> clock)
      : is_ts_{is_ts}, origin_{origin}, clock_{std::move(clock)}, ts_{clock_} {}

  bool is_ts() const { return is_ts_; }

  /// `arrival`: the place on the timeline of the adaptive demuxer, if it is known. Returns the
  /// place that the buffer is to have, if it begins there.
  std::optional<base::Duration> enter_ts(std::span<std::uint8_t> bytes, bool restarts,
                                         std::optional<base::Duration> arrival) {
    if (restarts) ts_.restart(arrival);
    return ts_.edit(bytes);
  }

  void enter_mp4(std::span<const std::uint8_t> bytes, bool restarts,
                 std::optional<base::Duration> arrival) {
    if (restarts) {
      edits_.restart();
      arrival_ = arrival;
      ++restarts_;
    }
    edits_.push(bytes);
  }

  /// A qtdemux takes an initialization section for the last one if it has the same offset after a
  /// discontinuity (GStreamer 1.22). Returns the size of a box to insert before this one.
  std::size_t space_before_file() {
    return files_++ == 0 ? 0 : files_ % 2 == 0 ? kLargeSpace : kSmallSpace;
  }

  /// The place on the timeline of all tracks of data that left with the time `out`, which is
  /// `running` on the demuxer's own.
  base::Duration leave_mp4(int track, base::Duration out, base::Duration running) {
    const auto edit = edits_.shift(track);
    auto& place = places_.try_emplace(track, clock_).first->second;
    if (origin_ == FragmentOrigin::kManifest) {
      return running + clock_->shift(place.track, running + edit, running);
    }
    const bool first = std::exchange(place.restarts, restarts_) != restarts_;
    return place.position.timeline(out + edit, first ? arrival_ : std::nullopt);
  }

 private:
  struct Place {
    explicit Place(std::shared_ptr<FragmentClock> clock) : position{std::move(clock)} {}

    FragmentPosition position;
    FragmentClock::Track track;
    unsigned restarts = 0;
  };

  const bool is_ts_;
  const FragmentOrigin origin_;
  const std::shared_ptr<FragmentClock> clock_;
  FragmentTs ts_;
  FragmentEdits edits_;
  std::map<int, Place> places_;  ///< by track
  std::optional<base::Duration> arrival_;
  unsigned restarts_ = 0;
  unsigned files_ = 0;  ///< initialization sections
};

std::optional<base::Duration> running_time(GstPad* pad, GstBuffer* buffer) {
  const EventHandle event{gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0)};
  if (!event || !GST_BUFFER_PTS_IS_VALID(buffer)) return std::nullopt;
  const GstSegment* segment = nullptr;
  gst_event_parse_segment(event.get(), &segment);
  if (segment->format != GST_FORMAT_TIME) return std::nullopt;
  guint64 time = 0;
  const int sign =
      gst_segment_to_running_time_full(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer), &time);
  return source_time(sign, time);
}

/// Sets the time of a buffer by the time at which its segment plays it.
void set_running_time(GstPad* pad, GstBuffer* buffer, base::Duration running) {
  const EventHandle event{gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0)};
  if (!event) return;
  const GstSegment* segment = nullptr;
  gst_event_parse_segment(event.get(), &segment);
  GST_BUFFER_PTS(buffer) = gst_segment_position_from_running_time(
      segment, GST_FORMAT_TIME, static_cast<guint64>(running.count()));
}

/// A tsdemux counts from the time of a buffer that has one.
GstBuffer* enter_ts(MediaTimes& times, GstPad* pad, GstBuffer* buffer) {
  const auto arrival = running_time(pad, buffer);
  const bool restarts = GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  GstBuffer* const own = gst_buffer_make_writable(buffer);
  GstMapInfo map;
  if (gst_buffer_map(own, &map, GST_MAP_READWRITE) == FALSE) return own;
  const auto begin = times.enter_ts({map.data, map.size}, restarts, arrival);
  gst_buffer_unmap(own, &map);
  GST_BUFFER_PTS(own) = GST_BUFFER_DTS(own) = GST_CLOCK_TIME_NONE;
  if (begin) set_running_time(pad, own, *begin);
  return own;
}

bool begins_file(GstBuffer* buffer) {
  constexpr std::string_view kType = "ftyp";
  return gst_buffer_get_size(buffer) >= 4 + kType.size() &&
         gst_buffer_memcmp(buffer, 4, kType.data(), kType.size()) == 0;
}

/// An empty box (ISO/IEC 14496-12, 8.1.2).
GstMemory* free_box(std::size_t size) {
  auto* const bytes = static_cast<std::uint8_t*>(g_malloc0(size));
  bytes[2] = static_cast<std::uint8_t>(size >> 8);
  bytes[3] = static_cast<std::uint8_t>(size);
  std::ranges::copy(std::string_view{"free"}, bytes + 4);
  return gst_memory_new_wrapped(GstMemoryFlags{}, bytes, size, 0, size, bytes, g_free);
}

GstBuffer* enter_mp4(MediaTimes& times, GstPad* pad, GstBuffer* buffer) {
  const bool restarts = GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  GstMapInfo map;
  if (gst_buffer_map(buffer, &map, GST_MAP_READ) == FALSE) return buffer;
  times.enter_mp4({map.data, map.size}, restarts, running_time(pad, buffer));
  gst_buffer_unmap(buffer, &map);
  const auto space = restarts && begins_file(buffer) ? times.space_before_file() : 0;
  if (space == 0) return buffer;
  GstBuffer* const own = gst_buffer_make_writable(buffer);
  gst_buffer_prepend_memory(own, free_box(space));
  return own;
}

/// Runs before data enter a demuxer. The filter of a tsdemux has made packets of them.
GstPadProbeReturn on_fragment(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  GstBuffer* const buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  if (buffer == nullptr) return GST_PAD_PROBE_OK;
  auto& times = *static_cast<MediaTimes*>(data);
  info->data = times.is_ts() ? enter_ts(times, pad, buffer) : enter_mp4(times, pad, buffer);
  return GST_PAD_PROBE_OK;
}

/// The number at the end of a text.
int trailing_number(std::string_view text, char separator, int base) {
  return static_cast<int>(std::strtol(text.data() + text.rfind(separator) + 1, nullptr, base));
}

int track_of(GstPad* pad) {
  const Handle<gchar, g_free> id{gst_pad_get_stream_id(pad)};  // "…/001"
  return id ? trailing_number(id.get(), '/', 10) : 0;
}

void move(GstClockTime& time, GstClockTimeDiff by) {
  if (!GST_CLOCK_TIME_IS_VALID(time)) return;
  const auto moved = static_cast<GstClockTimeDiff>(time) + by;
  time = moved < 0 ? 0 : static_cast<GstClockTime>(moved);
}

GstBuffer* moved_by(base::Duration shift, GstBuffer* buffer) {
  if (shift == base::Duration{0}) return buffer;
  GstBuffer* const moved = gst_buffer_make_writable(buffer);
  const auto by = static_cast<GstClockTimeDiff>(shift.count());
  move(GST_BUFFER_PTS(moved), by);
  move(GST_BUFFER_DTS(moved), by);
  return moved;
}

/// One track of fragmented MP4, at the pad of its demuxer.
class FragmentTrack {
 public:
  explicit FragmentTrack(MediaTimes& times) : times_{times} {}

  GstBuffer* moved(GstPad* pad, GstBuffer* buffer) {
    if (const auto running = running_time(pad, buffer)) {
      const base::Duration out{static_cast<base::Duration::rep>(GST_BUFFER_PTS(buffer))};
      shift_ = times_.leave_mp4(track_of(pad), out, *running) - *running;
    }
    return moved_by(shift_, buffer);
  }

 private:
  MediaTimes& times_;
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
  explicit PackedTrack(std::shared_ptr<FragmentClock> clock) : position_{std::move(clock)} {}

  void note(GstEvent* event) {
    if (GST_EVENT_TYPE(event) != GST_EVENT_TAG) return;
    GstTagList* tags = nullptr;
    gst_event_parse_tag(event, &tags);
    if (const auto time = packed_time(tags)) time_ = time;
  }

  /// Of the buffers, only those at a discontinuity have a time. Missing segments are none.
  GstBuffer* moved(GstPad* pad, GstBuffer* buffer) {
    if (!time_) return moved_by(shift_, buffer);
    const auto running = running_time(pad, buffer);
    const auto place = position_.timeline(*std::exchange(time_, std::nullopt), running);
    if (running) {
      shift_ = place - *running;
      return moved_by(shift_, buffer);
    }
    GstBuffer* const timed = gst_buffer_make_writable(buffer);
    set_running_time(pad, timed, place);
    return timed;
  }

 private:
  FragmentPosition position_;
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

FragmentOrigin fragment_origin(GstElement* adaptive) {
  return is_a(adaptive, "hlsdemux") ? FragmentOrigin::kPlaylist : FragmentOrigin::kManifest;
}

void read_media_times(GstElement* demuxer, FragmentOrigin origin,
                      std::shared_ptr<FragmentClock> clock) {
  const bool is_ts = is_a(demuxer, "tsdemux");
  const bool known = is_ts || is_a(demuxer, "qtdemux");
  if (origin == FragmentOrigin::kNone || !known) return;
  auto* const times = new MediaTimes{is_ts, origin, std::move(clock)};
  g_object_set_data_full(G_OBJECT(demuxer), kTimesKey, times, free_data<MediaTimes>);
  const PadHandle sink{gst_element_get_static_pad(demuxer, "sink")};
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_BUFFER, on_fragment, times, nullptr);
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
  if (times == nullptr || times->is_ts()) return;
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_demuxed, new FragmentTrack{*times},
                    free_data<FragmentTrack>);
}

}  // namespace transcoder
