// switching_server ADDRESS:PORT SECONDS SCALE SCALE SCALE SCALE: serves the test source in four
// groups with different rates and the given frame sizes. Every SECONDS each viewer changes to the
// next group. Ends at the end of its input, and prints how often viewers changed.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "switching_server.h"

namespace {

transcoder::StreamSettings settings() {
  transcoder::StreamSettings settings;
  settings.source.uri = "test:?size=640x360&fps=25";
  settings.encoder.preset = "ultrafast";
  settings.encoder.forced_keyframe_interval = std::chrono::milliseconds{300};
  return settings;
}

bool input_ends_within(base::Duration time) {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(time).count();
  return ::poll(&input, 1, static_cast<int>(wait)) > 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments{argv + 1, argv + argc};
  const bool complete = arguments.size() == 2 + SwitchingServer::kGroups;
  const auto listen =
      complete ? server::Endpoint::parse(arguments[0]) : base::Error{"an address is missing"};
  if (!listen) {
    std::fprintf(stderr, "usage: switching_server ADDRESS:PORT SECONDS SCALE SCALE SCALE SCALE\n");
    return 2;
  }
  SwitchingServer all{settings(), *listen, [](const media::Packet&) {}};
  for (std::uint32_t group = 0; group < SwitchingServer::kGroups; ++group) {
    all.stream().group(group)->set_point({.scale = std::stod(arguments[2 + group]), .every = 1});
  }
  const auto period = base::from_seconds(std::stod(arguments[1]));
  for (std::uint64_t turn = 0; !input_ends_within(period); ++turn) {
    for (server::ViewerId viewer = 1; viewer <= all.server().state().joined; ++viewer) {
      all.move(viewer, static_cast<std::uint32_t>((turn + viewer) % SwitchingServer::kGroups));
    }
  }
  std::printf("%lu changes of group\n", static_cast<unsigned long>(all.server().state().switches));
  return 0;
}
