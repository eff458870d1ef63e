#include "transcoder/gst/ts_filter.h"

#include <gst/gst.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "transcoder/gst/gst_handles.h"
#include "transcoder/gst/ts_packet.h"
#include "transcoder/gst/ts_repair.h"
#include "transcoder/gst/ts_scanner.h"

namespace transcoder {

namespace {

constexpr const char* kFilterKey = "symcast-ts-filter";

/// The distance between packets shows in this much of a stream, unless it is damaged.
constexpr std::size_t kSureBytes = 2048;
/// After this number of bytes without a packet, the sender may have begun to send others.
constexpr std::size_t kMaxStrange = 4096;

/// Buffers may end within a packet; those that leave here do not, so that each packet can be
/// edited. They have nothing between the packets. Used on the streaming thread of one tsdemux.
class TsFilter {
 public:
  TsFilter(int program, std::shared_ptr<InputReport> report)
      : scanner_{program}, report_{std::move(report)} {}

  const TsScanner& scanner() const { return scanner_; }

  /// Edits a buffer in place. For buffers that the demuxer pulls: it asks for whole packets, in any
  /// order, so they are not repaired.
  GstBuffer* edit(GstBuffer* buffer) {
    GstBuffer* const own = gst_buffer_make_writable(buffer);
    GstMapInfo map;
    if (gst_buffer_map(own, &map, GST_MAP_READWRITE) == FALSE) return own;
    scan(std::span{map.data, map.size});
    gst_buffer_unmap(own, &map);
    return own;
  }

  /// Returns the whole packets up to the end of the buffer; nullptr if there are none.
  GstBuffer* push(GstBuffer* buffer) {
    GstMapInfo map;
    if (gst_buffer_map(buffer, &map, GST_MAP_READ) == FALSE) return buffer;
    if (GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DISCONT)) {
      rest_.clear();
      skipped_ = 0;
      repair_.restart_times();
    }
    rest_.insert(rest_.end(), map.data, map.data + map.size);
    gst_buffer_unmap(buffer, &map);
    std::vector<std::uint8_t> edited;
    const auto skipped = std::min(std::exchange(skipped_, 0), rest_.size());
    const auto size = skipped + scan(std::span{rest_}.subspan(skipped), &edited);
    skipped_ = size - std::min(size, rest_.size());
    GstBuffer* const out =
        edited.empty() ? nullptr : gst_buffer_new_memdup(edited.data(), edited.size());
    if (out != nullptr) {
      gst_buffer_copy_into(
          out, buffer,
          static_cast<GstBufferCopyFlags>(GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS), 0,
          -1);
    }
    rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(size - skipped_));
    gst_buffer_unref(buffer);
    return out;
  }

 private:
  /// Returns the size up to the next packet that is not whole, which may begin behind the bytes.
  /// Bytes that belong to none are left as they are. `out` gets a copy of the packets, with what
  /// the scanner inserts, and of strange bytes.
  std::size_t scan(std::span<std::uint8_t> bytes, std::vector<std::uint8_t>* out = nullptr) {
    std::size_t at = 0;
    const auto copy = [out](std::span<const std::uint8_t> from) {
      if (out != nullptr) out->insert(out->end(), from.begin(), from.end());
    };
    if (stride_ == 0 && !find_stride(bytes)) return 0;
    const auto now = base::Clock::now();
    while (at + kTsPacketBytes <= bytes.size()) {
      const bool followed = at + stride_ >= bytes.size() || bytes[at + stride_] == kTsSyncByte;
      if (bytes[at] != kTsSyncByte || !followed) {
        if (stride_ == kTsPacketBytes) copy(bytes.subspan(at, 1));
        ++at;
        if (++strange_ > kMaxStrange && !find_stride(bytes.subspan(at))) break;
        continue;
      }
      strange_ = 0;
      const auto packet = bytes.subspan(at).first<kTsPacketBytes>();
      if (out != nullptr) repair_.repair(packet);
      scanner_.scan(packet, now);
      copy(packet);
      while (const auto table = out != nullptr ? scanner_.take_table() : std::nullopt) copy(*table);
      at += stride_;
    }
    const auto changes = scanner_.track_changes();
    report_->tracks_changed(changes - std::exchange(track_changes_, changes));
    if (std::exchange(scrambled_, scanner_.scrambled()) != scanner_.scrambled()) {
      scrambled_ ? report_->raise(SourceTrouble::kScrambled)
                 : report_->clear(SourceTrouble::kScrambled);
    }
    return at;
  }

