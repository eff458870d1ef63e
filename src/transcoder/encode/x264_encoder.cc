#include "transcoder/encode/x264_encoder.h"

#include <stdint.h>
extern "C" {
#include <x264.h>
}

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transcoder/encode/frame_budget.h"
#include "transcoder/encode/frame_numbers.h"
#include "transcoder/encode/reference_window.h"

namespace transcoder {

namespace {

/// x264's log callback: keeps the last error for X264Encoder::failure().
void keep_error(void* text, int level, const char* format, std::va_list arguments) {
  if (level > X264_LOG_ERROR) return;
  auto& kept = *static_cast<std::array<char, 200>*>(text);
  std::vsnprintf(kept.data(), kept.size(), format, arguments);
}

constexpr int kMaxReferences = 16;  // of any level (ITU-T H.264, A.3.1)

int macroblocks(const media::PictureFormat& format) {
  return ((format.width + 15) / 16) * ((format.height + 15) / 16);
}

/// The lowest level that allows this picture size and frame rate, at least 4.0. Every player of the
/// last ten years decodes 4.0, and its 25 Mbit/s leave room to raise the rate without a new
/// encoder.
const x264_level_t* level_for(const media::PictureFormat& format, double frame_rate) {
  constexpr int kMinLevelIdc = 40;
  const int blocks = macroblocks(format);
  for (const auto* level = x264_levels; level->level_idc != 0; ++level) {
    if (level->level_idc >= kMinLevelIdc && blocks <= level->frame_size &&
        blocks * frame_rate <= level->mbps) {
      return level;
    }
  }
  return nullptr;
}

void set_timing(x264_param_t& p, double frame_rate) {
  constexpr int kFrameRateDenominator = 1000;
  p.i_fps_num = static_cast<std::uint32_t>(std::lround(frame_rate * kFrameRateDenominator));
  p.i_fps_den = kFrameRateDenominator;
  // b_vfr_input would delay every frame by one interval, to learn its duration from the next
  // timestamp. Instead x264 assumes 1 / fps, and FrameBudget accounts for time.
  p.b_vfr_input = 0;
}

void set_appearance(x264_param_t& p, const media::PictureFormat& format) {
  constexpr int kMatrixUnspecified = 2;
  constexpr int kMatrixGbr = 0;  // invalid for 4:2:0
  p.i_csp = X264_CSP_I420;
  p.i_width = format.width;
  p.i_height = format.height;
  p.vui.i_sar_width = format.sar_num;
  p.vui.i_sar_height = format.sar_den;
  p.vui.i_colorprim = format.colour.primaries;
  p.vui.i_transfer = format.colour.transfer;
  p.vui.i_colmatrix =
      format.colour.matrix == kMatrixGbr ? kMatrixUnspecified : format.colour.matrix;
  p.vui.b_fullrange = format.colour.full_range;
}

void set_stream(x264_param_t& p) {
  p.i_keyint_max = X264_KEYINT_MAX_INFINITE;
  p.i_scenecut_threshold = 0;
  p.i_bframe = 0;
  p.b_repeat_headers = 1;
  p.b_annexb = 1;
  p.b_aud = 1;
  p.i_nal_hrd = X264_NAL_HRD_NONE;  // with HRD x264 refuses every later change of rate
}

/// Limits the next frame to `size`. A buffer of exactly one frame makes x264 fit the frame into it,
/// row by row, finer or coarser. With a larger buffer it trusts its estimate of the frame's size,
/// which is up to ten times too high for noisy pictures at low rates. FrameBudget carries over the
/// unused bits.
void set_limit(x264_param_t& p, base::ByteCount size) {
  const double kbit = static_cast<double>(size.bits()) / 1000;
  const double frame_rate = static_cast<double>(p.i_fps_num) / p.i_fps_den;
  p.rc.i_vbv_buffer_size = std::max(1, static_cast<int>(kbit));
  p.rc.i_vbv_max_bitrate = std::max(1, static_cast<int>(p.rc.i_vbv_buffer_size * frame_rate));
}

x264_param_t preset_parameters(const std::string& preset) {
  x264_param_t p;
  if (x264_param_default_preset(&p, preset.c_str(), "zerolatency") < 0) {
    throw std::runtime_error{"x264 has no preset \"" + preset + "\"; change encoder.preset"};
  }
  return p;
}

/// Takes over what makes a preset slower or faster, as far as a running encoder can change it
/// (x264_encoder_reconfig).
void adopt(x264_param_t& p, const x264_param_t& preset) {
  p.i_frame_reference = std::min(preset.i_frame_reference, p.i_dpb_size);
  p.analyse.inter = preset.analyse.inter;
  p.analyse.i_me_method = preset.analyse.i_me_method;
  p.analyse.i_subpel_refine = preset.analyse.i_subpel_refine;
  p.analyse.i_trellis = preset.analyse.i_trellis;
  p.analyse.b_mixed_references = preset.analyse.b_mixed_references;
}

x264_param_t parameters(const EncoderSettings& settings, const media::PictureFormat& format,
                        double frame_rate) {
  // Opened with "fast", an encoder gives colours more bits at every effort, for its psychovisual
  // decisions (x264's chroma_qp_offset); at effort 1 that cost 0.2 dB of SSIM.
  const bool is_auto = settings.preset == kAutoPreset;
  x264_param_t p = preset_parameters(is_auto ? kAutoPresets[kFirstEffort] : settings.preset);
  // It never uses more reference frames than it was opened with.
  if (is_auto) p.i_frame_reference = preset_parameters(kAutoPresets.back()).i_frame_reference;
  set_timing(p, frame_rate);
  set_appearance(p, format);
  set_stream(p);
  p.i_threads = settings.threads;
  // Threads on whole frames would delay each by threads - 1 frames; threads on slices do not.
  p.b_sliced_threads = settings.threads > 1;
  p.rc.i_rc_method = X264_RC_CRF;
  p.rc.f_rf_constant = static_cast<float>(settings.crf);
  // From preset "medium" on a reference frame may be listed twice, and x264 encodes the second
  // entry as a whole period of its own frame_num. FrameNumbers changes that period.
  p.analyse.i_weighted_pred = std::min(p.analyse.i_weighted_pred, X264_WEIGHTP_SIMPLE);
  p.analyse.b_psnr = settings.psnr;
  if (const auto* level = level_for(format, frame_rate)) {
    p.i_level_idc = level->level_idc;
    // Keep as many reference frames as the level has memory for, so that older ones are available
    // when newer ones are lost. The motion search uses i_frame_reference of them; presets from
    // "slow" on set more than the level allows.
    p.i_dpb_size = std::clamp(level->dpb / macroblocks(format), 1, kMaxReferences);
    p.i_frame_reference = std::min(p.i_frame_reference, p.i_dpb_size);
  }
  x264_param_apply_profile(&p, "high");
  return p;
}

struct CloseX264 {
  void operator()(x264_t* x264) const { x264_encoder_close(x264); }
};

class X264Encoder : public Encoder {
 public:
  X264Encoder(const EncoderSettings& settings, const media::PictureFormat& format,
              double frame_rate, base::BitRate rate);

