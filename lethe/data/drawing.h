// What the drawn data sets (shapes.h, shapes_seg.h) are drawn with: figures and textures in turned
// and scaled frames, colours, noise. Plain arithmetic: the same on every machine.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "lethe/core/random.h"

namespace lethe {

enum class Shape { kCircle, kSquare, kTriangle, kCross, kRing };
enum class Texture { kSolid, kStriped, kCheckered, kDotted };

const char* name_of(Shape shape);  // "circle"
const char* name_of(Texture texture);

using Colour = std::array<double, 3>;  // red, green, blue from 0 to 255

Colour random_colour(Random& random, double low, double high);
Colour inverted(const Colour& colour);
// hue in degrees; saturation and value in [0, 1].
Colour from_hsv(double hue, double saturation, double value);

// Rounded into a byte.
uint8_t to_level(double value);

// A turned and scaled frame: takes pixels (px, py) to (u, v).
struct Frame {
  double x, y;     // where u = v = 0
  double degrees;  // by which it is turned
  double unit;     // pixels

  double cos = std::cos(degrees * std::numbers::pi / 180) / unit;
  double sin = std::sin(degrees * std::numbers::pi / 180) / unit;

  double u(double px, double py) const { return cos * (px - x) + sin * (py - y); }
  double v(double px, double py) const { return cos * (py - y) - sin * (px - x); }
};

// Whether (u, v) lies within the figure; all have about the same area, within 1.2 of the centre.
bool inside(Shape shape, double u, double v);

// Which of its two colours a texture has at (u, v).
bool is_second_colour(Texture texture, double u, double v);

// About normally distributed, deviation 1: a sum of four bytes, one draw of the generator.
double noise(Random& random);

}  // namespace lethe
