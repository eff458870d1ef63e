#include "transcoder/testsource/stroke_font.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace transcoder {

namespace {

/// The strokes of a letter on a grid 8 wide and 12 high, as pairs of hexadecimal x and y. A blank
/// lifts the pen.
struct Shape {
  char letter;
  int width;
  const char* strokes;
};

constexpr Shape kLetterShapes[] = {
    {'0', 8, "305071828a7b5c3c1b0a021130"},
    {'1', 8, "1340 404c"},
    {'2', 8, "021130507182840c8c"},
    {'3', 8, "02113050718284755636 5677888a7b5c3c1b0a"},
    {'4', 8, "600989 606c"},
    {'5', 8, "7010155576878a7b5c3c1b0a"},
    {'6', 8, "8271503011020a1b3c5c7b8a887655351608"},
    {'7', 8, "00803c"},
    {'8', 8, "30507182847556361504021130 365677888a7b5c3c1b0a081736"},
    {'9', 8, "0a1b3c5c7b8a827150301102041637577684"},
    {':', 2, "1313 1a1a"},
    {'.', 2, "1c1c"},
    {'-', 8, "1676"},
    {' ', 4, ""},
    {'A', 8, "0c408c 1878"},
    {'B', 8, "000c5c7b8a88775606 00507182847556"},
    {'C', 8, "8271503011020a1b3c5c7b8a"},
    {'D', 8, "000c5c7b8a82715000"},
    {'E', 7, "70000c7c 0656"},
    {'F', 7, "70000c 0656"},
    {'G', 8, "8271503011020a1b3c5c7b8a8757"},
    {'H', 8, "000c 808c 0686"},
    {'I', 2, "101c"},
    {'J', 6, "606a4c2c0a"},
    {'K', 8, "000c 8007 268c"},
    {'L', 7, "000c7c"},
    {'M', 8, "0c0048808c"},
    {'N', 8, "0c008c80"},
    {'O', 8, "305071828a7b5c3c1b0a021130"},
    {'P', 8, "0c0050718284755606"},
    {'Q', 8, "305071828a7b5c3c1b0a021130 598c"},
    {'R', 8, "0c0050718284755606 468c"},
    {'S', 8, "8271503011020415365677888a7b5c3c1b0a"},
    {'T', 8, "0080 404c"},
    {'U', 8, "000a1b3c5c7b8a80"},
    {'V', 8, "004c80"},
    {'W', 8, "001c446c80"},
    {'X', 8, "008c 800c"},
    {'Y', 8, "004680 464c"},
    {'Z', 8, "00800c8c"},
};

// In grid units. Wider strokes and rims stay readable at lower rates; narrower ones hide less of
// the picture.
constexpr double kGridHeight = 12;
constexpr double kHalfStrokeWidth = 0.85;
constexpr double kRimWidth = 1.3;
constexpr double kLetterSpacing = 3.6;

struct Line {
  double x0, y0, x1, y1;
};

double distance(const Line& s, double x, double y) {
  const double dx = s.x1 - s.x0;
  const double dy = s.y1 - s.y0;
  const double length2 = dx * dx + dy * dy;
  const double along = length2 > 0 ? ((x - s.x0) * dx + (y - s.y0) * dy) / length2 : 0;
  const double t = std::clamp(along, 0.0, 1.0);
  return std::hypot(x - s.x0 - t * dx, y - s.y0 - t * dy);
}

int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

std::vector<Line> lines_of(std::string_view strokes) {
  std::vector<Line> result;
  bool down = false;
  double x = 0;
  double y = 0;
  for (std::size_t i = 0; i + 1 < strokes.size(); i += 2) {
    if (strokes[i] == ' ') {
      down = false;
      ++i;
    }
    const double next_x = digit(strokes[i]);
    const double next_y = digit(strokes[i + 1]);
    if (down) result.push_back({x, y, next_x, next_y});
    down = true;
    x = next_x;
    y = next_y;
  }
  return result;
}

int next_even(double size) { return static_cast<int>(std::ceil(size / 2)) * 2; }

}  // namespace

StrokeFont::StrokeFont(int height) {
  const double unit = height / kGridHeight;
  margin_ = next_even(unit * (kHalfStrokeWidth + kRimWidth));
  for (const auto& shape : kLetterShapes) {
    const auto lines = lines_of(shape.strokes);
    const auto outline = [&](double x, double y) {
      double nearest = kGridHeight;
      for (const auto& line : lines) {
        nearest = std::min(nearest, distance(line, (x - margin_) / unit, (y - margin_) / unit));
      }
      return (nearest - kHalfStrokeWidth) * unit;
    };
    const int width = next_even(shape.width * unit) + 2 * margin_;
    glyphs_[shape.letter] = {
        Stamp{width, next_even(height) + 2 * margin_, kRimWidth * unit, outline},
        next_even((shape.width + kLetterSpacing) * unit)};
  }
}

const StrokeFont::Glyph& StrokeFont::glyph(char letter) const {
  const auto found = glyphs_.find(letter);
  return found != glyphs_.end() ? found->second : glyphs_.at(' ');
}

int StrokeFont::width(std::string_view text) const {
  int sum = 0;
  for (const char letter : text) sum += glyph(letter).advance;
  return sum;
}

void StrokeFont::put(const Canvas& canvas, int x, int y, std::string_view text) const {
  for (const char letter : text) {
    const auto& g = glyph(letter);
    g.stamp.put(canvas, x - margin_, y - margin_);
    x += g.advance;
  }
}

}  // namespace transcoder
