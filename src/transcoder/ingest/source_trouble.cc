#include "transcoder/ingest/source_trouble.h"

#include <fmt/format.h>

namespace transcoder {

namespace {

std::string with_detail(std::string_view text, const std::string& detail) {
  return detail.empty() ? std::string{text} : fmt::format("{} ({})", text, detail);
}

}  // namespace

std::span<const SourceTrouble> all_troubles() {
  static constexpr SourceTrouble kAll[] = {
      SourceTrouble::kNoData,          SourceTrouble::kWrongData,
      SourceTrouble::kScrambled,       SourceTrouble::kNoPictures,
      SourceTrouble::kNoKeyframe,      SourceTrouble::kAudioOnly,
      SourceTrouble::kAudioBroken,     SourceTrouble::kAudioOff,
      SourceTrouble::kNoAudioDecoder,  SourceTrouble::kAudioReplaced,
      SourceTrouble::kTooManyPictures,
  };
  return kAll;
}

const char* name(SourceTrouble trouble) {
  switch (trouble) {
    case SourceTrouble::kNoData:
      return "no_data";
    case SourceTrouble::kWrongData:
      return "wrong_data";
    case SourceTrouble::kScrambled:
      return "scrambled";
    case SourceTrouble::kNoPictures:
      return "no_video";
    case SourceTrouble::kNoKeyframe:
      return "no_keyframe";
    case SourceTrouble::kAudioOnly:
      return "audio_only";
    case SourceTrouble::kNoAudioDecoder:
      return "audio_no_decoder";
    case SourceTrouble::kAudioBroken:
      return "audio_broken";
    case SourceTrouble::kAudioOff:
      return "audio_off";
    case SourceTrouble::kAudioReplaced:
      return "audio_replaced";
    case SourceTrouble::kTooManyPictures:
      return "too_fast";
  }
  return "unknown";
}

std::string describe(SourceTrouble trouble, const std::string& detail) {
  switch (trouble) {
    case SourceTrouble::kNoData:
      return "no data has come from the source yet; check its address, and that the sender runs";
    case SourceTrouble::kWrongData:
      return with_detail(
          "the received data is not a playable stream; send MPEG-TS, over UDP either raw or in RTP",
          detail);
    case SourceTrouble::kScrambled:
      return "the source is encrypted; send it unencrypted";
    case SourceTrouble::kNoPictures:
      return with_detail("the source sends data, but no video or audio that can be decoded",
                         detail);
    case SourceTrouble::kNoKeyframe:
      return with_detail(
          "video arrives, but no keyframe yet; let the encoder send one every few seconds", detail);
    case SourceTrouble::kAudioOnly:
      return "only audio arrives; viewers see a black picture";
    case SourceTrouble::kNoAudioDecoder:
      return with_detail(
          "viewers hear silence: GStreamer has no decoder for the audio; install "
          "gstreamer1.0-libav, gstreamer1.0-plugins-good, -bad or -ugly",
          detail);
    case SourceTrouble::kAudioBroken:
      return with_detail("viewers hear silence: the audio cannot be decoded", detail);
    case SourceTrouble::kAudioOff:
      return "viewers hear silence: the audio is more than 2 s apart from the video";
    case SourceTrouble::kAudioReplaced:
      return with_detail(
          "viewers hear another audio track: the chosen one contains nothing that can be decoded",
          detail);
    case SourceTrouble::kTooManyPictures:
      return with_detail(
          "the source sends more pictures than symcast uses, and those above a limit are dropped; "
          "lower its frame rate",
          detail);
  }
  return {};
}

}  // namespace transcoder
