#include "app/segments/known_players.h"

namespace app {

std::size_t segments_to_begin(std::string_view user_agent) {
  return user_agent.starts_with("GStreamer") ? 2 : 1;
}

}  // namespace app
