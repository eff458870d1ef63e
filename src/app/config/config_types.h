#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/config/config_value.h"
#include "base/units.h"
#include "transcoder/settings.h"

/// The types of settings. Each reads a Value or throws Rejected, writes TOML, and describes the
/// values it allows.
namespace app::types {

struct Flag {
  bool read(const Value& value) const;
  std::string write(bool flag) const;
  std::string allowed() const;
};

struct Whole {
  int min;
  int max;
  int read(const Value& value) const;
  std::string write(int number) const;
  std::string allowed() const;
};

struct Real {
  double min;
  double max;
  double read(const Value& value) const;
  std::string write(double number) const;
  std::string allowed() const;
};

/// "300ms", "1s", "2m". A bare number is rejected because its unit would be a guess.
struct Duration {
  base::Duration min;
  base::Duration max;
  base::Duration read(const Value& value) const;
  std::string write(base::Duration duration) const;
  std::string allowed() const;
};

/// "300k", "1.5M", "1G", or a number of bits per second.
struct Rate {
  base::BitRate min;
  base::BitRate max;
  base::BitRate read(const Value& value) const;
  std::string write(base::BitRate rate) const;
  std::string allowed() const;
};

/// "16KiB", "1MiB", or a number of bytes.
struct Size {
  base::ByteCount min;
  base::ByteCount max;
  base::ByteCount read(const Value& value) const;
  std::string write(base::ByteCount size) const;
  std::string allowed() const;
};

/// "1920x1080", width by height in pixels.
struct Dimensions {
  transcoder::PictureSize min;
  transcoder::PictureSize max;
  transcoder::PictureSize read(const Value& value) const;
  std::string write(transcoder::PictureSize size) const;
  std::string allowed() const;
};

struct Text {
  std::string_view meaning;  ///< returned by allowed()
  std::string read(const Value& value) const;
  std::string write(const std::string& text) const;
  std::string allowed() const;
};

/// One of a few words, kept as a string.
struct Word {
  std::vector<std::string> words;
  std::vector<std::string> also = {};  ///< accepted, and not in allowed()
  std::string read(const Value& value) const;
  std::string write(const std::string& word) const;
  std::string allowed() const;
};

/// One of a few words that stand for the values of an enum.
template <typename Enum>
class Choice {
 public:
  explicit Choice(std::vector<std::pair<std::string, Enum>> choices)
      : choices_{std::move(choices)} {
    for (const auto& choice : choices_) names_.words.push_back(choice.first);
  }

  Enum read(const Value& value) const {
    const auto word = names_.read(value);
    for (const auto& [name, choice] : choices_) {
      if (name == word) return choice;
    }
    return {};
  }
  std::string write(Enum wanted) const {
    for (const auto& [name, choice] : choices_) {
      if (choice == wanted) return names_.write(name);
    }
    return {};
  }
  std::string allowed() const { return names_.allowed(); }
  /// A word that allowed() does not name.
  void accept_too(const std::string& word, Enum choice) {
    choices_.emplace_back(word, choice);
    names_.also.push_back(word);
  }

 private:
  std::vector<std::pair<std::string, Enum>> choices_;
  Word names_;
};

/// The value as quoted in error messages.
std::string shown(const Value& value);

[[noreturn]] void reject(const Value& value, std::string_view expected);

}  // namespace app::types
