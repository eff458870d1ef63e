#include "aac_decoder.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

#include <algorithm>
#include <stdexcept>

#include "transcoder/encode/aac_config.h"
#include "transcoder/encode/libav_handle.h"

namespace transcoder::test {

namespace {

LibavCodec open_decoder() {
  const AVCodec* aac = avcodec_find_decoder(AV_CODEC_ID_AAC);
  LibavCodec codec{avcodec_alloc_context3(aac)};
  codec->extradata =
      static_cast<std::uint8_t*>(av_mallocz(kAacConfig.size() + AV_INPUT_BUFFER_PADDING_SIZE));
  codec->extradata_size = static_cast<int>(kAacConfig.size());
  std::ranges::copy(kAacConfig, codec->extradata);
  if (avcodec_open2(codec.get(), aac, nullptr) < 0) throw std::runtime_error{"no AAC decoder"};
  return codec;
}

}  // namespace

std::array<std::vector<float>, 2> decode_aac(std::span<const std::vector<std::uint8_t>> frames) {
  const auto codec = open_decoder();
  const LibavPacket packet{av_packet_alloc()};
  const LibavFrame frame{av_frame_alloc()};
  std::array<std::vector<float>, 2> channels;
  for (const auto& bytes : frames) {
    av_new_packet(packet.get(), static_cast<int>(bytes.size()));
    std::ranges::copy(bytes, packet->data);
    const int sent = avcodec_send_packet(codec.get(), packet.get());
    av_packet_unref(packet.get());
    if (sent < 0 || avcodec_receive_frame(codec.get(), frame.get()) < 0 ||
        frame->ch_layout.nb_channels != 2) {
      throw std::runtime_error{"libavcodec refuses an AAC frame"};
    }
    for (std::size_t i = 0; i < channels.size(); ++i) {
      const auto* samples = reinterpret_cast<const float*>(frame->data[i]);
      channels[i].insert(channels[i].end(), samples, samples + frame->nb_samples);
    }
  }
  return channels;
}

}  // namespace transcoder::test
