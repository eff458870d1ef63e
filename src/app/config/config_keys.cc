#include "app/config/config_keys.h"

#include "app/config/config_lists.h"
#include "app/config/config_section.h"
#include "app/config/config_types.h"

namespace app {

namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;
using types::Duration;
using types::Flag;
using types::Rate;
using types::Real;
using types::Size;
using types::Text;
using types::Whole;
using types::Word;

constexpr auto kItself = [](auto& target) -> auto& { return target; };

const types::ListOf<server::Endpoint> kEndpoints{R"(list of "ADDRESS:PORT" or ":PORT")"};
const types::ListOf<server::Network> kNetworks{R"(list of "ADDRESS/LENGTH" or "ADDRESS")"};
const types::ListOf<server::Origin> kOrigins{R"(list of "*" or "https://HOST")"};
const types::Choice<segments::Choice> kChoices{
    {{"server", segments::Choice::kServer}, {"player", segments::Choice::kPlayer}}};
const types::Choice<base::log::Level> kLevels{{{"debug", base::log::Level::kDebug},
                                               {"info", base::log::Level::kInfo},
                                               {"warning", base::log::Level::kWarning},
                                               {"error", base::log::Level::kError}}};
const types::Choice<abr::PolicyKind> kPolicies{{{"symbiosis", abr::PolicyKind::kSymbiosis},
                                                {"itcp", abr::PolicyKind::kItcp},
                                                {"dbr", abr::PolicyKind::kDbr},
                                                {"delivery", abr::PolicyKind::kDelivery},
                                                {"gcc", abr::PolicyKind::kGcc},
                                                {"off", abr::PolicyKind::kOff}}};
const types::Choice<std::optional<tcpinfo::EventSource>> kEventSources{
    {{"auto", std::nullopt},
     {"tracepoint", tcpinfo::EventSource::kTracepoint},
     {"sockops", tcpinfo::EventSource::kSockops},
     {"tcp_info", tcpinfo::EventSource::kTcpInfo}}};
const types::Choice<transcoder::VideoCodec> kCodecs{
    {{"h264", transcoder::VideoCodec::kH264}, {"mpeg2", transcoder::VideoCodec::kMpeg2}}};
// As x264_preset_names; a test compares them.
const Word kPresets{{"ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow",
                     "slower", "veryslow", "placebo"}};

Section<Config> server_section() {
  using Part = server::Settings;
  return section<Config, Part>(
      "server", "Who is served, and the limits of what a client can cost.",
      [](auto& config) -> auto& { return config.server; },
      {
          key("listen", &Part::listen, kEndpoints,
              "Where viewers connect. \"[::]:8080\" takes IPv4 as well; name an address to serve "
              "one network only."),
          key("threads", &Part::threads, Whole{0, 256},
              "Event loops; 0: one per CPU. Fewer leave more of the machine to the encoders."),
          key("max_viewers", &Part::max_viewers, Whole{1, 1'000'000},
              "More viewers get 503. Each needs a file descriptor, a player of HLS or DASH two to "
              "six, and one more if he is traced (LimitNOFILE in the unit)."),
          key("max_viewers_per_address", &Part::max_viewers_per_address, Whole{1, 1'000'000},
              "More from one address get 503; of IPv6 a /64 counts as one. Raise it when viewers "
              "come "
              "through a shared proxy or NAT."),
          key("max_header", &Part::max_header, Size{ByteCount{1024}, ByteCount{65536}},
              "A longer request header gets 431. Raise it for clients with large cookies."),
          key("header_timeout", &Part::header_timeout, Duration{100ms, 5min},
              "A client that has not sent its request by then is closed. Raise it for very slow "
              "links."),
          key("queue", &Part::queue, Duration{200ms, 30s},
              "Media a viewer may be behind before its queue drops to the next keyframe, or to a "
              "frame\n"
              "that is coded without what was dropped.\n"
              "Less: lower delay after congestion. More: fewer skips on links that stop and go."),
          key("stall_timeout", &Part::stall_timeout, Duration{1s, 1h},
              "A viewer that takes nothing for so long is closed. Raise it to let viewers pause."),
          key("cors_allow", &Part::cors_allow, kOrigins,
              "Web sites whose pages may use the media (CORS); []: none but our own. Name yours, "
              "so that others do not show your streams as theirs."),
      });
}

Section<Config> admin_section() {
  using Part = server::Settings;
  return section<Config, Part>(
      "admin",
      "Who may read /metrics and, in /api/v1, what tells of viewers: addresses, players, how they "
      "fare.",
      [](auto& config) -> auto& { return config.server; },
      {
          key("allow", &Part::admin_allow, kNetworks,
              "Everybody else gets 403. Add the address of the Prometheus server, and of whoever "
              "may see the dashboard."),
      });
}

Section<Config> metrics_section() {
  using Part = Config;
  return section<Config, Part>(
      "metrics", "What Prometheus reads at /metrics.", kItself,
      {
          key("max_viewers", &Part::metrics_max_viewers, Whole{0, 4'000},
              "Viewers with series of their own, and told of in /api/v1/events; the others count "
              "in the totals only. Raise it with what the Prometheus server can take: some 10 "
              "series per viewer."),
      });
}

Section<Config> kernel_section() {
  using Part = KernelSettings;
  return section<Config, Part>(
      "kernel",
      "What is asked of the kernel, once at start. Needs capabilities, which are given up "
      "after that; without them symcast runs on the next best: see symcast doctor.",
      [](auto& config) -> auto& { return config.kernel; },
      {
          key("events", &Part::events, kEventSources,
              "Who tells of congestion. \"tracepoint\" and \"sockops\": eBPF programs, at once; "
              "\"tcp_info\": differences of counters, at the next frame; \"auto\": the first of "
              "them that works."),
          key("congestion_controls", &Part::congestion_controls, Flag{},
              "Adds the congestion controls sym_vreno, sym_vcubic, sym_libra and sym_ccp... to the "
              "kernel while symcast runs, and lets it set ssthresh and windows (eBPF)."),
      });
}

Section<Config> telemetry_section() {
  using Part = TelemetrySettings;
  return section<Config, Part>(
      "telemetry",
      "What looking at the viewers' connections may cost. Beyond it each viewer is looked at for "
      "every second frame, every third and so on.",
      [](auto& config) -> auto& { return config.telemetry; },
      {
          key("samples_per_second", &Part::samples_per_second, Whole{0, 10'000'000},
              "Readings of TCP_INFO of endless streams' connections by each event loop; 0, for "
              "measurements: rates never rise. Those of HLS and DASH are read 20 times per second "
              "while something is under way."),
          key("ack_timestamps_per_second", &Part::ack_timestamps_per_second, Whole{0, 10'000'000},
              "Exact delivery times asked of the kernel by each event loop, two or more for a "
              "large frame; 0: none, times are seen a frame late, capacities are not known, "
              "and the policy \"symbiosis\" keeps to [itcp]."),
      });
}

Section<Config> on_demand_section() {
  using Part = OnDemandSettings;
  return section<Config, Part>(
      "on_demand",
      "HLS and DASH segments at any rate that a player asks for, coded when they are: "
      "/NAME/SESSION/RENDITION/NUMBER.m4s?rate=1734k.",
      [](auto& config) -> auto& { return config.on_demand; },
      {
          key("cpu", &Part::cpu, Real{0, 1},
              "Share of all CPUs that they may take, beside groups.cpu; 0: there are none. More at "
              "once get 503, with the time after which to ask again."),
      });
}

Section<Config> log_section() {
  using Part = Config;
  return section<Config, Part>(
      "log", "One event per line on stderr, or in the journal under systemd.", kItself,
      {
          key("level", &Part::log_level, kLevels,
              "The least important line that is written. \"debug\" while looking for a fault."),
      });
}

Section<Config> trace_section() {
  using Part = Config;
  return section<Config, Part>(
      "trace", "A file per viewer session: every frame and every congestion event, as JSON lines.",
      kItself,
      {
          key("directory", &Part::trace_directory, Text{"path; empty: no trace"},
              "Where to write them. For studies: every viewer adds a line per frame."),
      });
}

Section<StreamConfig> video_section() {
  using Part = transcoder::VideoSettings;
  return section<StreamConfig, Part>(
      "video", "The frame that is encoded. A larger source is scaled down.",
      [](auto& stream) -> auto& { return stream.media.video; },
      {
          key("max_width", &Part::max_width, Whole{64, 7680},
              "Pixels. Raise it to 1920 for full HD; the encoders' CPU time grows with the area."),
          key("max_height", &Part::max_height, Whole{64, 4320}, "Pixels. See max_width."),
          key("max_frame_rate", &Part::max_frame_rate, Real{1, 120},
              "Frames per second; faster sources lose frames evenly. 60 for sport, 15 for slides."),
      });
}

Section<StreamConfig> audio_section() {
  using Part = transcoder::AudioSettings;
  return section<StreamConfig, Part>(
      "audio", "The audio: AAC, stereo, encoded once for all groups.",
      [](auto& stream) -> auto& { return stream.media.audio; },
      {
          key("enabled", &Part::enabled, Flag{},
              "false: no audio track. Where a source has no audio, true gives a silent one."),
          key("rate", &Part::rate, Rate{BitRate::kbps(16), BitRate::kbps(512)},
              "Rate of the audio. It is sent beside the video's rate and never adapted: keep it "
              "small beside rate.min."),
      });
}

Section<StreamConfig> encoder_section() {
  using Part = transcoder::EncoderSettings;
  return section<StreamConfig, Part>(
      "encoder",
      "The video: capped quality with a rate buffer so small that a new rate holds within a frame.",
      [](auto& stream) -> auto& { return stream.media.encoder; },
      {
          key("codec", &Part::codec, kCodecs,
              "\"h264\", or \"mpeg2\" for receivers that know nothing newer: it needs about twice "
              "the rate for the same frame, so double rate.min and points.bits_per_pixel with "
              "it, and what a viewer has lost only a keyframe recovers from."),
          key("preset", &Part::preset, kPresets,
              "x264 preset: a slower one gives a better frame at the same rate, and takes more "
              "CPU time. \"mpeg2\" has none."),
          key("crf", &Part::crf, Real{1, 51},  // below 1 x264 codes without loss, at any rate
              "Quality aimed at while the rate allows, lower is better. 23 saves rate on easy "
              "frames."),
          key("vbv", &Part::vbv, Duration{20ms, 2s},
              "Rate buffer at the target rate. 50ms to 67ms follow a cut within a frame; more is "
              "steadier in quality, later in obeying."),
          key("keyframe_interval", &Part::keyframe_interval, Duration{500ms, 1min},
              "Keyframes come on a clock common to all groups. Longer saves rate, and has more of "
              "them forced for viewers that join or change group."),
          key("forced_keyframe_interval", &Part::forced_keyframe_interval, Duration{100ms, 1min},
              "Least time between keyframes forced for viewers that join, change group, or have "
              "lost "
              "frames."),
          key("threads", &Part::threads, Whole{1, 64},
              "Per group. More than 1 only where one core cannot encode the frame in time."),
          key("psnr", &Part::psnr, Flag{},
              "Measure the PSNR of every frame, for metrics and traces. Costs CPU time."),
      });
}

Section<StreamConfig> source_section() {
  using Part = transcoder::SourceSettings;
  return section<StreamConfig, Part>(
      "source", "How a source is kept running.",
      [](auto& stream) -> auto& { return stream.media.source; },
      {
          key("silence_timeout", &Part::silence_timeout, Duration{500ms, 10min},
              "A source that delivers no frame for so long is restarted. Raise it for sources "
              "that pause."),
          key("backoff_min", &Part::backoff_min, Duration{50ms, 10min},
              "Wait before the first restart; it doubles up to backoff_max."),
          key("backoff_max", &Part::backoff_max, Duration{50ms, 1h},
              "Longest wait between restarts. Lower it when a returning source must be seen at "
              "once."),
          key("latency", &Part::latency, Duration{0s, 10s},
              "Jitter buffer of RTSP, SRT and RTP sources. Lower it on a quiet local network, "
              "raise it on the internet."),
      });
}

Section<StreamConfig> rate_section() {
  using Part = abr::RateLimits;
  return section<StreamConfig, Part>(
      "rate", "The video rate of a viewer. What its connection carries is found by [control].",
      [](auto& stream) -> auto& { return stream.control.rate; },
      {
          key("min", &Part::min, Rate{BitRate::kbps(30), BitRate::mbps(200)},
              "Never less, however bad the link: the least that is worth watching."),
          key("max", &Part::max, Rate{BitRate::kbps(30), BitRate::mbps(200)},
              "Never more: what looks good at video.max_width by max_height."),
          key("start", &Part::start, Rate{BitRate::kbps(30), BitRate::mbps(200)},
              "What a viewer begins with. Where it is not set, it stays within min and max."),
      });
}

Section<StreamConfig> control_section() {
  using Part = abr::Settings;
  return section<StreamConfig, Part>(
      "control",
      "What is done when a viewer's connection is congested. Players of HLS and DASH have a rule "
      "of "
      "their own: what their transfers carry.",
      [](auto& stream) -> auto& { return stream.control; },
      {
          key("policy", &Part::policy, kPolicies,
              "\"symbiosis\" follows what the connection carries, frame "
              "by frame. The others are for comparison: \"itcp\": "
              "retransmissions cut the rate, quiet restores it; "
              "\"dbr\": OBS Studio's rule; \"delivery\": the "
              "kernel's delivery rate; \"gcc\": the delay's "
              "gradient; \"off\": nothing."),
      });
}

Section<StreamConfig> itcp_section() {
  using Part = abr::ItcpSettings;
  return section<StreamConfig, Part>(
      "itcp",
      "The rule of the policy \"itcp\", and of \"symbiosis\" while no delivery times are "
      "known: for good where telemetry.ack_timestamps_per_second is 0.",
      [](auto& stream) -> auto& { return stream.control.itcp; },
      {
          key("retraction", &Part::retraction, Real{0.05, 0.95},
              "Rate after an event as a share of the rate before it. Higher cuts less, and takes "
              "more events to get there."),
          key("guard_rtts", &Part::guard_rtts, Real{0, 100},
              "Events within so many round trips of a cut belong to it. Raise it when one loss "
              "burst cuts twice."),
          key("hold", &Part::hold, Duration{0s, 1h},
              "Quiet time before the first restoring step; doubles with each repeated event."),
          key("hold_max", &Part::hold_max, Duration{0s, 1h},
              "Longest such quiet time. Lower it to try again sooner on links that keep failing."),
          key("quiet_backlog", &Part::quiet_backlog, Duration{0s, 10s},
              "While more than this waits unsent for a viewer, at its rate, there is no step up."),
          key("restore_step", &Part::restore_step, Real{0.01, 1},
              "Share of rate.max added by each step. Larger restores sooner, and overshoots more."),
          key("restore_interval", &Part::restore_interval, Duration{50ms, 1h},
              "Time between steps."),
      });
}

Section<StreamConfig> groups_section() {
  using Part = abr::GroupSettings;
  return section<StreamConfig, Part>(
      "groups", "Encode groups: viewers who share one encoder share its rate.",
      [](auto& stream) -> auto& { return stream.control.groups; },
      {
          key("max", &Part::max, Whole{0, 256},
              "Encoders of a stream at most; 0: one per CPU. Fewer run where the CPUs cannot hold "
              "so "
              "many in real time: see cpu."),
          key("cpu", &Part::cpu, Real{0.05, 1},
              "Share of all CPUs that the encoders of all streams may take, by what a frame has "
              "been measured to cost. Lower it where other programs need the CPUs."),
          key("linger", &Part::linger, Duration{0s, 1h},
              "How long an empty group is kept, so that a viewer who returns starts at once."),
      });
}

Section<StreamConfig> points_section() {
  using Part = abr::PointSettings;
  return section<StreamConfig, Part>(
      "points", "Operating points: what a group's frame is like at a low rate.",
      [](auto& stream) -> auto& { return stream.points; },
      {
          key("bits_per_pixel", &Part::bits_per_pixel, Real{0, 1},
              "A group whose rate stays below this has smaller frames, in the end fewer, until "
              "it has so much again. 0: always all, at full size. Higher for sharper, fewer "
              "pixels."),
      });
}

Section<StreamConfig> segments_section() {
  using Part = segments::Settings;
  return section<StreamConfig, Part>(
      "segments", "HLS and DASH: /NAME/index.m3u8 and /NAME/manifest.mpd.",
      [](auto& stream) -> auto& { return stream.segments; },
      {
          key("enabled", &Part::enabled, Flag{},
              "false: there is no HLS and no DASH. A segment is as long as "
              "encoder.keyframe_interval."),
          key("part", &Part::part, Duration{100ms, 2s},
              "Length of the parts that low-latency players load as they are made; they play three "
              "or more behind. Longer: fewer requests, more latency."),
          key("window", &Part::window, Duration{6s, 10min},
              "How long a segment is kept, for players that are late or were paused; ten segments "
              "at "
              "least. HLS lists half of that: what has left the list is there for as long again. "
              "It costs memory: of each group some three times so many seconds at its rate."),
          key("choice", &Part::choice, kChoices,
              "Who chooses the rate of each segment. \"server\": players are offered one "
              "rendition, and its rate follows their connections; \"player\": they choose among "
              "a few. A URL that ends in ?abr=server or ?abr=player has its way."),
      });
}

Section<StreamConfig> tcp_section() {
  using Part = TcpSettings;
  return section<StreamConfig, Part>(
      "tcp",
      "The sockets of the viewers. For HLS and DASH only congestion_control, initial_window and "
      "rto_max count.",
      [](auto& stream) -> auto& { return stream.tcp; },
      {
          key("congestion_control", &Part::congestion_control,
              Text{"name, see symcast doctor; empty: the kernel's default"},
              "\"bbr\" keeps its rate under random loss, where \"cubic\" and \"reno\" give way."),
          key("ssthresh_hint", &Part::ssthresh_hint, Real{0, 100},
              "Where slow start ends, for congestion controls that heed it: at the window that "
              "carries so many times the whole rate; 0: no hint. More than 1 catches up sooner on "
              "long paths, and overshoots. Without eBPF a pace stands in, for 5 s or until a "
              "loss."),
          key("initial_window", &Part::initial_window, Whole{0, 1000},
              "Segments that may be sent before the first acknowledgement; 0: the kernel's 10. "
              "More: a faster first frame on long paths. Needs eBPF."),
          key("notsent_lowat", &Part::notsent_lowat,
              Size{ByteCount{1024}, ByteCount{16 * 1024 * 1024}},
              "Unsent bytes the kernel may hold: what is late stays where it can still be dropped. "
              "At least; one frame at the viewer's rate when that is larger. Raise it to spend "
              "less CPU time per viewer."),
          key("rto_min", &Part::rto_min, Duration{0s, 200ms},
              "How long the retransmission timer runs beyond the round trip, at least; 0: as the "
              "kernel has it, 200 ms, in which six frames wait. Below 40 ms what a receiver has "
              "only not acknowledged yet is sent again. Needs Linux 6.15 or eBPF."),
          key("rto_max", &Part::rto_max, Duration{1s, kKernelsRtoMax},
              "The retransmission timer doubles while nothing is heard, up to this: after an "
              "outage nothing comes for so long at most, where it would be for as long as the "
              "outage was. 2m: as the kernel has it. Needs Linux 6.15."),
          key("pacing", &Part::pacing, Real{0, 100},
              "Pacing limit as a multiple of the whole rate, audio and container included, for "
              "routers with short queues; 0: none. At least 1, 2 or more to leave room to catch "
              "up. It falls one to two seconds after the rate."),
          key("network", &Part::networks, types::NetworkRules{},
              "What is special to the clients of a network. congestion_control: in place of the "
              "one above; the first rule that matches and has one wins. initcwnd: as "
              "initial_window, "
              "without eBPF: a metric of the route to that network. It is set at start where there "
              "is CAP_NET_ADMIN, for all that this machine sends there, and stays after the end, "
              "with the gateway of that time: when that changes, remove the route (ip route del) "
              "and start again."),
      });
}

Section<StreamConfig> name_section() {
  using Part = transcoder::StreamSettings;
  return section<StreamConfig, Part>(
      "", "", [](auto& stream) -> auto& { return stream.media; },
      {
          key("name", &Part::name, Text{"letters, digits, - and _"}, "Served as /NAME.*."),
      });
}

Section<StreamConfig> source_uri_section() {
  using Part = transcoder::SourceSettings;
  return section<StreamConfig, Part>(
      "source", "", [](auto& stream) -> auto& { return stream.media.source; },
      {
          key("uri", &Part::uri, Text{"test:, file:PATH, gst:LAUNCH TEXT or a URI"},
              "Where the frames come from."),
      });
}

}  // namespace

const std::vector<Section<Config>>& daemon_sections() {
  static const std::vector<Section<Config>> sections{
      server_section(),  admin_section(),     kernel_section(), telemetry_section(),
      metrics_section(), on_demand_section(), log_section(),    trace_section()};
  return sections;
}

const std::vector<Section<StreamConfig>>& stream_sections() {
  static const std::vector<Section<StreamConfig>> sections{
      video_section(),  audio_section(),    encoder_section(), source_section(),
      rate_section(),   control_section(),  itcp_section(),    groups_section(),
      points_section(), segments_section(), tcp_section()};
  return sections;
}

const std::vector<Section<StreamConfig>>& identity_sections() {
  static const std::vector<Section<StreamConfig>> sections{name_section(), source_uri_section()};
  return sections;
}

}  // namespace app
