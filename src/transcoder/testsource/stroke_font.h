#pragma once

#include <map>
#include <string_view>

#include "transcoder/testsource/stamp.h"

namespace transcoder {

/// The font of the test picture: strokes with round ends, rendered at one height by the
/// constructor. Has 0-9 A-Z : . - and blank; other characters are drawn as blanks. All digits have
/// the same width.
class StrokeFont {
 public:
  /// `height` of a capital letter, in pixels.
  explicit StrokeFont(int height);

  /// The width of `text` in pixels.
  int width(std::string_view text) const;
  /// Draws `text` with its left end at `x` and the top of its capitals at `y`.
  void put(const Canvas& canvas, int x, int y, std::string_view text) const;

 private:
  struct Glyph {
    Stamp stamp;
    int advance = 0;
  };
  const Glyph& glyph(char letter) const;

  int margin_ = 0;  // of a stamp around its letter
  std::map<char, Glyph> glyphs_;
};

}  // namespace transcoder
