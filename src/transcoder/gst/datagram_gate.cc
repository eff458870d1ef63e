#include "transcoder/gst/datagram_gate.h"

#include <gst/gst.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transcoder/gst/datagram.h"
#include "transcoder/gst/gst_handles.h"

namespace transcoder {

namespace {

/// Packets of a transport stream in a row that are no chance: a single random byte may be a sync
/// byte. Datagrams usually have seven.
constexpr int kSurePackets = 3;

/// A stream that is cut without regard to its packets shows in this much of it, also if the
/// datagrams are smaller than packets.
constexpr std::size_t kRecentBytes = 4096;

/// This many datagrams without a stream are no damage, and no tail of a piece that was cut.
constexpr int kSureStrange = 10;

/// Wrong data count as gone after this time, while the right ones arrive: a wrong sender that tries
/// every few seconds is one trouble.
constexpr base::Duration kWrongTime = std::chrono::seconds{10};

/// Used on the streaming thread of one element.
class DatagramGate {
 public:
  explicit DatagramGate(std::shared_ptr<InputReport> report) : report_{std::move(report)} {}

  /// Takes the buffer, and returns what goes on; nullptr if nothing does.
  GstBuffer* pass(GstBuffer* buffer) {
    GstMapInfo map;
    if (stage_ == Stage::kContainer || gst_buffer_map(buffer, &map, GST_MAP_READ) == FALSE) {
      return buffer;
    }
    auto* const out = judge(buffer, std::span<const std::uint8_t>{map.data, map.size});
    gst_buffer_unmap(buffer, &map);
    if (out != buffer) gst_buffer_unref(buffer);
    return out;
  }

 private:
  enum class Stage { kClosed, kTransportStream, kContainer };

  GstBuffer* judge(GstBuffer* buffer, std::span<const std::uint8_t> bytes) {
    const auto datagram = inspect(bytes);
    switch (datagram.kind) {
      case DatagramKind::kRtp:
        admit();
        return made_of(order_.push(datagram.rtp), buffer);
      case DatagramKind::kTransportStream:
        if (stage_ == Stage::kTransportStream) return admit(), buffer;
        return collect(bytes, datagram.packets, buffer);
      case DatagramKind::kContainer:
        if (stage_ == Stage::kClosed) stage_ = Stage::kContainer;
        return buffer;
      case DatagramKind::kOtherRtp:
      case DatagramKind::kUnknown:
        // Damaged, or a piece of a stream that is cut anywhere. One in four looks like RTP.
        if (stage_ == Stage::kTransportStream) return buffer;
        return seek(bytes, datagram, buffer);
      default:
        if (stage_ == Stage::kTransportStream) return refuse(datagram), nullptr;
        return seek(bytes, datagram, buffer);
    }
  }

  /// Looks for a stream that does not show in single datagrams.
  GstBuffer* seek(std::span<const std::uint8_t> bytes, const Datagram& datagram, GstBuffer* like) {
    recent_.insert(recent_.end(), bytes.begin(), bytes.end());
    if (inspect(recent_).kind == DatagramKind::kTransportStream) {
      admit();
      return made_of(std::exchange(recent_, {}), like);
    }
    const auto excess = recent_.size() - std::min(recent_.size(), kRecentBytes);
    recent_.erase(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(excess));
    if (++strange_ >= kSureStrange) refuse(datagram);
    return nullptr;
  }

  void admit() {
    stage_ = Stage::kTransportStream;
    strange_ = 0;
    if (refused_at_ && base::Clock::now() - *refused_at_ > kWrongTime) {
      refused_at_.reset();
      report_->clear(SourceTrouble::kWrongData);
    }
  }

  /// Holds the first packets until they are sure.
  GstBuffer* collect(std::span<const std::uint8_t> bytes, int packets, GstBuffer* like) {
    packets_ += packets;
    held_.insert(held_.end(), bytes.begin(), bytes.end());
    if (packets_ < kSurePackets) return nullptr;
    admit();
    return made_of(std::exchange(held_, {}), like);
  }

  void refuse(const Datagram& datagram) {
    packets_ = 0;
    held_.clear();
    const auto now = base::Clock::now();
    const bool known = datagram.kind != DatagramKind::kUnknown;
    // Unknown data behind known ones are likely to be their rest.
    if (known || !refused_at_ || now - *refused_at_ > kWrongTime) {
      report_->raise(SourceTrouble::kWrongData, what_is(datagram));
    }
    refused_at_ = now;
  }

  static GstBuffer* made_of(const std::vector<std::uint8_t>& bytes, GstBuffer* like) {
    if (bytes.empty()) return nullptr;
    GstBuffer* const out = gst_buffer_new_memdup(bytes.data(), bytes.size());
    gst_buffer_copy_into(
        out, like,
        static_cast<GstBufferCopyFlags>(GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS), 0, -1);
    return out;
  }

  const std::shared_ptr<InputReport> report_;
  Stage stage_ = Stage::kClosed;
  int packets_ = 0;  ///< of the transport stream, in a row, before it is sure
  std::vector<std::uint8_t> held_;
  int strange_ = 0;  ///< datagrams without a stream, since the last one with
  std::vector<std::uint8_t> recent_;
  RtpOrder order_;
  std::optional<base::Time> refused_at_;
};

GstPadProbeReturn on_buffer(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto& gate = *static_cast<DatagramGate*>(data);
  info->data = gate.pass(GST_PAD_PROBE_INFO_BUFFER(info));
  return info->data == nullptr ? GST_PAD_PROBE_HANDLED : GST_PAD_PROBE_OK;
}

void delete_gate(gpointer data) { delete static_cast<DatagramGate*>(data); }

}  // namespace

void add_datagram_gate(GstElement* element, std::shared_ptr<InputReport> report) {
  const PadHandle pad{gst_element_get_static_pad(element, "src")};
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_buffer,
                    new DatagramGate{std::move(report)}, delete_gate);
}

}  // namespace transcoder
