#pragma once

#include <string>

namespace transcoder {

/// Replaces the secrets in `text` by "***", for logs and messages: the user:password of each URI,
/// and the values of passphrase=, password=, user-pw= and token=. A pure function.
std::string without_secrets(std::string text);

}  // namespace transcoder
