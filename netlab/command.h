#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "netlab/link.h"

/// The emulator's line protocol: `[CLIENT] down|up|both KEY=VALUE...`, for example `down rate=1M`,
/// `3 both blackhole=on`. `down` is server to client. Without CLIENT it applies to all clients.
/// Keys are LinkSettings' members. Rates (bit/s) and sizes (bytes) take k, M, G (powers of 1000);
/// times need us, ms or s.
namespace netlab {

struct Command {
  std::optional<std::size_t> client;  ///< from 0
  bool down = false;
  bool up = false;
  std::string assignments;  ///< KEY=VALUE..., already validated
};

base::Result<Command> parse_command(std::string_view line);

/// Returns `settings` with the assignments applied.
base::Result<LinkSettings> assign(LinkSettings settings, std::string_view assignments);

std::optional<base::Duration> parse_duration(std::string_view text);

}  // namespace netlab
