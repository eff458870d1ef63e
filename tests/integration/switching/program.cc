// switching_server ADDRESS:PORT SECONDS SCALE SCALE SCALE SCALE: serves the test source in four
// groups with different rates and the given frame sizes. Every SECONDS each viewer changes to the
// next group. Ends at the end of its input, and prints how often viewers changed, and what is
// missing in their streams because the machine was busy.
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

#include "server/channel_switch.h"
#include "switching_server.h"

namespace {

/// Less than the time after which a change of group no longer waits for the old group, whose frames
/// are then missing.
constexpr base::Duration kMaxEncodeTime = server::ChannelSwitch::kMaxOldChannelWait * 2 / 3;

/// Bytes that may wait for one viewer: 10 s at the highest rate. A player that the machine does not
/// let run loses no frames.
constexpr base::ByteCount kMaxQueued{2'000'000};

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
  std::atomic<std::uint64_t> delayed{0};
  const auto count = [&](const media::Packet& packet) {
    const bool video = packet.kind == media::Packet::Kind::kVideo;
    delayed += video && base::Clock::now() - packet.captured > kMaxEncodeTime;
  };
  SwitchingServer all{settings(), *listen, kMaxQueued, count};
  for (std::uint32_t group = 0; group < SwitchingServer::kGroups; ++group) {
    all.stream().group(group)->set_point({.scale = std::stod(arguments[2 + group]), .every = 1});
  }
  const auto period = base::from_seconds(std::stod(arguments[1]));
  for (std::uint64_t turn = 0; !input_ends_within(period); ++turn) {
    for (server::ViewerId viewer = 1; viewer <= all.server().state().joined; ++viewer) {
      all.move(viewer, static_cast<std::uint32_t>((turn + viewer) % SwitchingServer::kGroups));
    }
  }
  const auto state = all.server().state();
  const auto stream = all.stream().state();
  std::uint64_t missing = state.frames_dropped + delayed;
  std::uint64_t missing_audio = state.audio_frames_dropped;
  for (const auto& [group, encoded] : stream.groups) {
    missing += encoded.frames_late;
    missing_audio += encoded.audio_dropped;
  }
  std::printf(
      "%lu viewers, %lu changes of group, %lu frames and %lu audio frames missing, %lu jumps\n",
      static_cast<unsigned long>(state.joined), static_cast<unsigned long>(state.switches),
      static_cast<unsigned long>(missing), static_cast<unsigned long>(missing_audio),
      static_cast<unsigned long>(stream.source.timeline_jumps + stream.source.stalls));
  return 0;
}
