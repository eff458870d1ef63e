#include "app/top/top.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/config/config_units.h"
#include "app/top/connection.h"
#include "app/top/table.h"
#include "app/top/terminal.h"
#include "app/top/viewer_list.h"
#include "tcpinfo/netlink/sock_diag.h"

namespace app {

namespace {

using tcpinfo::TcpState;

// ECMA-48 control sequences.
constexpr auto kCursorHome = "\x1b[H";
constexpr auto kEraseToLineEnd = "\x1b[K";
constexpr auto kEraseToScreenEnd = "\x1b[J";

// Lines that show no connection: heading, titles, totals and the cursor's line. Fewer would make
// the screen scroll.
constexpr std::size_t kLinesAroundRows = 4;

std::vector<std::uint16_t> ports(const Config& config) {
  std::set<std::uint16_t> ports;
  for (const auto& endpoint : config.server.listen) ports.insert(endpoint.port);
  ports.erase(0);
  if (ports.empty()) {
    throw std::runtime_error{
        "server.listen has port 0, which the kernel chooses; name the port with --listen "
        "ADDR:PORT"};
  }
  return {ports.begin(), ports.end()};
}

server::Endpoint server_of(const Config& config) {
  return *std::ranges::find_if(config.server.listen, [](const auto& e) { return e.port != 0; });
}

template <typename T>
T value_or_throw(base::Result<T> result) {
  if (!result) throw std::runtime_error{result.error()};
  return std::move(*result);
}

/// Dumps the sockets and shows the table.
class Top {
 public:
  Top(const Config& config, const TopOptions& options, std::ostream& out)
      : query_{.states = {TcpState::kEstablished, TcpState::kListen}, .local_ports = ports(config)},
        server_{server_of(config)},
        options_{options},
        out_{out},
        diag_{value_or_throw(tcpinfo::SockDiag::open())} {}

  void run() {
    auto before = snapshot();
    while (terminal_.wait_until(before.at + options_.interval)) {
      auto now = snapshot();
      show(before, now);
      if (options_.once) return;
      before = std::move(now);
    }
  }

 private:
  Snapshot snapshot() { return {base::Clock::now(), value_or_throw(diag_.dump(query_))}; }

  void show(const Snapshot& before, const Snapshot& now) {
    auto all = connections(before, now);
    const auto viewers = viewer_list(server_);
    if (viewers) name_viewers(all, *viewers);
    sort(all, options_.sort);
    auto size = terminal_.size();
    size.rows =
        is_live() ? size.rows - std::min(size.rows, kLinesAroundRows) : TableSize::kUnlimited;
    auto lines = table(all, size);
    lines.insert(lines.begin(),
                 heading(now, viewers ? "" : viewers.error()).substr(0, size.columns));
    print(lines);
  }

  std::string heading(const Snapshot& now, const std::string& problem) const {
    const auto listening = [](const auto& s) { return s.state == TcpState::kListen; };
    const bool listens = std::ranges::any_of(now.sockets, listening);
    return fmt::format("symcast top: port {}, last {}{}", fmt::join(query_.local_ports, ", "),
                       text_of(options_.interval),
                       !listens          ? "; no server listens there"
                       : problem.empty() ? ""
                                         : "; viewers unknown: " + problem);
  }

  void print(const std::vector<std::string>& lines) {
    if (is_live()) out_ << kCursorHome;
    for (const auto& line : lines) out_ << line << (is_live() ? kEraseToLineEnd : "") << '\n';
    out_ << (is_live() ? kEraseToScreenEnd : options_.once ? "" : "\n") << std::flush;
  }

  /// Each table replaces the previous one on the screen.
  bool is_live() const { return terminal_.is_one() && !options_.once; }

  const tcpinfo::DiagQuery query_;
  const server::Endpoint server_;  ///< that knows the viewers
  const TopOptions options_;
  std::ostream& out_;
  tcpinfo::SockDiag diag_;
  const Terminal terminal_;
};

}  // namespace

void top(const Config& config, const TopOptions& options, std::ostream& out) {
  Top{config, options, out}.run();
}

}  // namespace app
