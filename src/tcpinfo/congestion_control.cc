#include "tcpinfo/congestion_control.h"

#include <algorithm>

#include "bpf/video_rate.h"

namespace tcpinfo {

namespace {

using namespace std::chrono_literals;
// Reasons: see video_rate_ssthresh().
constexpr base::Duration kMinHintRtt = 20ms;
constexpr base::Duration kMaxHintRtt = 500ms;

constexpr std::array<std::string_view, 16> kSsthreshUsers{
    "reno",      "bic",        "cubic",     "highspeed", "htcp",     "hybla",
    "illinois",  "lp",         "scalable",  "veno",      "westwood", "yeah",
    "sym_vreno", "sym_vcubic", "sym_libra", "sym_ccplss"};

}  // namespace

bool uses_ssthresh(std::string_view name) {
  return std::ranges::find(kSsthreshUsers, name) != kSsthreshUsers.end();
}

bool is_bbr(std::string_view name) { return name.starts_with("bbr"); }

bool uses_capacity(std::string_view name) {
  return name == "sym_libra" || name.starts_with("sym_ccp");
}

std::uint32_t video_rate_ssthresh(base::BitRate rate, base::Duration min_rtt, std::uint32_t mss) {
  const auto rtt = std::clamp(min_rtt, kMinHintRtt, kMaxHintRtt);
  const auto bytes_per_second = static_cast<std::uint64_t>(rate.bps() / 8);
  return video_rate_window(bytes_per_second, static_cast<std::uint32_t>(rtt / 1us), mss);
}

}  // namespace tcpinfo
