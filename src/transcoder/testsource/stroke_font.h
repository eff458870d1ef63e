#pragma once

#include <map>
#include <string_view>

#include "transcoder/testsource/stamp.h"

namespace transcoder {

/// Letters of the test picture: strokes with round ends, drawn at one height when constructed.
/// Knows 0-9 A-Z : . - and blank; others are blanks. All figures are equally wide.
class StrokeFont {
 public:
  /// `height` of a capital letter, in pixels.
  explicit StrokeFont(int height);

  int width(std::string_view text) const;
  /// Puts the text with its left end at `x` and the top of its capitals at `y`.
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
