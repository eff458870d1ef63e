#include "app/http/pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/telemetry/names.h"
#include "segments/utc_time.h"

namespace app::pages {

namespace {

// systemctl cuts a longer line at the width of the terminal.
constexpr std::size_t kMaxNamedInSummary = 5;

constexpr std::string_view kPageHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="1">
<title>symcast</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin-bottom: 0; }
h2 { font-size: 1.1rem; margin: 2rem 0 .3rem; }
p { margin: .3rem 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: right; padding: .25rem .6rem; border-bottom: 1px solid #8884; }
th:first-child, td:first-child { text-align: left; }
code { background: #8882; padding: .1rem .3rem; border-radius: .2rem; }
.quiet { opacity: .7; }
</style>
</head>
<body>
<h1>symcast</h1>
<p class="quiet">Live streams whose encoder listens to every viewer's TCP connection.</p>
)";

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string frame(const transcoder::Ingest::State& source) {
  if (source.format.width == 0) return "no frame yet";
  return fmt::format("{}×{}", source.format.width, source.format.height);
}

/// "playing", or such as "waiting, away since 2026-01-31T09:00:01.123Z, last picture
/// 2026-01-31T09:00:00.123Z"; for admins the reason, too.
std::string state(const LiveStream::State& stream, bool admin) {
  const auto& source = stream.media.source;
  std::string state = name(source.status);
  for (const auto& [trouble, detail] : source.troubles) {
    state += std::string{", "} + transcoder::name(trouble);
  }
  if (source.status == transcoder::Ingest::Status::kPlaying) return state;
  if (stream.away_since) state += ", away since " + segments::utc_text(*stream.away_since);
  if (stream.last_picture) state += ", last picture " + segments::utc_text(*stream.last_picture);
  if (admin && !source.last_error.empty()) state += ": " + escape(source.last_error);
  return state;
}

std::string group_row(std::uint32_t index, const transcoder::EncodeGroup::State& group,
                      const Ladder::Group& slots) {
  return fmt::format(
      "<tr><td>{}</td><td>{}</td><td>{:.2f}</td><td>{:.2f}</td><td>{}</td><td>{}</td><td>{}</td></"
      "tr>\n",
      index, slots.viewers, static_cast<double>(group.target.bps()) / 1e6,
      static_cast<double>(group.actual.bps()) / 1e6, abr::name(slots.reason), group.frames_skipped,
      group.frames_late);
}

std::string group_table(const LiveStream::State& stream) {
  std::string rows;
  for (const auto& [index, slots] : stream.ladder.groups) {
    const auto group = stream.media.groups.find(index);
    if (group != stream.media.groups.end()) rows += group_row(index, group->second, slots);
  }
  if (rows.empty()) return "<p class=\"quiet\">Nobody is watching, so nothing is encoded.</p>\n";
  return "<table><tr><th>group</th><th>viewers</th><th>target Mbit/s</th><th>actual Mbit/s</th>"
         "<th>reason</th><th>skipped</th><th>late</th></tr>\n" +
         rows + "</table>\n";
}

std::string links(const LiveStream::State& stream, const std::string& kept) {
  std::vector<std::string> paths;
  for (const auto container : stream.containers) {
    paths.push_back(stream.name + std::string{media::suffix(container)});
  }
  if (stream.segments) {
    for (const auto* file : {"/index.m3u8", "/manifest.mpd"}) paths.push_back(stream.name + file);
  }
  std::string all;
  for (const auto& path : paths) {
    all += fmt::format("<code><a href=\"{0}{1}\">/{0}</a></code> ", escape(path), escape(kept));
  }
  return all;
}

}  // namespace

std::string status(const std::vector<LiveStream::State>& streams, bool admin,
                   const std::string& kept) {
  std::string page{kPageHead};
  for (const auto& stream : streams) {
    page +=
        fmt::format("<h2>{}</h2>\n<p>{}· source {}, {} · {} viewer{}</p>\n", escape(stream.name),
                    links(stream, kept), state(stream, admin), frame(stream.media.source),
                    stream.viewers(), stream.viewers() == 1 ? "" : "s");
    page += group_table(stream);
  }
  return page + "</body>\n</html>\n";
}

std::string health(const std::vector<LiveStream::State>& streams) {
  std::string page = "ok\n";
  for (const auto& stream : streams) {
    page += fmt::format("{} {}\n", stream.name, name(stream.media.source.status));
  }
  return page;
}

std::string summary(const std::vector<LiveStream::State>& streams) {
  std::size_t viewers = 0;
  std::vector<std::string> others;
  for (const auto& stream : streams) {
    viewers += stream.viewers();
    const auto status = stream.media.source.status;
    if (status == transcoder::Ingest::Status::kPlaying) continue;
    others.push_back(fmt::format("{} {}", stream.name, name(status)));
  }
  auto out = fmt::format("{} viewer{}; {} of {} streams playing", viewers, viewers == 1 ? "" : "s",
                         streams.size() - others.size(), streams.size());
  const auto left_out = others.size() - std::min(others.size(), kMaxNamedInSummary);
  others.resize(others.size() - left_out);
  if (!others.empty()) out += fmt::format("; {}", fmt::join(others, ", "));
  if (left_out > 0) out += fmt::format(" and {} more", left_out);
  return out;
}

}  // namespace app::pages
