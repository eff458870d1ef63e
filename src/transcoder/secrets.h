#pragma once

#include <string>

namespace transcoder {

/// The text with "***" for the secrets in it, for logs and messages: user:password@ of each URI,
/// and the values of passphrase=, password=, user-pw= and token=.
std::string without_secrets(std::string text);

}  // namespace transcoder
