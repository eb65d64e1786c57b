#include "lethe/data/shapes.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "lethe/core/random.h"
#include "lethe/data/drawing.h"

namespace lethe {

namespace {

constexpr uint64_t kSeed = 0;
constexpr int64_t kSide = 32;
constexpr double kMiddle = 16;

// 4 and 3 are coprime, so the 12 labels cover every pair, and consecutive classes differ in both. A
// task of consecutive classes therefore depends on both shape and texture.
Shape shape_of(int64_t label) { return static_cast<Shape>(label % 4); }
Texture texture_of(int64_t label) { return static_cast<Texture>(label % 3); }

DatasetInfo shapes_info() {
  std::vector<std::string> names;
  for (int64_t label = 0; label < kShapesClasses; ++label) {
    names.push_back(fmt::format("{} {}", name_of(texture_of(label)), name_of(shape_of(label))));
  }
  return {.name = "shapes",
          .problem = Problem::kImages,
          .class_names = std::move(names),
          .channels = 3,
          .height = kSide,
          .width = kSide,
          .mean = {0.37491, 0.37561, 0.37735},  // measured on the training images
          .std = {0.27548, 0.27409, 0.27321}};
}

void draw(int64_t label, Random& random, uint8_t* out) {
  // Braces, not parentheses: they fix the order of the draws on every compiler.
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
  // Sometimes a dark shape on a bright background, so that brightness alone does not help.
  if (random.chance(0.15)) {
    for (auto* colour : {&ground, &first, &second}) *colour = inverted(*colour);
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
        out[offset] = to_level(value);
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

DataSplits make_shapes(const ShapesOptions& options) {
  return {.train = make_split(0, options.train_per_class),
          .val = nullptr,
          .test = make_split(1, options.test_per_class)};
}

}  // namespace lethe
