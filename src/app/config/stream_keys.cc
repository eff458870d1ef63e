#include <vector>

#include "abr/policy/comparison.h"
#include "app/config/config_keys.h"
#include "app/config/config_lists.h"
#include "app/config/config_section.h"
#include "app/config/config_types.h"

namespace app {

namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;
using types::Dimensions;
using types::Duration;
using types::Flag;
using types::Rate;
using types::Real;
using types::Size;
using types::Text;
using types::Whole;
using types::Word;

const types::Choice<segments::Choice> kAbrChoices{
    {{"server", segments::Choice::kServer}, {"player", segments::Choice::kPlayer}}};
const types::Choice<abr::PolicyKind> kPolicyKinds = [] {
  types::Choice<abr::PolicyKind> kinds{{{"symbiosis", abr::PolicyKind::kSymbiosis},
                                        {"itcp", abr::PolicyKind::kItcp},
                                        {"off", abr::PolicyKind::kOff}}};
  for (const auto& [name, kind] : abr::comparison_policies()) kinds.accept_too(name, kind);
  return kinds;
}();
const types::Choice<transcoder::VideoCodec> kVideoCodecs{
    {{"h264", transcoder::VideoCodec::kH264}, {"mpeg2", transcoder::VideoCodec::kMpeg2}}};
// x264_preset_names and kAutoPreset; a test compares the lists.
const Word kX264Presets{{"auto", "ultrafast", "superfast", "veryfast", "faster", "fast", "medium",
                         "slow", "slower", "veryslow", "placebo"}};

const types::ListOf<transcoder::AllowedPlace> kAllowedPlaces{
    R"(list of "ADDRESS/LENGTH", "HOST" or "/FOLDER")"};

Section<StreamConfig> video_section() {
  using Part = transcoder::VideoSettings;
  return section<StreamConfig, Part>(
      "video",
      "Size and frame rate of the encoded video. symcast scales larger sources down, and thins out "
      "faster ones evenly.",
      [](auto& stream) -> auto& { return stream.media.video; },
      {
          key("max_width", &Part::max_width, Whole{64, 7680},
              "Maximum width in pixels. Raise it to 1920 for full HD; encoding takes CPU time in "
              "proportion to the area. For upright video, this limits the height, and max_height "
              "the width."),
          key("max_height", &Part::max_height, Whole{64, 4320},
              "Maximum height in pixels. Raise it to 1080 for full HD."),
          key("max_frame_rate", &Part::max_frame_rate, Real{1, 120},
              "Maximum frames per second. Use 60 for sport and 15 for slides. symcast thins out "
              "faster sources evenly: 50 frames per second become 25 under a limit of 30."),
      });
}

Section<StreamConfig> audio_section() {
  using Part = transcoder::AudioSettings;
  return section<StreamConfig, Part>(
      "audio", "Audio: stereo AAC, encoded once for all groups, at up to three rates.",
      [](auto& stream) -> auto& { return stream.media.audio; },
      {
          key("enabled", &Part::enabled, Flag{},
              "Adds an audio track, which is silent if the source has no audio. false serves video "
              "only."),
          key("rate", &Part::rate, Rate{BitRate::kbps(16), BitRate::kbps(512)},
              "Highest audio bit rate. It is added to the video rate. Viewers on slow links get "
              "less."),
          key("min_rate", &Part::min_rate, Rate{BitRate::kbps(16), BitRate::kbps(512)},
              "Lowest audio bit rate. Below audio.rate there are 48k and 32k, which is mono, as "
              "far as they are not below this. Raise it to audio.rate to keep that rate on every "
              "link."),
      });
}

Section<StreamConfig> encoder_section() {
  using Part = transcoder::EncoderSettings;
  return section<StreamConfig, Part>(
      "encoder",
      "Video encoder. It aims at constant quality up to the target rate, with a rate buffer "
      "small enough for a new rate to take effect within a frame.",
      [](auto& stream) -> auto& { return stream.media.encoder; },
      {
          key("codec", &Part::codec, kVideoCodecs,
              "Video codec: \"h264\", or \"mpeg2\" for receivers that decode nothing newer. "
              "MPEG-2 is served as .ts only and needs about twice the rate for the same "
              "quality, so double rate.min and scaling.min_bits_per_pixel. After dropped "
              "frames, only a keyframe lets its viewers continue."),
          key("preset", &Part::preset, kX264Presets,
              "x264 preset. Slower ones give better quality at the same rate and take more CPU "
              "time. With \"auto\" the server chooses among \"superfast\" to \"fast\" by the CPU "
              "time that is left, and begins with \"veryfast\". \"mpeg2\" ignores it."),
          key("crf", &Part::crf, Real{1, 51},  // below 1, x264 encodes losslessly at any rate
              "Quality to aim at while the rate allows it (x264 CRF); lower is better. Raise "
              "it, for example to 23, to save rate on easy scenes."),
          key("vbv", &Part::vbv, Duration{20ms, 2s},
              "Rate buffer (VBV), as time at the target rate. With 50ms to 67ms the encoder "
              "follows a rate cut within a frame; more gives steadier quality but follows "
              "later."),
          key("keyframe_interval", &Part::keyframe_interval, Duration{500ms, 1min},
              "Time between keyframes, on a clock common to all groups. Raise it to save rate; "
              "more keyframes are then forced for viewers that join or change group."),
          key("forced_keyframe_interval", &Part::forced_keyframe_interval, Duration{100ms, 1min},
              "Minimum time between keyframes forced for viewers that join, change group or "
              "have lost frames. Lower it to serve them sooner; raise it to save rate."),
          key("threads", &Part::threads, Whole{1, 64},
              "Encoder threads per group. Raise it only if one core cannot encode the video in "
              "real time."),
          key("psnr", &Part::psnr, Flag{},
              "Measures the PSNR of every frame for metrics and traces. It costs CPU time."),
      });
}

Section<StreamConfig> source_section() {
  using Part = transcoder::SourceSettings;
  return section<StreamConfig, Part>(
      "source", "Choice of tracks, restarts and buffering of sources.",
      [](auto& stream) -> auto& { return stream.media.source; },
      {
          key("program", &Part::program, Whole{0, 65535},
              "Number of the programme of an MPEG transport stream to play. 0 plays the first one "
              "with video."),
          key("audio", &Part::audio, Text{"a track's number or language, \"none\" or \"\""},
              "Audio track to play: its number, from \"1\" on, its language, such as \"eng\", or "
              "\"none\". \"\", or a track that the source does not have, selects the default "
              "track. An audio description plays only if there is no other track."),
          key("first_picture_wait", &Part::first_picture_wait, Duration{0s, 10min},
              "Time after the start of a stream during which viewers wait for its first picture. "
              "Afterwards they get 503 at once until there is one. Raise it for a source that "
              "takes long to connect. 0s disables waiting."),
          key("silence_timeout", &Part::silence_timeout, Duration{500ms, 10min},
              "Time without a frame after which a source is restarted. Raise it for sources "
              "that pause."),
          key("backoff_min", &Part::backoff_min, Duration{50ms, 10min},
              "Wait before a restart. It doubles with each failed attempt, up to backoff_max, and "
              "is reset once the source has played for backoff_min. Sources that wait for a sender "
              "always listen again at once."),
          key("backoff_max", &Part::backoff_max, Duration{50ms, 1h},
              "Longest wait between restarts. Lower it to pick up a returning source sooner."),
          key("latency", &Part::latency, Duration{0s, 10s},
              "Jitter buffer of RTSP, SRT and RTP sources. Lower it on a quiet local network; "
              "raise it on the internet."),
          key("memory", &Part::memory, Size{ByteCount{64 << 20}, ByteCount{std::int64_t{64} << 30}},
              "Memory that the source's process may use. Beyond it, the source is lost, and starts "
              "again. The larger its pictures, the fewer threads its decoder uses. Raise it for "
              "video larger than 4K, and for 4K of 10 bits at a high frame rate."),
          key("cpu", &Part::cpu, Real{0.05, 1},
              "Share of all CPUs that the source's process may use over 10 s, but at least one "
              "CPU. Beyond it, the source is lost, and starts again. Lower it if the machine plays "
              "many sources."),
          key("max_size", &Part::max_size, Dimensions{{16, 16}, {65535, 65535}},
              "Largest picture that the source may send, upright or not: neither its sides nor its "
              "area may exceed it. symcast refuses a larger one before it takes memory for it. "
              "Raise it, and memory, for larger video."),
          key("allow", &Part::allow, kAllowedPlaces,
              "Networks and hosts that a source's playlists and redirects may name, for example "
              "[\"10.0.0.0/8\", \"cdn.lan\"]. Without it, they may name public addresses and the "
              "host of the source's own URI. Folders are for playlists that are files: "
              "[\"/srv/media\"] lets them name the files in it."),
      });
}

Section<StreamConfig> rate_section() {
  using Part = abr::RateLimits;
  return section<StreamConfig, Part>(
      "rate", "Limits of a viewer's video rate. [control] chooses the rate within them.",
      [](auto& stream) -> auto& { return stream.control.rate; },
      {
          key("min", &Part::min, Rate{BitRate::kbps(30), BitRate::mbps(200)},
              "Lowest rate, even on the worst link. Choose the lowest that is worth watching."),
          key("max", &Part::max, Rate{BitRate::kbps(30), BitRate::mbps(200)},
              "Highest rate. Choose what looks good at video.max_width by video.max_height."),
          key("start", &Part::start, Rate{BitRate::kbps(30), BitRate::mbps(200)},
              "Rate that a viewer starts with. If it is not set, the built-in value is clamped "
              "to min and max."),
      });
}

Section<StreamConfig> control_section() {
  using Part = abr::Settings;
  return section<StreamConfig, Part>(
      "control",
      "How a viewer's rate follows its connection. HLS and DASH players have a separate rule, "
      "based on the rate of their transfers.",
      [](auto& stream) -> auto& { return stream.control; },
      {
          key("policy", &Part::policy, kPolicyKinds,
              "Rate policy. \"symbiosis\" follows the capacity of each connection, frame by frame. "
              "\"itcp\" cuts the rate on retransmissions and restores it when they stop. \"off\" "
              "keeps rate.start."),
      });
}

Section<StreamConfig> itcp_section() {
  using Part = abr::ItcpSettings;
  return section<StreamConfig, Part>(
      "itcp",
      "Settings of the policy \"itcp\". \"symbiosis\" follows it as well while delivery times "
      "are unknown, and always if telemetry.ack_timestamps_per_second is 0.",
      [](auto& stream) -> auto& { return stream.control.itcp; },
      {
          key("decrease_factor", &Part::retraction, Real{0.05, 0.95},
              "New rate after a congestion event, as a share of the rate before it. Raise it to "
              "cut less; it then takes more events to reach a low rate."),
          key("guard_rtts", &Part::guard_rtts, Real{0, 100},
              "Number of round trips after a cut during which further events count as part of it. "
              "Raise it if one burst of losses cuts the rate twice. 0 cuts the rate at every "
              "event."),
          key("hold", &Part::hold, Duration{0s, 1h},
              "Time without events before the rate rises again. It doubles with each repeated "
              "event, up to hold_max. 0s lets the rate rise at once."),
          key("hold_max", &Part::hold_max, Duration{0s, 1h},
              "Longest hold. Lower it to try again sooner on links that keep failing."),
          key("restore_max_backlog", &Part::quiet_backlog, Duration{0s, 10s},
              "Queued data, as time at the viewer's rate, above which the rate does not rise. "
              "Raise it to rise sooner, with more delay. 0s lets it rise only while nothing is "
              "queued."),
          key("restore_step", &Part::restore_step, Real{0.01, 1},
              "Share of rate.max that each step adds. Raise it to restore the rate sooner, with "
              "more overshoot."),
          key("restore_interval", &Part::restore_interval, Duration{50ms, 1h},
              "Time between steps. Lower it to restore the rate sooner."),
      });
}

Section<StreamConfig> groups_section() {
  using Part = abr::GroupSettings;
  return section<StreamConfig, Part>(
      "groups", "Encode groups. Viewers in a group share one encoder and its rate.",
      [](auto& stream) -> auto& { return stream.control.groups; },
      {
          key("max", &Part::max, Whole{0, 256},
              "Maximum number of encoders per stream. More encoders fit the viewers' rates more "
              "closely but take more CPU time. symcast runs fewer if the CPUs cannot encode that "
              "many in real time (see cpu), or if fewer suit all viewers. 0 means 16."),
          key("cpu", &Part::cpu, Real{0.05, 1},
              "Share of all CPUs that the encoders of all streams may use. symcast measures what a "
              "frame costs. When many viewers need CPU time, the encoders get less. Lower it if "
              "other programs need the CPUs."),
          key("linger", &Part::linger, Duration{0s, 1h},
              "Time for which an empty group keeps its encoder running, so that a returning viewer "
              "starts at once. 0s closes it at once."),
      });
}

Section<StreamConfig> scaling_section() {
  using Part = abr::PointSettings;
  return section<StreamConfig, Part>(
      "scaling", "Smaller and fewer frames at low rates.",
      [](auto& stream) -> auto& { return stream.points; },
      {
          key("min_bits_per_pixel", &Part::bits_per_pixel, Real{0, 1},
              "Bits per pixel below which a group encodes smaller frames, and finally fewer of "
              "them. Raise it for sharper but smaller frames. 0 always keeps full size and frame "
              "rate."),
      });
}

Section<StreamConfig> segments_section() {
  using Part = segments::Settings;
  return section<StreamConfig, Part>(
      "segments",
      "HLS and DASH: /NAME/index.m3u8 and /NAME/manifest.mpd. A segment is as long as "
      "encoder.keyframe_interval.",
      [](auto& stream) -> auto& { return stream.segments; },
      {
          key("enabled", &Part::enabled, Flag{}, "Serves the stream as HLS and DASH."),
          key("part", &Part::part, Duration{100ms, 2s},
              "Length of the parts that low-latency players load while a segment is being made. "
              "They play three or more parts behind live: raise it for fewer requests, lower it "
              "for less latency."),
          key("window", &Part::window, Duration{6s, 10min},
              "Time for which segments are kept; at least ten are. HLS playlists list half of the "
              "window, and segments remain available for as long again after they leave the "
              "playlist. Raise it for players that are late or paused; a group takes about 3 * "
              "window * rate of memory."),
          key("abr", &Part::choice, kAbrChoices,
              "Chooses who sets the rate of each segment. With \"server\", players are offered one "
              "rendition, whose rate follows their connections; with \"player\", they choose among "
              "up to four fixed rates. A URL that ends in ?abr=server or ?abr=player overrides "
              "it."),
      });
}

Section<StreamConfig> tcp_section() {
  using Part = TcpSettings;
  return section<StreamConfig, Part>(
      "tcp",
      "Socket options of viewers' connections. For HLS and DASH players, only "
      "congestion_control, initial_window and rto_max apply.",
      [](auto& stream) -> auto& { return stream.tcp; },
      {
          key("congestion_control", &Part::congestion_control, Text{"name, \"auto\", or empty"},
              "TCP congestion control; \"symcast doctor\" lists the available ones. \"bbr\" keeps "
              "its rate under random loss, where \"cubic\" and \"reno\" slow down. \"auto\" begins "
              "with what has served the viewer's network best, bbr or cubic (see [state]), or bbr "
              "where that is unknown. With eBPF it also changes a running connection: to cubic "
              "where bbr's pacing hides the path, to bbr after losses without a queue. Empty uses "
              "the kernel's default."),
          key("ssthresh_hint", &Part::ssthresh_hint, Real{0, 100},
              "Ends slow start at the window that carries this multiple of the stream's rate "
              "(video, audio and container). Raise it above 1 to catch up sooner on long paths, "
              "with more overshoot. Only congestion controls that use ssthresh follow it. "
              "Without eBPF the pacing rate is limited instead, for 5 s or until a loss. 0 "
              "gives no hint."),
          key("initial_window", &Part::initial_window, Whole{0, 1000},
              "Segments sent before the first acknowledgement. Raise it for a faster first "
              "frame on long paths. Needs eBPF. 0 keeps the kernel's default, 10."),
          key("notsent_lowat", &Part::notsent_lowat,
              Size{ByteCount{1024}, ByteCount{16 * 1024 * 1024}},
              "Maximum unsent data in the kernel, or one frame at the viewer's rate if that is "
              "larger. Further data waits in symcast, where late frames can still be dropped. "
              "Raise it to use less CPU time per viewer."),
          key("rto_min", &Part::rto_min, Duration{0s, 200ms},
              "Minimum time that the retransmission timer adds to the round trip. Lower it to "
              "recover sooner from a lost tail; values below 40ms cause spurious retransmissions, "
              "because receivers delay ACKs by up to 40 ms. Needs Linux 6.15 or eBPF. 0s keeps the "
              "kernel's 200 ms, six frames at 30 per second."),
          key("rto_max", &Part::rto_max, Duration{1s, kKernelsRtoMax},
              "Maximum of the retransmission timer, which doubles while nothing is acknowledged. "
              "After an outage, frames arrive again within about this time. Where the round trip "
              "is "
              "longer than a third of it, the maximum is three to six round trips instead, because "
              "the timer must outlast one. 2m keeps the kernel's maximum; frames may then stay "
              "away "
              "for another outage's length. Needs Linux 6.15."),
          key("pacing", &Part::pacing, Real{0, 100},
              "Limits pacing to this multiple of the stream's rate, for routers with short "
              "queues. It must be at least 1; use 2 or more to leave room to catch up. The "
              "limit follows a falling rate one to two seconds later. 0 sets no fixed limit; "
              "the policy \"symbiosis\" then paces by itself."),
          key("network", &Part::networks, types::NetworkRules{},
              "Rules for the clients of a network. congestion_control replaces the one above; the "
              "first matching rule that has one wins. initcwnd works like initial_window but "
              "without eBPF: symcast sets it on the route to that network at start, which needs "
              "CAP_NET_ADMIN and affects everything this machine sends there. The route remains "
              "after symcast ends, with the gateway of that time: if the gateway changes, delete "
              "the route (ip route del) and restart symcast."),
      });
}

Section<StreamConfig> name_section() {
  using Part = transcoder::StreamSettings;
  return section<StreamConfig, Part>("", "", [](auto& stream) -> auto& { return stream.media; },
                                     {
                                         key("name", &Part::name, Text{"letters, digits, - and _"},
                                             "Name of the stream, which is served as /NAME.*."),
                                     });
}

Section<StreamConfig> source_uri_section() {
  using Part = transcoder::SourceSettings;
  return section<StreamConfig, Part>(
      "source", "", [](auto& stream) -> auto& { return stream.media.source; },
      {
          key("uri", &Part::uri, Text{"test:, file:PATH, gst:LAUNCH TEXT or a URI"},
              "Source of the stream."),
      });
}

}  // namespace

const std::vector<Section<StreamConfig>>& stream_sections() {
  static const std::vector<Section<StreamConfig>> sections{
      video_section(),   audio_section(),    encoder_section(), source_section(),
      rate_section(),    control_section(),  itcp_section(),    groups_section(),
      scaling_section(), segments_section(), tcp_section()};
  return sections;
}

const std::vector<Section<StreamConfig>>& identity_sections() {
  static const std::vector<Section<StreamConfig>> sections{name_section(), source_uri_section()};
  return sections;
}

}  // namespace app