  /// Returns false if more bytes are needed.
  bool find_stride(std::span<const std::uint8_t> bytes) {
    strange_ = 0;
    stride_ = find_ts_stride(bytes);
    if (stride_ == 0 && bytes.size() >= kSureBytes) stride_ = kTsPacketBytes;
    return stride_ != 0;
  }

  TsRepair repair_;
  TsScanner scanner_;
  const std::shared_ptr<InputReport> report_;
  bool scrambled_ = false;
  std::uint64_t track_changes_ = 0;
  std::size_t stride_ = 0;          ///< from packet to packet; 0 before it is known
  std::size_t strange_ = 0;         ///< bytes since the last packet
  std::size_t skipped_ = 0;         ///< bytes still to come behind the last packet
  std::vector<std::uint8_t> rest_;  ///< the beginning of a packet
};

GstPadProbeReturn filter_buffer(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto& filter = *static_cast<TsFilter*>(data);
  GstBuffer* const buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  if (buffer == nullptr) return GST_PAD_PROBE_OK;
  const bool pulled = (info->type & GST_PAD_PROBE_TYPE_PULL) != 0;
  info->data = pulled ? filter.edit(buffer) : filter.push(buffer);
  return info->data == nullptr ? GST_PAD_PROBE_HANDLED : GST_PAD_PROBE_OK;
}

/// tsdemux fits times to the arrivals if the data before it have times, too.
GstPadProbeReturn on_segment(GstPad*, GstPadProbeInfo* info, gpointer) {
  GstEvent* const event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_SEGMENT) return GST_PAD_PROBE_OK;
  GstSegment bytes;
  gst_segment_init(&bytes, GST_FORMAT_BYTES);
  GstEvent* const changed = gst_event_new_segment(&bytes);
  gst_event_set_seqnum(changed, gst_event_get_seqnum(event));
  gst_event_unref(event);
  info->data = changed;
  return GST_PAD_PROBE_OK;
}

void delete_filter(gpointer data) { delete static_cast<TsFilter*>(data); }

}  // namespace

void add_ts_filter(GstElement* tsdemux, int program, std::shared_ptr<InputReport> report) {
  auto* const filter = new TsFilter{program, std::move(report)};
  g_object_set_data_full(G_OBJECT(tsdemux), kFilterKey, filter, delete_filter);
  const PadHandle sink{gst_element_get_static_pad(tsdemux, "sink")};
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_BUFFER, filter_buffer, filter, nullptr);
}

void keep_stream_times(GstElement* tsdemux) {
  const PadHandle sink{gst_element_get_static_pad(tsdemux, "sink")};
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_segment, nullptr, nullptr);
}

bool is_audio_description(GstPad* pad) {
  const ElementHandle demuxer{gst_pad_get_parent_element(pad)};
  if (!demuxer) return false;
  const void* const filter = g_object_get_data(G_OBJECT(demuxer.get()), kFilterKey);
  if (filter == nullptr) return false;
  const std::string_view name = GST_OBJECT_NAME(pad);  // "audio_0_00101": generation and PID
  const auto pid = std::strtol(name.data() + name.rfind('_') + 1, nullptr, 16);
  return static_cast<const TsFilter*>(filter)->scanner().visually_impaired(static_cast<int>(pid));
}

}  // namespace transcoder
