#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/config.h"
#include "app/config/config_text.h"
#include "fuzz/check.h"
#include "fuzz/target.h"

// A configuration: it loads, or all that is wrong with it is said.

namespace {

const std::vector<std::string> kOffered{"cubic", "reno", "bbr", "sym_ccp"};

void check_error(std::string_view text) {
  CHECK(!text.empty());
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    CHECK(!line.empty(), text);
    CHECK(std::ranges::none_of(line, [](unsigned char c) { return c < ' ' || c == 0x7f; }), line);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
}

std::optional<app::Config> load(std::string_view text) {
  try {
    return app::load_config_text(text, "fuzz.toml", kOffered);
  } catch (const app::ConfigError& error) {
    check_error(error.what());
    return std::nullopt;
  }
}

}  // namespace

FUZZ_TARGET(config) {
  const auto config = load(input.rest());
  if (!config) return;
  CHECK(!config->streams.empty());
  const auto effect = app::effective_config(*config);
  const auto again = load(effect);
  CHECK(again, effect);
  CHECK(app::effective_config(*again) == effect, effect);
}
