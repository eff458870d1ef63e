#include "app/top/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

namespace app {

namespace {

constexpr std::string_view kColumnGap = "  ";
constexpr auto kNoValue = "-";

/// Three digits and a prefix: "4.83M".
std::string quantity(double value, std::string_view gap = "") {
  constexpr std::array kSiPrefixes{"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  // A value that would round to four digits takes the next prefix.
  for (; value >= 999.5 && prefix + 1 < kSiPrefixes.size(); ++prefix) value /= 1000;
  const int decimals = prefix == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}{}{}", value, decimals, gap, kSiPrefixes[prefix]);
}

std::string text(base::BitRate rate) { return quantity(static_cast<double>(rate.bps())); }
std::string text(base::ByteCount size) { return quantity(static_cast<double>(size.bytes())); }

std::string milliseconds(base::Duration time) {
  const double ms = 1000 * base::seconds(time);
  return fmt::format("{:.{}f}", ms, ms >= 100 ? 0 : ms >= 10 ? 1 : 2);
}

/// The two largest units: "42s", "3m05", "2h13", "4d02".
std::string age(base::Duration time) {
  const auto s = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m{:02}", s / 60, s % 60);
  if (s < 86400) return fmt::format("{}h{:02}", s / 3600, s / 60 % 60);
  return fmt::format("{}d{:02}", s / 86400, s / 3600 % 24);
}

/// The total, and how much of it the last interval added: "12+1".
std::string with_gain(std::uint32_t total, std::uint32_t gain) {
  return gain == 0 ? std::to_string(total) : fmt::format("{}+{}", total, gain);
}

std::string share(double part) { return fmt::format("{:.0f}%", 100 * part); }

std::string name(tcpinfo::CaState state) {
  constexpr std::array kCaStateNames{"open", "disorder", "cwr", "recovery", "loss"};
  const auto i = static_cast<std::size_t>(state);
  return i < kCaStateNames.size() ? kCaStateNames[i] : std::to_string(i);
}

std::string of_viewer(const Connection& c, std::string ConnectionViewer::*text) {
  return c.viewer ? (*c.viewer).*text : kNoValue;
}

struct Column {
  std::string_view title;
  int importance;  ///< the column with the lowest is left out first
  std::function<std::string(const Connection&)> text;
  bool left = false;    ///< aligned left instead of right
  bool viewer = false;  ///< left out if no viewer is known
};

const std::vector<Column>& all_columns() {
  using C = const Connection&;
  static const std::vector<Column> columns{
      {"PEER", 100, [](C c) { return c.peer.text(); }, true},
      {"VIEWER", 97, [](C c) { return c.viewer ? std::to_string(c.viewer->id) : kNoValue; }, false,
       true},
      {"STREAM", 93, [](C c) { return of_viewer(c, &ConnectionViewer::stream); }, true, true},
      {"FORMAT", 52, [](C c) { return of_viewer(c, &ConnectionViewer::format); }, true, true},
      {"CC", 50, [](C c) { return c.congestion_control; }, true},
      {"STATE", 92, [](C c) { return name(c.now.ca_state); }, true},
      {"RATE", 98, [](C c) { return text(c.rate); }},
      {"DELIVERY", 80,
       [](C c) { return std::string{c.now.app_limited ? ">" : ""} + text(c.now.delivery_rate); }},
      {"BBR", 20, [](C c) { return c.bbr_bandwidth ? text(*c.bbr_bandwidth) : kNoValue; }},
      {"RTT ms", 96, [](C c) { return milliseconds(c.now.rtt); }},
      {"MIN", 85, [](C c) { return milliseconds(c.now.min_rtt); }},
      {"CWND", 75, [](C c) { return std::to_string(c.now.cwnd); }},
      {"SSTHRESH", 40,
       [](C c) { return c.now.ssthresh ? std::to_string(*c.now.ssthresh) : kNoValue; }},
      {"FLIGHT", 70, [](C c) { return std::to_string(c.in_flight); }},
      {"UNSENT", 88, [](C c) { return text(c.now.notsent); }},
      {"RETRANS", 94, [](C c) { return with_gain(c.now.total_retransmits, c.retransmits); }},
      {"RTO", 90,
       [](C c) { return c.timeouts ? with_gain(*c.now.total_timeouts, *c.timeouts) : kNoValue; }},
      {"BUSY", 30, [](C c) { return share(c.busy); }},
      {"RWND", 60, [](C c) { return share(c.rwnd_limited); }},
      {"SNDBUF", 55, [](C c) { return share(c.sndbuf_limited); }},
      {"AGE", 45, [](C c) { return age(c.age); }},
  };
  return columns;
}

/// A column's cells, the title first, padded to one width.
struct Cells {
  int importance;
  std::vector<std::string> lines;
  std::size_t width() const { return lines.front().size(); }
};

Cells cells(const Column& column, const std::vector<Connection>& shown) {
  Cells out{column.importance, {std::string{column.title}}};
  for (const auto& connection : shown) out.lines.push_back(column.text(connection));
  std::size_t width = 0;
  for (const auto& line : out.lines) width = std::max(width, line.size());
  for (auto& line : out.lines) {
    line = column.left ? fmt::format("{:<{}}", line, width) : fmt::format("{:>{}}", line, width);
  }
  return out;
}

std::size_t width_of(const std::vector<Cells>& columns) {
  std::size_t width = (columns.size() - 1) * kColumnGap.size();
  for (const auto& column : columns) width += column.width();
  return width;
}

void fit(std::vector<Cells>& columns, std::size_t width) {
  while (columns.size() > 1 && width_of(columns) > width) {
    columns.erase(std::ranges::min_element(columns, {}, &Cells::importance));
  }
}

std::string joined(const std::vector<Cells>& columns, std::size_t line) {
  std::string out;
  for (const auto& column : columns) {
    if (!out.empty()) out += kColumnGap;
    out += column.lines[line];
  }
  return out.substr(0, out.find_last_not_of(' ') + 1);
}

std::string totals(const std::vector<Connection>& connections, std::size_t hidden) {
  base::BitRate rate;
  std::uint64_t sent = 0;
  std::uint64_t again = 0;
  for (const auto& connection : connections) {
    rate = rate + connection.rate;
    sent += connection.segments_sent;
    again += connection.retransmits;
  }
  const double part = sent == 0 ? 0 : static_cast<double>(again) / static_cast<double>(sent);
  const auto bits = quantity(static_cast<double>(rate.bps()), " ");
  return fmt::format("{} connection{}{}, {}bit/s, {:.2f} % of {} segments retransmitted",
                     connections.size(), connections.size() == 1 ? "" : "s",
                     hidden == 0 ? "" : fmt::format(" ({} not shown)", hidden), bits, 100 * part,
                     sent);
}

}  // namespace

std::vector<std::string> table(const std::vector<Connection>& connections, TableSize size) {
  const auto rows = std::min(connections.size(), size.rows);
  const std::vector<Connection> shown{connections.begin(),
                                      connections.begin() + static_cast<std::ptrdiff_t>(rows)};
  std::vector<Cells> columns;
  const bool known = std::ranges::any_of(
      shown, [](const auto& connection) { return connection.viewer.has_value(); });
  for (const auto& column : all_columns())
    if (known || !column.viewer) columns.push_back(cells(column, shown));
  fit(columns, size.columns);
  std::vector<std::string> lines;
  for (std::size_t line = 0; line <= rows; ++line) lines.push_back(joined(columns, line));
  lines.push_back(totals(connections, connections.size() - rows));
  for (auto& line : lines) line.resize(std::min(line.size(), size.columns));
  return lines;
}

}  // namespace app
