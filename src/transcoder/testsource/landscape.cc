#include "transcoder/testsource/landscape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include "transcoder/testsource/pixel_rows.h"
#include "transcoder/testsource/value_noise.h"

namespace transcoder {

namespace {

struct Rgb {
  double r, g, b;
};

Rgb mix(Rgb a, Rgb b, double t) {
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

double rise(double from, double to, double value) {
  const double t = std::clamp((value - from) / (to - from), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// ITU-R BT.709 in video range.
std::array<std::uint8_t, 3> yuv(Rgb c) {
  const double y = 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
  const auto level = [](double v) { return static_cast<std::uint8_t>(std::lround(v)); };
  return {level(16 + y * 219), level(128 + (c.b - y) / 1.8556 * 224),
          level(128 + (c.r - y) / 1.5748 * 224)};
}

/// `x` and `y` are fractions of the picture's width and height.
Rgb sky(double x, double y) {
  constexpr Rgb kZenith{0.06, 0.10, 0.27};
  constexpr Rgb kMiddle{0.38, 0.29, 0.50};
  constexpr Rgb kHorizon{0.98, 0.66, 0.42};
  constexpr Rgb kCloud{1.0, 0.80, 0.72};
  constexpr Rgb kSun{1.0, 0.93, 0.75};
  static const ValueNoise clouds{.seed = 11, .columns = 5, .octaves = 5};
  Rgb c = y < 0.3 ? mix(kZenith, kMiddle, y / 0.3) : mix(kMiddle, kHorizon, rise(0.3, 0.62, y));
  c = mix(c, kCloud, 0.65 * rise(0.48, 0.78, clouds.at(x, y * 9)));
  const double dx = (x - 0.68) * 16 / 9;
  const double from_sun = std::hypot(dx, y - 0.44);
  c = mix(c, kSun, 0.45 * std::exp(-from_sun * 6));
  return mix(c, kSun, rise(0.062, 0.056, from_sun));
}

struct Mountains {
  std::uint32_t seed;
  double crest, height;  // of the ridge, as fractions of the picture's height
  int peaks;
  Rgb top, foot;
  double texture;
};

/// From far to near.
constexpr Mountains kMountainRanges[] = {
    {21, 0.60, 0.26, 4, {0.47, 0.38, 0.52}, {0.86, 0.62, 0.53}, 0.10},
    {31, 0.74, 0.22, 6, {0.24, 0.22, 0.37}, {0.46, 0.36, 0.46}, 0.12},
    {41, 0.90, 0.18, 9, {0.06, 0.08, 0.15}, {0.13, 0.14, 0.23}, 0.10},
};
constexpr std::size_t kLayerCount = 1 + std::size(kMountainRanges);

/// The top of the range in each column, in rows from the top of the picture.
std::vector<double> ridge_line(const Mountains& m, PictureSize size) {
  const ValueNoise shape{.seed = m.seed, .columns = m.peaks, .octaves = 6};
  std::vector<double> tops;
  for (int x = 0; x < size.width; ++x) {
    const double share = m.crest - m.height * (shape.at(x / double(size.width), 0.5) - 0.25);
    tops.push_back(share * size.height);
  }
  return tops;
}

Rgb slope(const Mountains& m, double x, double y, double top) {
  const ValueNoise rock{.seed = m.seed + 7, .columns = 24, .octaves = 4};
  const Rgb c = mix(m.top, m.foot, rise(0, 0.22, y - top));
  const double light = 1 + m.texture * 4 * (rock.at(x, y * 24) - 0.5);
  return {c.r * light, c.g * light, c.b * light};
}

/// Speeds of the layers in pixels per picture, for a width of 1280 pixels.
constexpr std::array<double, kLayerCount> kLayerSpeeds{2, 4, 6, 10};

int nearest_even(double value) { return std::max(2, static_cast<int>(std::lround(value / 2)) * 2); }

}  // namespace

/// One layer, twice as wide as the picture, so that every view of it is contiguous. Its first row
/// is row `top` of the picture. Parts of it above row `whole` are transparent.
struct Landscape::Layer {
  Layer(PictureSize size, int first, int solid, int pixels)
      : top{first}, whole{solid}, speed{pixels}, period{size.width}, height{size.height - first} {
    stride[0] = whole_blocks(2 * period);
    stride[1] = stride[2] = whole_blocks(period);
    for (const std::size_t p : {0, 1, 2}) {
      const int rows = p == 0 ? height : height / 2;
      plane[p].resize(static_cast<std::size_t>(stride[p]) * rows + kRowBlockPixels);
      if (p < 2) cover[p].resize(plane[p].size());
    }
  }

  void set(int x, int y, const std::array<std::uint8_t, 3>& colour, double share) {
    for (const int at : {x, x + period}) {
      for (const std::size_t p : {0, 1, 2}) {
        if (p > 0 && (at % 2 != 0 || y % 2 != 0)) continue;
        const int shift = p == 0 ? 0 : 1;
        const auto i = static_cast<std::size_t>(y >> shift) * stride[p] + (at >> shift);
        plane[p][i] = colour[p];
        if (p < 2) cover[p][i] = static_cast<std::uint8_t>(255 * share);
      }
    }
  }

  void paint_sky(PictureSize size, const std::stop_token& stop) {
    for (int y = 0; y < size.height && !stop.stop_requested(); ++y) {
      for (int x = 0; x < size.width; ++x) {
        set(x, y, yuv(sky(x / double(size.width), y / double(size.height))), 1);
      }
    }
  }

  void paint(const Mountains& range, const std::vector<double>& tops, PictureSize size,
             const std::stop_token& stop) {
    const double h = size.height;
    for (int y = 0; y < height && !stop.stop_requested(); ++y) {
      for (int x = 0; x < size.width; ++x) {
        const double ridge = tops[static_cast<std::size_t>(x)];
        const double share = std::clamp(top + y - ridge + 0.5, 0.0, 1.0);
        if (share <= 0) continue;
        set(x, y, yuv(slope(range, x / double(size.width), (top + y) / h, ridge / h)), share);
      }
    }
  }

  int top, whole, speed, period, height;
  std::array<int, 3> stride{};
  std::array<std::vector<std::uint8_t>, 3> plane;
  std::array<std::vector<std::uint8_t>, 2> cover;  // of luma and chroma
};

Landscape::Landscape(PictureSize size, const std::stop_token& stop) : size_{size} {
  const auto speed = [&](std::size_t layer) {
    return nearest_even(kLayerSpeeds[layer] * size.width / 1280);
  };
  layers_.emplace_back(size, 0, 0, speed(0)).paint_sky(size, stop);
  for (std::size_t i = 0; i < std::size(kMountainRanges); ++i) {
    const auto tops = ridge_line(kMountainRanges[i], size);
    const auto [highest, lowest] = std::minmax_element(tops.begin(), tops.end());
    const int first = static_cast<int>(*highest) / 2 * 2;
    const int solid = std::min(size.height, nearest_even(*lowest + 2));
    layers_.emplace_back(size, first, solid, speed(i + 1))
        .paint(kMountainRanges[i], tops, size, stop);
  }
}

Landscape::~Landscape() = default;

void Landscape::draw(const Canvas& canvas, std::int64_t step) const {
  for (const std::size_t plane : {0, 1, 2}) draw_plane(canvas, plane, step);
}

void Landscape::draw_plane(const Canvas& canvas, std::size_t plane, std::int64_t step) const {
  const int shift = plane == 0 ? 0 : 1;
  const int width = size_.width >> shift;
  for (int y = 0; y < size_.height >> shift; ++y) {
    std::uint8_t* const line = canvas.plane[plane] + y * canvas.stride[plane];
    const auto covers = [&](const Layer& l) { return y >= l.whole >> shift; };
    const auto base = std::find_if(layers_.rbegin(), layers_.rend(), covers).base() - 1;
    for (auto layer = base; layer != layers_.end(); ++layer) {
      if (y < layer->top >> shift) continue;
      const auto scroll = static_cast<std::size_t>(step * layer->speed % layer->period) >> shift;
      const auto at =
          static_cast<std::size_t>(y - (layer->top >> shift)) * layer->stride[plane] + scroll;
      if (layer == base) {
        std::memcpy(line, layer->plane[plane].data() + at, static_cast<std::size_t>(width));
      } else {
        blend_row(line, layer->plane[plane].data() + at,
                  layer->cover[plane == 0 ? 0 : 1].data() + at, width);
      }
    }
  }
}

}  // namespace transcoder
