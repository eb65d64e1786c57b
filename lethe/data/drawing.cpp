#include "lethe/data/drawing.h"

#include <algorithm>

namespace lethe {

const char* name_of(Shape shape) {
  constexpr std::array kNames = {"circle", "square", "triangle", "cross", "ring"};
  return kNames[static_cast<size_t>(shape)];
}

const char* name_of(Texture texture) {
  constexpr std::array kNames = {"solid", "striped", "checkered", "dotted"};
  return kNames[static_cast<size_t>(texture)];
}

Colour random_colour(Random& random, double low, double high) {
  Colour colour;
  for (double& value : colour) value = random.uniform(low, high);
  return colour;
}

Colour inverted(const Colour& colour) {
  return {255 - colour[0], 255 - colour[1], 255 - colour[2]};
}

Colour from_hsv(double hue, double saturation, double value) {
  const auto channel = [&](double offset) {
    const double k = std::fmod(offset + hue / 60, 6.0);
    const double fade = std::clamp(std::min(k, 4 - k), 0.0, 1.0);
    return 255 * value * (1 - saturation * fade);
  };
  return {channel(5), channel(3), channel(1)};
}

uint8_t to_level(double value) {
  return static_cast<uint8_t>(std::clamp(std::lround(value), 0L, 255L));
}

bool inside(Shape shape, double u, double v) {
  constexpr double kCorner = 1.2;  // distance of the triangle's corners from its centre
  u = std::abs(u);
  switch (shape) {
    case Shape::kCircle:
      return u * u + v * v < 0.85 * 0.85;
    case Shape::kSquare:
      return std::max(u, std::abs(v)) < 0.75;
    case Shape::kTriangle:
      return v < kCorner / 2 && v > std::numbers::sqrt3 * u - kCorner;
    case Shape::kCross:
      return std::max(u, std::abs(v)) < 1 && std::min(u, std::abs(v)) < 0.34;
    case Shape::kRing:
      return u * u + v * v < 1 && u * u + v * v > 0.45 * 0.45;
  }
  return false;
}

bool is_second_colour(Texture texture, double u, double v) {
  const auto odd = [](double value) { return static_cast<int64_t>(std::floor(value)) % 2 != 0; };
  switch (texture) {
    case Texture::kSolid:
      return false;
    case Texture::kStriped:
      return odd(u);
    case Texture::kCheckered:
      return odd(u) != odd(v);
    case Texture::kDotted: {  // one dot in every square of two by two units
      const double du = u - 2 * std::floor(u / 2) - 1;
      const double dv = v - 2 * std::floor(v / 2) - 1;
      return du * du + dv * dv < 0.6 * 0.6;
    }
  }
  return false;
}

double noise(Random& random) {
  const uint32_t bits = random.next();
  const uint32_t sum = (bits & 0xff) + (bits >> 8 & 0xff) + (bits >> 16 & 0xff) + (bits >> 24);
  constexpr double kMean = 510;
  constexpr double kDeviation = 147.8;
  return (sum - kMean) / kDeviation;
}

}  // namespace lethe
