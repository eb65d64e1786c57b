#include "lethe/data/shapes.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "lethe/core/random.h"

namespace lethe {

namespace {

constexpr uint64_t kSeed = 0;
constexpr int64_t kSide = 32;
constexpr double kMiddle = 16;

constexpr std::array<const char*, 4> kShapes = {"circle", "square", "triangle", "cross"};
constexpr std::array<const char*, 3> kTextures = {"solid", "striped", "checkered"};
enum Shape { kCircle, kSquare, kTriangle, kCross };
enum Texture { kSolid, kStriped, kCheckered };

// 4 and 3 have no common divisor, so the 12 labels give every pair, and classes that follow each
// other differ in both: a task of some neighbours is about shapes and textures.
Shape shape_of(int64_t label) { return static_cast<Shape>(label % 4); }
Texture texture_of(int64_t label) { return static_cast<Texture>(label % 3); }

DatasetInfo shapes_info() {
  std::vector<std::string> names;
  for (int64_t label = 0; label < kShapesClasses; ++label) {
    names.push_back(fmt::format("{} {}", kTextures[texture_of(label)], kShapes[shape_of(label)]));
  }
  return {.name = "shapes",
          .kind = TaskKind::kClassification,
          .class_names = std::move(names),
          .channels = 3,
          .height = kSide,
          .width = kSide,
          .mean = {0.37491, 0.37561, 0.37735},  // measured on the training images
          .std = {0.27548, 0.27409, 0.27321}};
}

using Colour = std::array<double, 3>;  // 0 to 255

Colour random_colour(Random& random, double low, double high) {
  Colour colour;
  for (double& value : colour) value = random.uniform(low, high);
  return colour;
}

void invert(Colour& colour) {
  for (double& value : colour) value = 255 - value;
}

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

// Figures of about the same area.
bool inside(Shape shape, double u, double v) {
  constexpr double kCorner = 1.2;  // of the triangle, from its centre
  u = std::abs(u);
  switch (shape) {
    case kCircle:
      return u * u + v * v < 0.85 * 0.85;
    case kSquare:
      return std::max(u, std::abs(v)) < 0.75;
    case kTriangle:
      return v < kCorner / 2 && v > std::numbers::sqrt3 * u - kCorner;
    case kCross:
      return std::max(u, std::abs(v)) < 1 && std::min(u, std::abs(v)) < 0.34;
  }
  return false;
}

bool is_second_colour(Texture texture, double u, double v) {
  const auto odd = [](double value) { return static_cast<int64_t>(std::floor(value)) % 2 != 0; };
  switch (texture) {
    case kSolid:
      return false;
    case kStriped:
      return odd(u);
    case kCheckered:
      return odd(u) != odd(v);
  }
  return false;
}

// Sum of four bytes: close enough to a normal distribution, and one draw of the generator.
double noise(Random& random) {
  const uint32_t bits = random.next();
  const uint32_t sum = (bits & 0xff) + (bits >> 8 & 0xff) + (bits >> 16 & 0xff) + (bits >> 24);
  constexpr double kMean = 510;
  constexpr double kDeviation = 147.8;
  return (sum - kMean) / kDeviation;
}

void draw(int64_t label, Random& random, uint8_t* out) {
  // Braces, not parentheses: the order in which they draw is then fixed, on every compiler.
  const Frame figure{.x = kMiddle + random.uniform(-4.5, 4.5),
                     .y = kMiddle + random.uniform(-4.5, 4.5),
                     .degrees = random.uniform(-15, 15),
                     .unit = random.uniform(9, 12)};
  const Frame pattern{.x = random.uniform(0, kSide),
                      .y = random.uniform(0, kSide),
                      .degrees = random.uniform(-40, 40),
                      .unit = random.uniform(2.6, 3.6)};
  const Frame shade{.x = kMiddle, .y = kMiddle, .degrees = random.uniform(0, 360), .unit = kMiddle};
  const double shade_depth = random.uniform(0, 20);
  const double noise_depth = random.uniform(4, 16);
  Colour ground = random_colour(random, 20, 90);
  Colour first = random_colour(random, 180, 250);
  Colour second = random_colour(random, 60, 110);
  // A dark figure on a bright ground now and then: the sign of a pixel's weight says little.
  if (random.chance(0.15)) {
    for (auto* colour : {&ground, &first, &second}) invert(*colour);
  }

  for (int64_t row = 0; row < kSide; ++row) {
    for (int64_t column = 0; column < kSide; ++column) {
      const double x = static_cast<double>(column) + 0.5;
      const double y = static_cast<double>(row) + 0.5;
      const bool in_figure = inside(shape_of(label), figure.u(x, y), figure.v(x, y));
      const bool is_second = is_second_colour(texture_of(label), pattern.u(x, y), pattern.v(x, y));
      const Colour& colour = !in_figure ? ground : is_second ? second : first;
      const double light = shade_depth * shade.u(x, y);
      for (size_t c = 0; c < 3; ++c) {
        const double value = colour[c] + light + noise_depth * noise(random);
        const auto offset = static_cast<int64_t>(c) * kSide * kSide + row * kSide + column;
        out[offset] = static_cast<uint8_t>(std::clamp(std::lround(value), 0L, 255L));
      }
    }
  }
}

DatasetPtr make_split(uint32_t split, int64_t per_class) {
  const int64_t count = per_class * kShapesClasses;
  auto images = at::empty({count, 3, kSide, kSide}, at::kByte);
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < count; ++i) {
    labels.push_back(i % kShapesClasses);
    Random random(kSeed, Purpose::kProcedural, split, static_cast<uint32_t>(i));
    draw(labels.back(), random, images.data_ptr<uint8_t>() + i * 3 * kSide * kSide);
  }
  return std::make_shared<ImageBlock>(shapes_info(), std::move(images), std::move(labels),
                                      "shapes");
}

}  // namespace

DataSplits make_shapes() {
  return {.train = make_split(0, kShapesTrainPerClass),
          .val = nullptr,
          .test = make_split(1, kShapesTestPerClass)};
}

}  // namespace lethe
