#include "server/packager.h"

#include <optional>
#include <utility>

#include "media/flv.h"
#include "media/mp4.h"
#include "media/mpegts.h"

namespace server {

namespace {

void append(std::vector<std::uint8_t>& out, const std::vector<std::uint8_t>& bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

/// Tables whose counters go on, and a word that others do not, where another group begins.
class TsPackager final : public Packager {
 public:
  Own next(const QueuedPacket& item) override {
    Own own;
    const auto bytes = item.packet->in(media::Container::kMpegTs);
    if (item.is_keyframe()) own.bytes = tables_.take(bytes);
    own.skipped = own.bytes.size();
    if (item.splice) append(own.bytes, media::ts_splice(bytes.subspan(own.skipped)));
    return own;
  }
  std::span<const std::uint8_t> padding(std::size_t bytes) const override {
    return media::ts_padding(bytes);
  }

 private:
  media::TsTables tables_;
};

/// Parameter sets stand in each keyframe, and go unsaid in the container where they change: players
/// take them from there, and those that rebuild their decoder for a new header (mpegts.js) would
/// lose frames.
class FlvPackager final : public Packager {
 public:
  Own next(const QueuedPacket& item) override {
    if (std::exchange(begun_, true)) return {};
    return {media::flv_begin(*item.packet->headers, item.packet->pts)};
  }
  std::span<const std::uint8_t> padding(std::size_t bytes) const override {
    return media::flv_padding(bytes);
  }

 private:
  bool begun_ = false;
};

/// As in FLV; and where frames are missing, the next one is shown from the end of the last one
/// on.
class Mp4Packager final : public Packager {
 public:
  Own next(const QueuedPacket& item) override {
    Own own;
    const auto& packet = *item.packet;
    if (!std::exchange(begun_, true)) own.bytes = packet.headers->mp4;
    if (!item.is_video()) return own;
    if (last_ && packet.pts - last_->pts > last_->duration * 3 / 2) {
      append(own.bytes, media::mp4_bridge(packet, last_->pts + last_->duration));
      own.skipped = media::kMp4FragmentHeaderBytes;
    }
    last_ = Last{packet.pts, packet.duration};
    return own;
  }
  std::span<const std::uint8_t> padding(std::size_t bytes) const override {
    return media::mp4_padding(bytes);
  }

 private:
  struct Last {
    media::Pts pts;
    base::Duration duration;
  };

  bool begun_ = false;
  std::optional<Last> last_;  ///< frame
};

}  // namespace

std::unique_ptr<Packager> make_packager(media::Container container) {
  switch (container) {
    case media::Container::kFlv:
      return std::make_unique<FlvPackager>();
    case media::Container::kMp4:
      return std::make_unique<Mp4Packager>();
    case media::Container::kMpegTs:
      break;
  }
  return std::make_unique<TsPackager>();
}

}  // namespace server
