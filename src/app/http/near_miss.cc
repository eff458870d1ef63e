#include "app/http/near_miss.h"

#include <algorithm>
#include <array>

#include "app/config/nearest.h"

namespace app {

namespace {

struct Ending {
  std::string_view guess;
  std::string_view ours;
};

constexpr std::array<Ending, 6> kEndings{{{".m3u8", "/index.m3u8"},
                                          {".mpd", "/manifest.mpd"},
                                          {".ts", ".ts"},
                                          {".flv", ".flv"},
                                          {".mp4", ".mp4"},
                                          {"", ""}}};

bool is_stream(std::string_view name, const std::vector<std::string>& streams) {
  return std::ranges::find(streams, name) != streams.end();
}

/// The parts of a path between slashes, without empty ones.
std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    if (end > 0) parts.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

const Ending& ending_of(std::string_view file) {
  return *std::ranges::find_if(kEndings, [&](const auto& e) { return file.ends_with(e.guess); });
}

}  // namespace

std::optional<std::string> near_miss(std::string_view path,
                                     const std::vector<std::string>& streams) {
  const auto parts = parts_of(path);
  if (parts.empty()) return {};
  const auto& [guess, ours] = ending_of(parts.back());
  const auto name = parts.back().substr(0, parts.back().size() - guess.size());
  std::string meant;
  if (is_stream(name, streams)) {
    meant = name;
  } else if (parts.size() > 1 && !guess.empty() && is_stream(parts[parts.size() - 2], streams)) {
    meant = parts[parts.size() - 2];
  } else {
    return {};
  }
  auto target = "/" + meant + std::string{ours};
  return target == path ? std::nullopt : std::optional{std::move(target)};
}

std::string relative_path(std::string_view from, std::string_view to) {
  std::string relative;
  for (auto depth = std::ranges::count(from, '/'); depth > 1; --depth) relative += "../";
  return relative.append(to.substr(1));
}

std::string unknown_stream(const std::string& name, const std::vector<std::string>& streams) {
  const auto meant = nearest(name, streams);
  return "there is no stream \"" + name + "\"; " +
         (meant.empty() ? "see /api/v1/streams" : "did you mean \"" + meant + "\"?");
}

}  // namespace app
