#include "transcoder/encode/libav_handle.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace transcoder {

void FreeLibav::operator()(AVCodecContext* codec) const { avcodec_free_context(&codec); }
void FreeLibav::operator()(AVFrame* frame) const { av_frame_free(&frame); }
void FreeLibav::operator()(AVPacket* packet) const { av_packet_free(&packet); }

}  // namespace transcoder
