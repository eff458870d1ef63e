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

/// Decodes, scales and encodes one segment.
class Recoder {
 public:
  Recoder(const EncoderSettings& settings, const Recoding& wanted)
      : settings_{settings}, wanted_{wanted} {}

  base::Result<media::PacketPtr> next(const media::Packet& source) {
    auto decoded = decoder_.decode(source);
    if (!decoded) return base::Error{decoded.error()};
    const auto scaled = scaler_.scale(*decoded, size_for((*decoded)->format));
    if (!scaled) return base::Error{"libswscale cannot scale the picture"};
    const bool first = encoder_ == nullptr;
    if (first) {
      auto settings = settings_;
      settings.threads = 1;  // the caller's thread only, because its CPU time is budgeted
      encoder_ = open_encoder(settings, scaled->format, wanted_.frame_rate, wanted_.rate);
    }
    auto frame = encoder_->encode(*scaled, first);
    if (!frame) return base::Error{frame.error()};
    return packet(source, std::move(*frame), scaled->format);
  }

 private:
  /// Never enlarges the picture.
  PictureSize size_for(const media::PictureFormat& format) const {
    if (format.width <= wanted_.size.width) return {format.width, format.height};
    return wanted_.size;
  }

  media::PacketPtr packet(const media::Packet& source, EncodedFrame frame,
                          const media::PictureFormat& format) {
    media::Packet result;
    result.keyframe = frame.keyframe;
    result.number = source.number;
    result.pts = source.pts;
    result.captured = source.captured;
    result.rate = wanted_.rate;
    result.target = frame.target;
    result.duration = source.duration;
    if (frame.keyframe) result.headers = headers_.update(frame.bytes, format);
    result.unit = std::move(frame.bytes);
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

base::Result<std::vector<media::PacketPtr>> recode(std::span<const media::PacketPtr> frames,
                                                   const EncoderSettings& settings,
                                                   const Recoding& wanted) {
  try {
    Recoder recoder{settings, wanted};
    std::vector<media::PacketPtr> result;
    for (const auto& frame : frames) {
      auto packet = recoder.next(*frame);
      if (!packet) return base::Error{packet.error()};
      result.push_back(std::move(*packet));
    }
    return result;
  } catch (const std::exception& error) {
    return base::Error{error.what()};
  }
}

}  // namespace transcoder
