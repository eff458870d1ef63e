#include "server/packager.h"

#include <algorithm>
#include <array>
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

/// Whether an audio frame can be joined to the one before: nothing is missing or inserted between.
bool continues(const Packager::Part& part, const Packager::Part& before) {
  const auto since = part.packet->pts - before.packet->pts;
  return part.insert.bytes.empty() && since > base::Duration{} &&
         since <= before.packet->duration * 3 / 2;
}

/// Calls fn(run) for each run of audio frames that continue each other.
template <typename Fn>
void for_each_audio_run(std::span<Packager::Part> batch, Fn fn) {
  const auto is_audio = [](const Packager::Part& part) {
    return part.packet->kind == media::Packet::Kind::kAudio;
  };
  for (std::size_t begin = 0, end = 0; begin < batch.size(); begin = end) {
    end = begin + 1;
    if (!is_audio(batch[begin])) continue;
    while (end < batch.size() && is_audio(batch[end]) && continues(batch[end], batch[end - 1])) {
      ++end;
    }
    fn(batch.subspan(begin, end - begin));
  }
}

/// Keeps the continuity counters of the tables, and inserts a splice where packets are missing or
/// another group begins. Audio frames that each fill a part of a TS packet share a PES packet.
class TsPackager final : public Packager {
 public:
  Insert next(const QueuedPacket& item) override {
    Insert insert;
    const auto bytes = item.packet->in(media::Container::kMpegTs);
    if (item.is_keyframe()) insert.bytes = tables_.take(bytes);
    insert.replaced = insert.bytes.size();
    if (item.splice) append(insert.bytes, media::ts_splice(bytes.subspan(insert.replaced)));
    return insert;
  }
  void complete(std::span<Part> batch) override {
    for_each_audio_run(batch, [this](std::span<Part> run) { join(run); });
  }
  std::span<const std::uint8_t> padding(std::size_t bytes) const override {
    return media::ts_padding(bytes);
  }

 private:
  void join(std::span<Part> run) {
    if (!run.front().insert.bytes.empty()) audio_.splice();
    std::array<std::span<const std::uint8_t>, kMaxBatchPackets> frames;
    std::ranges::transform(run, frames.begin(), [](const Part& part) {
      return part.packet->in(media::Container::kMpegTs);
    });
    const auto joint = audio_.take(std::span{frames}.first(run.size()));
    if (joint.empty()) return;
    append(run.front().insert.bytes, joint);
    for (auto& part : run) part.insert.replaced = part.packet->ts.size();
  }

  media::TsAudio audio_;
  media::TsTables tables_;
};

/// Sends the headers once, even if they change later. Each keyframe contains its parameter sets,
/// which is enough for players. Players that rebuild their decoder for a new header (mpegts.js)
/// would lose frames.
class FlvPackager final : public Packager {
 public:
  Insert next(const QueuedPacket& item) override {
    if (std::exchange(begun_, true)) return {};
    return {media::flv_begin(*item.packet->headers, item.packet->pts)};
  }
  std::span<const std::uint8_t> padding(std::size_t bytes) const override {
    return media::flv_padding(bytes);
  }

 private:
  bool begun_ = false;
};

/// Sends the headers once, as for FLV. If frames are missing, starts the next one where the last
/// one ended. The audio frames before a frame share a fragment: at 32 kbit/s, a fragment's header
/// is longer than an audio frame.
class Mp4Packager final : public Packager {
 public:
  Insert next(const QueuedPacket& item) override {
    Insert insert;
    const auto& packet = *item.packet;
    if (!std::exchange(begun_, true)) insert.bytes = packet.headers->mp4;
    if (!item.is_video()) return insert;
    if (last_ && packet.pts - last_->pts > last_->duration * 3 / 2) {
      append(insert.bytes, media::mp4_bridge(packet, last_->pts + last_->duration));
      insert.replaced = media::kMp4FragmentHeaderBytes;
    }
    last_ = Last{packet.pts, packet.duration};
    return insert;
  }
  void complete(std::span<Part> batch) override {
    for_each_audio_run(batch, [](std::span<Part> run) {
      if (run.size() > 1) join(run);
    });
  }
  std::span<const std::uint8_t> padding(std::size_t bytes) const override {
    return media::mp4_padding(bytes);
  }

 private:
  static void join(std::span<Part> parts) {
    std::array<const media::Packet*, kMaxBatchPackets> packets;
    std::ranges::transform(parts, packets.begin(),
                           [](const Part& part) { return part.packet.get(); });
    for (auto& part : parts) part.insert.replaced = media::kMp4FragmentHeaderBytes;
    append(parts.front().insert.bytes,
           media::mp4_joint_header(std::span{packets}.first(parts.size())));
  }

  struct Last {
    media::Pts pts;
    base::Duration duration;
  };

  bool begun_ = false;
  std::optional<Last> last_;  ///< the last frame
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
