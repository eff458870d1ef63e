#include "app/doctor/doctor_media.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <x264.h>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transcoder/process/ingest_probe.h"
#include "transcoder/process/memory_group.h"

namespace app {

namespace {

constexpr std::string_view kBasePlugins = "gstreamer1.0-plugins-base";
constexpr std::string_view kGoodPlugins = "gstreamer1.0-plugins-good";
constexpr std::string_view kBadPlugins = "gstreamer1.0-plugins-bad";
constexpr std::string_view kLibavPlugins = "gstreamer1.0-libav";

struct Element {
  const char* name;
  std::string_view package;
};

struct Purpose {
  const char* subject;
  bool needed;  ///< by all sources except test:
  std::vector<Element> elements;
};

std::vector<Purpose> purposes() {
  return {
      {"video",
       true,
       {{"decodebin", kBasePlugins},
        {"videoconvert", kBasePlugins},
        {"videoscale", kBasePlugins},
        {"deinterlace", kGoodPlugins},
        {"videoflip", kGoodPlugins}}},
      {"audio",
       true,
       {{"audioconvert", kBasePlugins},
        {"audioresample", kBasePlugins},
        {"appsink", kBasePlugins}}},
      {"H.264, AAC",
       true,
       {{"h264parse", kBadPlugins}, {"avdec_h264", kLibavPlugins}, {"avdec_aac", kLibavPlugins}}},
      {"MPEG-TS", false, {{"tsdemux", kBadPlugins}}},
      {"files",
       false,
       {{"matroskademux", kGoodPlugins}, {"qtdemux", kGoodPlugins}, {"flvdemux", kGoodPlugins}}},
      {"rtsp:",
       false,
       {{"rtspsrc", kGoodPlugins},
        {"rtph264depay", kGoodPlugins},
        {"rtpjitterbuffer", kGoodPlugins}}},
      {"rtmp:", false, {{"rtmp2src", kBadPlugins}, {"flvdemux", kGoodPlugins}}},
      {"srt:", false, {{"srtsrc", kBadPlugins}}},
      {"http:, https:", false, {{"souphttpsrc", kGoodPlugins}}},
      {"HLS", false, {{"hlsdemux", kBadPlugins}}},
      {"udp:", false, {{"udpsrc", kGoodPlugins}}},
  };
}

Finding examine(const Purpose& purpose, const transcoder::IngestProbe& found) {
  std::vector<std::string_view> all;
  std::vector<std::string_view> missing;
  std::set<std::string_view> packages;
  for (const auto& [name, package] : purpose.elements) {
    all.emplace_back(name);
    if (found.elements.contains(name)) continue;
    missing.emplace_back(name);
    packages.insert(package);
  }
  if (missing.empty()) {
    return {Verdict::kOk, purpose.subject, fmt::format("{}", fmt::join(all, ", "))};
  }
  return {purpose.needed ? Verdict::kMissing : Verdict::kLimited, purpose.subject,
          fmt::format("{} missing", fmt::join(missing, ", ")),
          fmt::format("apt-get install {}", fmt::join(packages, " "))};
}

base::Result<transcoder::IngestProbe> probe(const std::vector<Purpose>& purposes) {
  const auto program = transcoder::IngestProgram::find();
  if (!program) return base::Error{program.error()};
  std::vector<std::string> elements;
  for (const auto& purpose : purposes) {
    for (const auto& element : purpose.elements) elements.emplace_back(element.name);
  }
  return transcoder::probe_ingest(*program, elements);
}

/// Opens an encoder for 8-bit video, because some builds of x264 encode only 10 bits.
Finding x264() {
  constexpr auto kX264Version = X264_POINTVER;
  x264_param_t parameters;
  x264_param_default_preset(&parameters, "veryfast", "zerolatency");
  parameters.i_width = parameters.i_height = 64;
  parameters.i_bitdepth = 8;
  parameters.i_threads = 1;
  parameters.i_log_level = X264_LOG_NONE;
  x264_t* encoder = x264_encoder_open(&parameters);
  if (encoder == nullptr) {
    return {Verdict::kMissing, "x264", fmt::format("{} cannot encode 8 bits", kX264Version),
            "apt-get install libx264-164"};
  }
  x264_encoder_close(encoder);
  return {Verdict::kOk, "x264", fmt::format("{}, 8 bits", kX264Version)};
}

/// Needed only by streams with encoder.codec = "mpeg2".
Finding mpeg2() {
  const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_MPEG2VIDEO);
  if (codec == nullptr) {
    return {Verdict::kLimited, "MPEG-2", "libavcodec has no MPEG-2 encoder",
            "apt-get install libavcodec59"};
  }
  return {Verdict::kOk, "MPEG-2",
          fmt::format("libavcodec {}, encoder {}", AV_STRINGIFY(LIBAVCODEC_VERSION), codec->name)};
}

Finding aac() {
  const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_AAC);
  if (codec == nullptr) {
    return {Verdict::kMissing, "AAC", "libavcodec has no AAC encoder",
            "apt-get install libavcodec59"};
  }
  return {Verdict::kOk, "AAC",
          fmt::format("libavcodec {}, encoder {}", AV_STRINGIFY(LIBAVCODEC_VERSION), codec->name)};
}

