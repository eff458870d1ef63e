#include "app/live_stream.h"

#include <utility>

#include "base/log.h"

namespace app {

LiveStream::LiveStream(std::uint32_t index, const StreamConfig& config, server::Server& server,
                       Metrics& metrics)
    : index_{index},
      group_settings_{config.control.groups},
      server_{server},
      metrics_{metrics.stream(config.media.name)},
      media_{config.media,
             [this](Ladder::GroupIndex group, const media::PacketPtr& packet) {
               server_.publish({index_, group}, packet);
             }},
      ladder_{config.control.groups, actions()},
      viewer_settings_{
          std::make_shared<ViewerSettings>(ViewerSettings{config.control, config.tcp})} {}

void LiveStream::reconfigure(ViewerSettings settings) {
  auto replacement = std::make_shared<const ViewerSettings>(std::move(settings));
  std::lock_guard lock{mutex_};
  viewer_settings_ = std::move(replacement);
}

std::shared_ptr<const LiveStream::ViewerSettings> LiveStream::viewer_settings() const {
  std::lock_guard lock{mutex_};
  return viewer_settings_;
}

void LiveStream::open_failed(const std::exception& error) {
  const auto times = open_failures_.count(base::Clock::now());
  if (!times) return;
  base::log::warning("group_not_opened", {{"stream", name()},
                                          {"error", error.what()},
                                          {"times", *times},
                                          {"hint", "viewers share the groups there are"}});
}

void LiveStream::close(Ladder::GroupIndex group) {
  media_.close_group(group);
  server_.close_channel({index_, group});
}

void LiveStream::retarget(Ladder::GroupIndex group, base::BitRate rate) {
  media_.retarget(group, rate);
  base::log::debug("group_retargeted", {{"stream", name()}, {"group", group}, {"rate", rate}});
}

void LiveStream::move(Ladder::ViewerId viewer, Ladder::GroupIndex group, media::Pts at,
                      abr::Reason reason) {
  server_.move_viewer(viewer, {index_, group}, at);
  base::log::info(
      "viewer_moved",
      {{"viewer", viewer}, {"stream", name()}, {"group", group}, {"reason", abr::name(reason)}});
}

Ladder::Actions LiveStream::actions() {
  return {
      .open = [this](auto group, auto rate) { media_.open_group(group, rate); },
      .open_failed = [this](const auto& error) { open_failed(error); },
      .close = [this](auto group) { close(group); },
      .retarget = [this](auto group, auto rate) { retarget(group, rate); },
      .schedule_keyframe = [this](auto group, auto earliest) -> media::Pts {
        return media_.schedule_keyframe(group, earliest);
      },
      .move = [this](auto viewer, auto group, auto at,
                     auto reason) { move(viewer, group, at, reason); },
  };
}

}  // namespace app
