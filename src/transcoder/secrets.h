#pragma once

#include <string>
#include <string_view>

namespace transcoder {

/// Replaces the secrets in `text` by "***", for logs and messages: the user:password of each URI,
/// the values of passphrase=, password=, user-pw= and token= (in any case), and the values of
/// hide_secret(). Masks too much rather than too little.
std::string without_secrets(std::string text);

/// From now on, without_secrets() also replaces this value, in the whole process, percent-encoded
/// or not, and as it is within quotes. Values shorter than four characters are ignored: they are
/// part of too many words. Thread-safe.
void hide_secret(std::string_view value);

}  // namespace transcoder