Finding mpegts() {
  if (av_guess_format("mpegts", nullptr, nullptr) == nullptr) {
    return {Verdict::kMissing, "MPEG-TS", "libavformat has no mpegts muxer",
            "apt-get install libavformat59"};
  }
  return {Verdict::kOk, "MPEG-TS",
          fmt::format("libavformat {}", AV_STRINGIFY(LIBAVFORMAT_VERSION))};
}

Finding examine(transcoder::FileBarrier files) {
  const char* const subject = "confined files";
  switch (files) {
    case transcoder::FileBarrier::kLandlock:
      return {Verdict::kOk, subject, "a source's process opens only those that it needs"};
    case transcoder::FileBarrier::kMountNamespace:
      return {Verdict::kOk, subject,
              "a source's process sees only those that it needs, by a mount namespace, since this "
              "kernel has no Landlock"};
    case transcoder::FileBarrier::kNone:
      break;
  }
  return {
      Verdict::kLimited, subject, "a source's process can read all files that symcast can",
      "needs Linux 5.13 with landlock in /sys/kernel/security/lsm, or else Linux 5.12 with user "
      "namespaces for symcast's user, who is not root; containers may forbid both"};
}

/// Parts of the machine that a source's process cannot reach.
Findings examine(const transcoder::Isolation& isolation) {
  const auto no_groups = transcoder::MemoryGroups::unavailable(base::ControlGroup::own());
  return {examine(isolation.files),
          isolation.system_calls
              ? Finding{Verdict::kOk, "confined calls",
                        "a source's process makes only those that it needs"}
              : Finding{Verdict::kLimited, "confined calls", "a source's process makes any",
                        "needs seccomp, which containers may forbid"},
          no_groups.empty()
              ? Finding{Verdict::kOk, "confined memory",
                        "a control group for each source's process, where systemd delegates one "
                        "(Delegate=)"}
              : Finding{Verdict::kLimited, "confined memory",
                        "by RLIMIT_DATA and a look four times per second",
                        fmt::format("{}; needs control groups of version 2", no_groups)}};
}

}  // namespace

Findings examine_sources() {
  const auto all = purposes();
  const auto found = probe(all);
  if (!found) return {{Verdict::kMissing, "symcast-ingest", found.error()}};
  Findings findings{{Verdict::kOk, "GStreamer", found->version}};
  for (const auto& purpose : all) findings.push_back(examine(purpose, *found));
  for (auto& finding : examine(found->isolation)) findings.push_back(std::move(finding));
  return findings;
}

Findings examine_encoders() { return {x264(), mpeg2(), aac(), mpegts()}; }

}  // namespace app
