// Drawing functions of the synthetic datasets (shapes.h, shapes_seg.h): shapes and textures in
// rotated and scaled frames, colours, noise. Plain arithmetic, so that results are the same on
// every machine.
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

using Colour = std::array<double, 3>;  // red, green, blue in [0, 255]

Colour random_colour(Random& random, double low, double high);
Colour inverted(const Colour& colour);
// hue in degrees; saturation and value in [0, 1].
Colour from_hsv(double hue, double saturation, double value);

// Rounds and clamps a value to a byte.
uint8_t to_level(double value);

// A rotated and scaled frame: maps pixels (px, py) to (u, v).
struct Frame {
  double x, y;     // position of u = v = 0
  double degrees;  // rotation
  double unit;     // length of one unit in pixels

  double cos = std::cos(degrees * std::numbers::pi / 180) / unit;
  double sin = std::sin(degrees * std::numbers::pi / 180) / unit;

  double u(double px, double py) const { return cos * (px - x) + sin * (py - y); }
  double v(double px, double py) const { return cos * (py - y) - sin * (px - x); }
};

// Whether (u, v) is within the shape. All shapes have about the same area and lie within a distance
// of 1.2 from the centre.
bool inside(Shape shape, double u, double v);

// Whether a texture has its second colour at (u, v).
bool is_second_colour(Texture texture, double u, double v);

// Approximately normal noise with standard deviation 1: the sum of four bytes, from one draw of the
// generator.
double noise(Random& random);

}  // namespace lethe
