#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace app {

/// Says what is wrong in a line of a configuration file that is not valid TOML, and how to correct
/// it: "text needs quotes: write max = \"5M\"". `text`: the file. `line`: the parser's error is
/// there, from 1. `description`: the parser's words, which it returns for a mistake that it does
/// not know. Never quotes a URI, which may hold a password.
std::string toml_mistake(std::string_view text, std::size_t line, std::string_view description);

}  // namespace app
