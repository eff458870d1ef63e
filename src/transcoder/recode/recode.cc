#include "transcoder/recode/recode.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include "transcoder/encode/container_headers.h"
#include "transcoder/encode/open_encoder.h"
#include "transcoder/picture/scaler.h"
#include "transcoder/recode/h264_decoder.h"

namespace transcoder {

namespace {

/// Decodes, scales and codes one segment.
class Recoder {
 public:
  Recoder(const EncoderSettings& settings, const Recoding& wanted)
      : settings_{settings}, wanted_{wanted} {}

  base::Result<media::PacketPtr> next(const media::Packet& source) {
    auto decoded = decoder_.decode(source);
    if (!decoded) return base::Error{decoded.error()};
    const auto frame = scaler_.scale(*decoded, size_for((*decoded)->format));
    if (!frame) return base::Error{"the picture cannot be scaled"};
    const bool first = encoder_ == nullptr;
    if (first) {
      auto settings = settings_;
      settings.threads = 1;  // this one, whose CPU time is the caller's budget
      encoder_ = open_encoder(settings, frame->format, wanted_.frame_rate, wanted_.rate);
    }
    auto picture = encoder_->encode(*frame, first);
    if (!picture) return base::Error{picture.error()};
    return packet(source, std::move(*picture), frame->format);
  }

 private:
  /// Never larger than what there is.
  PictureSize size_for(const media::PictureFormat& format) const {
    if (format.width <= wanted_.size.width) return {format.width, format.height};
    return wanted_.size;
  }

  media::PacketPtr packet(const media::Packet& source, EncodedFrame picture,
                          const media::PictureFormat& format) {
    media::Packet result;
    result.keyframe = picture.keyframe;
    result.number = source.number;
    result.pts = source.pts;
    result.captured = source.captured;
    result.rate = wanted_.rate;
    result.target = picture.target;
    result.duration = source.duration;
    if (picture.keyframe) result.headers = headers_.update(picture.bytes, format);
    result.unit = std::move(picture.bytes);
    return std::make_shared<const media::Packet>(std::move(result));
  }

  const EncoderSettings& settings_;
  const Recoding& wanted_;
  H264Decoder decoder_;
  Scaler scaler_;
  std::unique_ptr<Encoder> encoder_;
  ContainerHeaders headers_{wanted_.audio};
};

}  // namespace

base::Result<std::vector<media::PacketPtr>> recode(std::span<const media::PacketPtr> pictures,
                                                   const EncoderSettings& settings,
                                                   const Recoding& wanted) {
  try {
    Recoder recoder{settings, wanted};
    std::vector<media::PacketPtr> result;
    for (const auto& picture : pictures) {
      auto packet = recoder.next(*picture);
      if (!packet) return base::Error{packet.error()};
      result.push_back(std::move(*packet));
    }
    return result;
  } catch (const std::exception& error) {
    return base::Error{error.what()};
  }
}

}  // namespace transcoder
