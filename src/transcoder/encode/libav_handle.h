#pragma once

#include <memory>

struct AVCodecContext;
struct AVFrame;
struct AVPacket;

namespace transcoder {

/// Frees libav's structs with libav's own functions.
struct FreeLibav {
  void operator()(AVCodecContext* codec) const;
  void operator()(AVFrame* frame) const;
  void operator()(AVPacket* packet) const;
};

using LibavCodec = std::unique_ptr<AVCodecContext, FreeLibav>;
using LibavFrame = std::unique_ptr<AVFrame, FreeLibav>;
using LibavPacket = std::unique_ptr<AVPacket, FreeLibav>;

}  // namespace transcoder
