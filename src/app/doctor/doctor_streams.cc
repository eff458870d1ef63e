#include "app/doctor/doctor_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "base/cpus.h"
#include "transcoder/ingest/source_check.h"
#include "transcoder/secrets.h"
#include "transcoder/stream/encode_cost.h"

namespace app {

namespace {

Finding source(const StreamConfig& stream) {
  const auto& uri = stream.media.source.uri;
  auto problem = transcoder::source_problem(uri);
  if (problem.empty()) return {Verdict::kOk, stream.media.name, transcoder::without_secrets(uri)};
  // A source may be away now, and symcast tries again.
  return {Verdict::kLimited, stream.media.name, transcoder::without_secrets(std::move(problem))};
}

/// Encoder settings that streams share.
struct EncoderKind {
  transcoder::EncoderSettings encoder;
  transcoder::VideoSettings video;
  bool operator==(const EncoderKind&) const = default;
};

std::string first_preset(const transcoder::EncoderSettings& encoder) {
  const bool is_auto = encoder.preset == transcoder::kAutoPreset;
  return is_auto ? transcoder::kAutoPresets[transcoder::kFirstEffort] : encoder.preset;
}

Finding encoder(const EncoderKind& kind, base::BitRate rate) {
  const auto subject = fmt::format("{}x{}, {:g}/s", kind.video.max_width, kind.video.max_height,
                                   kind.video.max_frame_rate);
  const auto cpus = base::usable_cpus();
  auto single = kind.encoder;
  single.threads = 1;
  try {
    const double needed = transcoder::measure_encode_cost(single, kind.video, rate);
    const auto detail = fmt::format("{} needs {:.2f} of {} CPUs per encode group",
                                    kind.encoder.codec == transcoder::VideoCodec::kMpeg2
                                        ? std::string{"MPEG-2"}
                                        : "preset " + first_preset(kind.encoder),
                                    needed, cpus);
    // An encoder with one thread has to keep up on one CPU.
    const bool keeps_up = needed < std::min<double>(kind.encoder.threads, cpus);
    if (keeps_up) return {Verdict::kOk, subject, detail};
    return {Verdict::kLimited, subject, detail + ": frames will be dropped",
            "choose a faster encoder.preset, a smaller video.max_width and max_height, or more "
            "encoder.threads"};
  } catch (const std::exception& error) {
    return {Verdict::kMissing, subject, error.what()};
  }
}

}  // namespace

Findings examine_stream_sources(const Config& config) {
  Findings findings;
  for (const auto& stream : config.streams) findings.push_back(source(stream));
  return findings;
}

Findings examine_stream_encoders(const Config& config) {
  Findings findings;
  std::vector<EncoderKind> seen;
  for (const auto& stream : config.streams) {
    const EncoderKind kind{stream.media.encoder, stream.media.video};
    if (std::ranges::find(seen, kind) != seen.end()) continue;
    seen.push_back(kind);
    findings.push_back(encoder(kind, stream.control.rate.max));
  }
  return findings;
}

}  // namespace app
