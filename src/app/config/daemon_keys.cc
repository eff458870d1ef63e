#include <optional>
#include <vector>

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

constexpr auto kWholeConfig = [](auto& config) -> auto& { return config; };
const types::ListOf<server::Endpoint> kEndpointList{R"(list of "ADDRESS:PORT" or ":PORT")"};
const types::ListOf<server::Network> kNetworkList{R"(list of "ADDRESS/LENGTH" or "ADDRESS")"};
const types::ListOf<server::HostName> kHostNameList{R"(list of "HOST")"};
const types::ListOf<server::Origin> kOriginList{R"(list of "*" or "https://HOST")"};
const types::Choice<base::log::Level> kLogLevels{{{"debug", base::log::Level::kDebug},
                                                  {"info", base::log::Level::kInfo},
                                                  {"warning", base::log::Level::kWarning},
                                                  {"error", base::log::Level::kError}}};
const types::Choice<std::optional<tcpinfo::EventSource>> kEventSources{
    {{"auto", std::nullopt},
     {"tracepoint", tcpinfo::EventSource::kTracepoint},
     {"sockops", tcpinfo::EventSource::kSockops},
     {"tcp_info", tcpinfo::EventSource::kTcpInfo}}};

Section<Config> server_section() {
  using Part = server::Settings;
  return section<Config, Part>(
      "server", "HTTP server: where it listens, and limits on what clients can cost.",
      [](auto& config) -> auto& { return config.server; },
      {
          key("listen", &Part::listen, kEndpointList,
              "Addresses and ports that viewers connect to. \"[::]:8080\" accepts IPv4 and "
              "IPv6; name an address to serve one network only."),
          key("threads", &Part::threads, Whole{0, 256},
              "Number of event loops. Fewer leave more CPU time to the encoders. 0 means one "
              "per CPU."),
          key("max_viewers", &Part::max_viewers, Whole{1, 1'000'000},
              "Maximum number of viewers. Further clients get the place of a viewer who takes no "
              "media, or 503. Each viewer uses one file "
              "descriptor (two to six with HLS or DASH, one more when traced); raise LimitNOFILE "
              "in the systemd unit accordingly."),
          key("max_viewers_per_address", &Part::max_viewers_per_address, Whole{1, 1'000'000},
              "Maximum number of viewers per client address. Further clients get 503. An IPv6 /64 "
              "counts as one address; a /56 may have twice as many, and a /48 four times, but at "
              "most half of max_viewers. Raise it if viewers share a proxy or NAT."),
          key("trusted_proxies", &Part::trusted_proxies, kNetworkList,
              "HTTP proxies in front of this server. They must set the header X-Forwarded-For to "
              "the client's address. The limit of viewers per address does not apply to the "
              "proxies themselves. A proxy terminates the viewers' TCP connections, so rates "
              "cannot follow the viewers' links: see docs/PROXIES.md."),
          key("proxy_protocol", &Part::proxy_protocol, kNetworkList,
              "Proxies that begin each connection with a header of the PROXY protocol, version 1 "
              "or 2, which names the client's address. Their connections without such a header get "
              "400, so that clients cannot forge it."),
          key("max_header", &Part::max_header, Size{ByteCount{1024}, ByteCount{65536}},
              "Maximum size of a request header. Larger headers get 431. Raise it for clients with "
              "large cookies."),
          key("header_timeout", &Part::header_timeout, Duration{100ms, 5min},
              "Time after which a client that has not sent its request is disconnected. Raise it "
              "for very slow links."),
          key("queue", &Part::queue, Duration{200ms, 30s},
              "Maximum media time queued for a viewer. Beyond it, frames are dropped until the "
              "next keyframe or the next frame that does not reference dropped ones. Lower it "
              "for less delay after congestion; raise it for fewer skips on stop-and-go links."),
          key("stall_timeout", &Part::stall_timeout, Duration{1s, 1h},
              "Time after which a viewer that reads nothing is disconnected. Raise it to let "
              "viewers pause."),
          key("min_rate", &Part::min_rate, Rate{BitRate{0}, BitRate::mbps(10)},
              "Rate at which a client has to read a page or a segment, on average after the first "
              "stall_timeout. Slower clients are disconnected, because each holds memory. Lower it "
              "for links below 100 kbit/s. 0 sets no limit."),
          key("max_unread", &Part::max_unread,
              Size{ByteCount{0}, ByteCount{std::int64_t{64} << 30}},
              "Bytes of pages, playlists and segments that clients have been sent and have not "
              "acknowledged, in all; one address may have a quarter of it. Beyond it they are sent "
              "16 kB at a time. 0 sets it to a sixteenth of the memory, at most 512 MB."),
          key("cors_allow", &Part::cors_allow, kOriginList,
              "Web sites whose pages may use the media (CORS). Name your own to keep other "
              "sites from showing your streams as theirs. [] allows only the server's own page."),
      });
}

Section<Config> admin_section() {
  using Part = server::Settings;
  return section<Config, Part>(
      "admin",
      "Access to /metrics and to the parts of /api/v1 that reveal viewers: their addresses, "
      "players and connections.",
      [](auto& config) -> auto& { return config.server; },
      {
          key("allow", &Part::admin_allow, kNetworkList,
              "Networks that have access. Other clients get 403. Add the Prometheus server, and "
              "the people who may see the dashboard."),
          key("hosts", &Part::admin_hosts, kHostNameList,
              "Host names that URLs may have for this access. IP addresses, localhost and the name "
              "of this machine always work. Other names get 403, because an attacker can make the "
              "name of a web site point to this server (DNS rebinding)."),
      });
}

Section<Config> page_section() {
  using Part = PageSettings;
  return section<Config, Part>(
      "page", "The web page with the player, at / and, for one stream, at /NAME.",
      [](auto& config) -> auto& { return config.page; },
      {
          key("title", &Part::title, Text{"text"}, "Title of the page."),
          key("logo", &Part::logo, Text{"path of an image: .svg, .png, .jpg, .webp or .gif"},
              "Image beside the title, of at most 1 MB. symcast reads it at start. \"\" shows "
              "symcast's logo."),
          key("technical", &Part::technical, Flag{},
              "Shows the delay, the bit rate, the choice of delivery and the links for other "
              "players. Set it to false for an audience that only wants to watch."),
          key("embed", &Part::embed, kOriginList,
              "Web sites that may show the page in an iframe. \"*\" allows every site."),
      });
}

Section<Config> metrics_section() {
  using Part = Config;
  return section<Config, Part>(
      "metrics", "Prometheus metrics at /metrics.", kWholeConfig,
      {
          key("max_viewers", &Part::metrics_max_viewers, Whole{0, 4'000},
              "Maximum number of viewers that have their own series and are listed in "
              "/api/v1/events. These are the worst: those with the longest backlog, then those "
              "with the lowest rate. The others count only in totals. Raise it if the Prometheus "
              "server can take about 15 series per viewer. 0 exports totals only."),
      });
}

Section<Config> kernel_section() {
  using Part = KernelSettings;
  return section<Config, Part>(
      "kernel",
      "Kernel features, set up once at start. They need capabilities, which symcast drops "
      "afterwards. Without capabilities, symcast uses the next best method; \"symcast doctor\" "
      "shows which.",
      [](auto& config) -> auto& { return config.kernel; },
      {
          key("events", &Part::events, kEventSources,
              "Where congestion events come from. \"tracepoint\" and \"sockops\" are eBPF "
              "programs that report them at once; \"tcp_info\" compares counters at the next "
              "frame. \"auto\" uses the first of them that works."),
          key("congestion_controls", &Part::congestion_controls, Flag{},
              "Adds the congestion controls sym_vreno, sym_vcubic, sym_libra and sym_ccp... to "
              "the kernel while symcast runs, and lets symcast set ssthresh and windows. Needs "
              "eBPF."),
      });
}

Section<Config> telemetry_section() {
  using Part = TelemetrySettings;
  return section<Config, Part>(
      "telemetry",
      "Limits the CPU spent on measuring connections. Viewers whose connection is stable and has "
      "spare capacity are measured at most twice per second. If a limit is exceeded, each of the "
      "others is measured on every second frame, then every third, and so on.",
      [](auto& config) -> auto& { return config.telemetry; },
      {
          key("samples_per_second", &Part::samples_per_second, Whole{0, 10'000'000},
              "TCP_INFO samples per second and event loop. Raise it if "
              "symcast_delivery_times_unused_total grows. 0 disables sampling, for experiments: "
              "rates then never rise. HLS and DASH connections do not count towards the limit: "
              "they are sampled 20 times per second during a transfer."),
          key("ack_timestamps_per_second", &Part::ack_timestamps_per_second, Whole{0, 10'000'000},
              "Kernel ACK timestamps per second and event loop; a large frame takes two or more. "
              "They give exact delivery times and the path's capacity. 0 disables them: delivery "
              "times are then one frame late, capacity is unknown, and the policy \"symbiosis\" "
              "follows [itcp]."),
      });
}

Section<Config> on_demand_section() {
  using Part = OnDemandSettings;
  return section<Config, Part>(
      "on_demand",
      "HLS and DASH segments that are encoded on request, at a rate the player asks for: "
      "/NAME/SESSION/RENDITION/NUMBER.m4s?rate=1734k.",
      [](auto& config) -> auto& { return config.on_demand; },
      {
          key("cpu", &Part::cpu, Real{0, 1},
              "Share of all CPUs that these segments may use, in addition to groups.cpu. The "
              "players "
              "that had the least come first; others get the nearest rate that there is "
              "(\"on_demand_substituted\" in the log). 0 disables on-demand segments."),
      });
}

Section<Config> log_section() {
  using Part = Config;
  return section<Config, Part>(
      "log", "Log: one event per line, on stderr or in the systemd journal.", kWholeConfig,
      {
          key("level", &Part::log_level, kLogLevels,
              "Least severe level that is written. Use \"debug\" to look for a fault. At the other "
              "levels, each kind of line is limited to 10 per second, after a burst of up to 1000; "
              "the next line says how many were left out."),
      });
}

Section<Config> trace_section() {
  using Part = Config;
  return section<Config, Part>(
      "trace",
      "symcast can write a trace of each viewer session: a file of JSON lines with every frame and "
      "congestion event.",
      kWholeConfig,
      {
          key("directory", &Part::trace_directory, Text{"path, or empty"},
              "Directory for the trace files. Each viewer adds a line per frame, so set it only "
              "for studies. Empty disables tracing."),
      });
}

Section<Config> state_section() {
  using Part = Config;
  return section<Config, Part>(
      "state", "symcast can keep over a restart what it has learned.", kWholeConfig,
      {
          key("directory", &Part::state_directory, Text{"path, or empty"},
              "Directory for networks.json: how well each congestion control has served the "
              "viewers "
              "of each network (IPv4 /24, IPv6 /48), for tcp.congestion_control = \"auto\". Empty "
              "means StateDirectory= of the systemd service; without that, nothing is kept."),
      });
}

}  // namespace

const std::vector<Section<Config>>& daemon_sections() {
  static const std::vector<Section<Config>> sections{
      server_section(),  admin_section(),     page_section(), kernel_section(), telemetry_section(),
      metrics_section(), on_demand_section(), log_section(),  trace_section(),  state_section()};
  return sections;
}

}  // namespace app