  void retarget(base::BitRate rate) override { budget_.retarget(rate); }
  void set_effort(std::size_t effort) override;
  void skip(media::Pts pts) override { budget_.skip(pts); }
  bool recover(std::uint64_t number) override;
  base::Result<EncodedFrame> encode(const media::Frame& frame, bool keyframe) override;

 private:
  base::Error failure(const char* what) const;
  EncodedFrame make_frame(std::span<const x264_nal_t> nals, const x264_picture_t& output);
  void append(std::vector<std::uint8_t>& out, const x264_nal_t& nal);

  const bool auto_;
  std::array<char, 200> error_{};
  FrameBudget budget_;
  x264_param_t parameters_;
  FrameNumbers frame_numbers_;
  std::uint64_t since_keyframe_ = 0;  ///< frames
  ReferenceWindow references_;
  std::optional<std::uint64_t> recovers_from_;  ///< EncodedFrame::recovers_from of the next frame
  std::unique_ptr<x264_t, CloseX264> x264_;
};

X264Encoder::X264Encoder(const EncoderSettings& settings, const media::PictureFormat& format,
                         double frame_rate, base::BitRate rate)
    : auto_{settings.preset == kAutoPreset},
      budget_{rate, settings.vbv, frame_rate},
      parameters_{parameters(settings, format, frame_rate)},
      references_{static_cast<std::size_t>(parameters_.i_dpb_size)} {
  parameters_.pf_log = keep_error;
  parameters_.p_log_private = &error_;
  parameters_.i_log_level = X264_LOG_INFO;  // at a lower level x264 does not measure PSNR
  set_limit(parameters_, rate * settings.vbv);
  x264_.reset(x264_encoder_open(&parameters_));
  if (!x264_) throw std::runtime_error{failure("open").message};
  set_effort(kFirstEffort);
}

void X264Encoder::set_effort(std::size_t effort) {
  if (auto_) adopt(parameters_, preset_parameters(kAutoPresets.at(effort)));
}

bool X264Encoder::recover(std::uint64_t number) {
  const bool wrapped = since_keyframe_ >= frame_numbers_.period() &&
                       since_keyframe_ % frame_numbers_.period() < kMaxReferences;
  const auto newest = wrapped ? std::nullopt : references_.forget(number);
  if (!newest) return false;
  x264_encoder_invalidate_reference(x264_.get(), static_cast<std::int64_t>(number));
  recovers_from_ = *newest + 1;
  return true;
}

base::Result<EncodedFrame> X264Encoder::encode(const media::Frame& frame, bool keyframe) {
  set_limit(parameters_, budget_.next(frame.pts));
  if (x264_encoder_reconfig(x264_.get(), &parameters_) < 0) return failure("retarget");
  x264_picture_t input;
  x264_picture_init(&input);
  input.i_type = keyframe ? X264_TYPE_IDR : X264_TYPE_P;
  input.i_pts = static_cast<std::int64_t>(frame.number);  // for recover()
  input.img.i_csp = X264_CSP_I420;
  input.img.i_plane = 3;
  for (int i = 0; i < 3; ++i) {
    input.img.plane[i] = const_cast<std::uint8_t*>(frame.plane[i]);  // x264 only reads it
    input.img.i_stride[i] = frame.stride[i];
  }
  x264_picture_t output;
  x264_nal_t* nals = nullptr;
  int count = 0;
  const int size = x264_encoder_encode(x264_.get(), &nals, &count, &input, &output);
  if (size <= 0) return failure("encode");
  budget_.spend(base::ByteCount{size});
  references_.add(frame.number, output.b_keyframe != 0);
  return make_frame({nals, static_cast<std::size_t>(count)}, output);
}

EncodedFrame X264Encoder::make_frame(std::span<const x264_nal_t> nals,
                                     const x264_picture_t& output) {
  EncodedFrame result;
  result.keyframe = output.b_keyframe != 0;
  since_keyframe_ = result.keyframe ? 0 : since_keyframe_ + 1;
  result.target = budget_.target();
  result.recovers_from = std::exchange(recovers_from_, std::nullopt);
  for (const auto& nal : nals) {
    // The only SEI is x264's list of options in the first frame. It would cost 700 bytes.
    if (nal.i_type == NAL_SEI) continue;
    append(result.bytes, nal);
  }
  if (parameters_.analyse.b_psnr) {
    const auto db = [&](int plane) { return static_cast<float>(output.prop.f_psnr[plane]); };
    result.psnr = media::Psnr{.y = db(0), .u = db(1), .v = db(2)};
  }
  return result;
}

void X264Encoder::append(std::vector<std::uint8_t>& out, const x264_nal_t& nal) {
  const std::span bytes{nal.p_payload, static_cast<std::size_t>(nal.i_payload)};
  const auto add = [&](const auto& unit) { out.insert(out.end(), unit.begin(), unit.end()); };
  if (nal.i_type == NAL_SPS) {
    add(frame_numbers_.sequence(bytes));
  } else if (nal.i_type == NAL_SLICE || nal.i_type == NAL_SLICE_IDR) {
    add(frame_numbers_.slice(bytes, since_keyframe_));
  } else {
    add(bytes);
  }
}

base::Error X264Encoder::failure(const char* what) const {
  std::string_view reason{error_.data()};
  if (reason.ends_with('\n')) reason.remove_suffix(1);
  return {"x264 " + std::string{what} + ": " + std::string{reason}};
}

}  // namespace

std::unique_ptr<Encoder> open_x264(const EncoderSettings& settings,
                                   const media::PictureFormat& format, double frame_rate,
                                   base::BitRate rate) {
  return std::make_unique<X264Encoder>(settings, format, frame_rate, rate);
}

}  // namespace transcoder
