#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <system_error>
#include <vector>

#include "app/stream/live_stream.h"
#include "fuzz/check.h"

namespace fuzz {

/// A stream whose source and encoders are the target's: it publishes the packets of each group that
/// the ladder has open. Has a picture from the first packet on.
class SegmentStream final : public app::LiveStream {
 public:
  static constexpr base::Duration kFrame = std::chrono::milliseconds{100};
  static constexpr base::Duration kAudioFrame = std::chrono::microseconds{21'333};
  static constexpr std::uint32_t kSizes = 3;  ///< of pictures

  using LiveStream::LiveStream;

  base::Time now() const { return clock().monotonic(pts_); }
  std::size_t groups() const { return groups_.size(); }
  void let_encoders_fail(bool fail) { encoders_fail_ = fail; }
  bool encoders_fail() const { return encoders_fail_; }

  void show_picture() { shown_ = true; }
  /// Time passes without a frame.
  void skip(base::Duration time) { pts_ += time; }
  /// The next frame of each group, and the audio until then. Calls `after_each` after each frame;
  /// it must not close groups.
  template <typename Call>
  void publish(Call after_each) {
    pts_ += kFrame;
    shown_ = true;
    for (auto& [index, group] : groups_) {
      publish_audio(index, group);
      segments().publish(index, frame(index, group));
      after_each();
    }
  }

  /// A frame of this picture size, whose bytes say so.
  static media::HeadersPtr headers(std::uint32_t size) {
    static const std::array all{make_headers(0), make_headers(1), make_headers(2)};
    return all[size % kSizes];
  }

 private:
  struct Group {
    base::BitRate rate;
    std::int64_t audio = 0;  ///< number of the next audio frame
    bool begun = false;
    media::Pts last{};
  };

  transcoder::Stream::FullPictures full_pictures() const override {
    if (!shown_) return {};
    return {{320, 180}, 10, 10, true};
  }
  void open(app::GroupIndex group, base::BitRate rate) override {
    if (encoders_fail_) throw std::system_error{EAGAIN, std::generic_category()};
    CHECK(groups_.emplace(group, Group{.rate = rate, .audio = audio_begun()}).second, group);
  }
  void close(app::GroupIndex group) override {
    CHECK(groups_.erase(group) == 1, group);
    segments().close(group);
    if (groups_.empty()) segments().forget_closed();
  }
  void retarget(app::GroupIndex group, base::BitRate rate) override {
    groups_.at(group).rate = rate;
  }
  media::Pts schedule_keyframe(app::GroupIndex /*group*/, base::Duration earliest) override {
    return pts_ + earliest;
  }
  void move(app::ViewerId, app::GroupIndex group, media::Pts, abr::Reason) override {
    CHECK(groups_.contains(group), group);
  }

  static media::HeadersPtr make_headers(std::uint8_t size) {
    return std::make_shared<const media::Headers>(
        media::Headers{.codec = "avc1.640028",
                       .mp4_video = {size, 1, 2},
                       .mp4_audio = {7},
                       .format = {.width = 320 + size, .height = 180}});
  }

  media::PacketPtr frame(std::uint32_t index, Group& group) const {
    auto packet = std::make_shared<media::Packet>();
    const auto& clock = segments().clock();
    packet->number = static_cast<std::uint64_t>(pts_ / kFrame);
    packet->pts = pts_;
    packet->captured = now();
    packet->duration = kFrame;
    packet->rate = group.rate;
    packet->unit = {0, 0, 1, 0x65, 1, 2, 3};
    packet->keyframe = !group.begun || clock.number(group.last) != clock.number(pts_);
    if (packet->keyframe) packet->headers = headers(index);
    group.begun = true;
    group.last = pts_;
    return packet;
  }

  /// How many audio frames have begun.
  std::int64_t audio_begun() const {
    return (pts_ + kAudioFrame - base::Duration{1}) / kAudioFrame;
  }

  void publish_audio(std::uint32_t index, Group& group) {
    if (!media_settings().audio.enabled) return;
    for (; group.audio < audio_begun(); ++group.audio) {
      auto packet = std::make_shared<media::Packet>();
      packet->kind = media::Packet::Kind::kAudio;
      packet->number = static_cast<std::uint64_t>(group.audio);
      packet->pts = group.audio * kAudioFrame;
      packet->captured = now();
      packet->duration = kAudioFrame;
      packet->unit = {1, 2, 3};
      segments().publish(index, packet);
    }
  }

  media::Pts pts_{};
  bool shown_ = false;
  bool encoders_fail_ = false;
  std::map<std::uint32_t, Group> groups_;
};

}  // namespace fuzz
