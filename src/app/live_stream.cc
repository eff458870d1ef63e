#include "app/live_stream.h"

#include <utility>

#include "base/log.h"

namespace app {

LiveStream::LiveStream(std::uint32_t index, StreamConfig config, server::Server& server,
                       Metrics& metrics)
    : index_{index},
      config_{std::move(config)},
      server_{server},
      metrics_{metrics.stream(config_.media.name)},
      media_{config_.media,
             [this](Ladder::GroupIndex group, media::PacketPtr packet) {
               server_.publish({index_, group}, std::move(packet));
             }},
      ladder_{config_.control.groups, actions()} {}

Ladder::Actions LiveStream::actions() {
  return {
      .open = [this](Ladder::GroupIndex group,
                     base::BitRate rate) { media_.open_group(group, rate); },
      .close =
          [this](Ladder::GroupIndex group) {
            media_.close_group(group);
            server_.close_channel({index_, group});
          },
      .retarget =
          [this](Ladder::GroupIndex group, base::BitRate rate) {
            media_.retarget(group, rate);
            base::log::debug("group_retargeted",
                             {{"stream", config_.media.name}, {"group", group}, {"rate", rate}});
          },
      .schedule_keyframe = [this](Ladder::GroupIndex group, base::Duration earliest) -> media::Pts {
        return media_.schedule_keyframe(group, earliest);
      },
      .move =
          [this](Ladder::ViewerId viewer, Ladder::GroupIndex group, media::Pts at) {
            server_.move_viewer(viewer, {index_, group}, at);
          },
  };
}

}  // namespace app
