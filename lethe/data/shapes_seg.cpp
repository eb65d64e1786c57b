#include "lethe/data/shapes_seg.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/core/random.h"
#include "lethe/core/system.h"
#include "lethe/data/drawing.h"
#include "lethe/data/parallel.h"

namespace lethe {

namespace {

constexpr uint64_t kSeed = 0;
constexpr int64_t kSide = 64;
constexpr int64_t kPixels = kSide * kSide;
constexpr uint32_t kTrainSplit = 2;  // shapes uses 0 and 1
constexpr uint32_t kTestSplit = 3;

// 5 and 4 are coprime, so the 20 labels cover every pair.
Shape shape_of(int64_t label) { return static_cast<Shape>((label - 1) % 5); }
Texture texture_of(int64_t label) { return static_cast<Texture>((label - 1) % 4); }
// 7 and 20 are coprime too: every class has its own hue, and the hues of consecutive classes are
// far apart.
double hue_of(int64_t label) { return static_cast<double>((label - 1) * 7 % 20) * 18; }

DatasetInfo shapes_seg_info(int64_t side, const MaskRules& rules) {
  std::vector<std::string> names = {"background"};
  for (int64_t label = 1; label <= kShapesSegClasses; ++label) {
    names.push_back(fmt::format("{} {}", name_of(texture_of(label)), name_of(shape_of(label))));
  }
  return {.name = "shapes_seg",
          .problem = Problem::kMasks,
          .class_names = std::move(names),
          .channels = 3,
          .height = side > 0 ? side : kSide,
          .width = side > 0 ? side : kSide,
          .mean = {0.42354, 0.42000, 0.42215},  // measured on the training images
          .std = {0.19990, 0.19902, 0.20064},
          .mask_rules = rules};
}

// A textured area: a shape or the background.
struct Surface {
  Texture texture;
  Frame pattern;
  Colour first;
  Colour second;

  const Colour& at(double x, double y) const {
    return is_second_colour(texture, pattern.u(x, y), pattern.v(x, y)) ? second : first;
  }
};

struct Figure {
  int64_t label;
  Frame frame;
  Surface surface;

  bool covers(double x, double y) const {
    return inside(shape_of(label), frame.u(x, y), frame.v(x, y));
  }
};

Frame draw_pattern(Random& random, double low, double high) {
  // Braces, not parentheses: they fix the order of the draws on every compiler.
  return {.x = random.uniform(0, kSide),
          .y = random.uniform(0, kSide),
          .degrees = random.uniform(-40, 40),
          .unit = random.uniform(low, high)};
}

// Nearly grey, with little contrast, so that the colours of the shapes are distinct.
Surface draw_ground(Random& random) {
  const auto texture = static_cast<Texture>(random.below(4));
  const auto pattern = draw_pattern(random, 3, 8);
  const double level = random.uniform(50, 170);
  const auto first = random_colour(random, level - 15, level + 15);
  const double contrast = random.uniform(-35, 35);
  const Colour second = {first[0] + contrast, first[1] + contrast, first[2] + contrast};
  return {.texture = texture, .pattern = pattern, .first = first, .second = second};
}

// The candidate position that is farthest from all other shapes, so that they overlap partly, but
// never completely.
Frame draw_frame(Random& random, const std::vector<Figure>& others) {
  constexpr int kTries = 5;
  constexpr double kMargin = 9;
  double best = -1;
  double best_x = 0;
  double best_y = 0;
  for (int i = 0; i < kTries; ++i) {
    const double x = random.uniform(kMargin, kSide - kMargin);
    const double y = random.uniform(kMargin, kSide - kMargin);
    double nearest = std::numeric_limits<double>::max();
    for (const auto& other : others) {
      nearest = std::min(nearest, std::hypot(x - other.frame.x, y - other.frame.y));
    }
    if (nearest <= best) continue;
    best = nearest;
    best_x = x;
    best_y = y;
  }
  return {
      .x = best_x, .y = best_y, .degrees = random.uniform(-15, 15), .unit = random.uniform(10, 15)};
}

Figure draw_figure(Random& random, int64_t label, const std::vector<Figure>& others) {
  const auto frame = draw_frame(random, others);
  const auto pattern = draw_pattern(random, 2.4, 3.4);
  const double hue = hue_of(label) + 360 + random.uniform(-15, 15);
  const double saturation = random.uniform(0.65, 1);
  const double value = random.uniform(0.75, 1);
  return {.label = label,
          .frame = frame,
          .surface = {.texture = texture_of(label),
                      .pattern = pattern,
                      .first = from_hsv(hue, saturation, value),
                      .second = from_hsv(hue, saturation, 0.3 * value)}};
}

// The classes of an image, from back to front.
std::vector<int64_t> draw_labels(Random& random, int64_t front, double cooccurrence) {
  std::vector<int64_t> labels = {front};
  const bool has_others = random.chance(cooccurrence);
  const int64_t count = has_others ? 2 + random.below(3) : 1;
  while (static_cast<int64_t>(labels.size()) < count) {
    const int64_t label = 1 + random.below(kShapesSegClasses);
    const bool is_new = std::find(labels.begin(), labels.end(), label) == labels.end();
    if (is_new) labels.push_back(label);
  }
  std::reverse(labels.begin(), labels.end());
  return labels;
}

const Figure* front_at(const std::vector<Figure>& figures, double x, double y) {
  const auto found = std::find_if(figures.rbegin(), figures.rend(),
                                  [&](const Figure& figure) { return figure.covers(x, y); });
  return found == figures.rend() ? nullptr : &*found;
}

// Draws a line of void, one pixel wide, where labels meet. Works in place, because it only looks
// ahead.
void outline(uint8_t* mask) {
  for (int64_t i = 0; i < kPixels; ++i) {
    const bool right = (i + 1) % kSide != 0 && mask[i + 1] != mask[i];
    const bool below = i + kSide < kPixels && mask[i + kSide] != mask[i];
    if (right || below) mask[i] = static_cast<uint8_t>(kVoid);
  }
}

void draw(int64_t front, double cooccurrence, Random& random, uint8_t* image, uint8_t* mask) {
  std::vector<Figure> figures;
  for (const int64_t label : draw_labels(random, front, cooccurrence)) {
    figures.push_back(draw_figure(random, label, figures));
  }
  const auto ground = draw_ground(random);
  const double middle = static_cast<double>(kSide) / 2;
  const Frame shade{.x = middle, .y = middle, .degrees = random.uniform(0, 360), .unit = middle};
  const double shade_depth = random.uniform(0, 20);
  const double noise_depth = random.uniform(4, 12);
  for (int64_t i = 0; i < kPixels; ++i) {
    const int64_t row = i / kSide;
    const double x = static_cast<double>(i % kSide) + 0.5;
    const double y = static_cast<double>(row) + 0.5;
    const auto* figure = front_at(figures, x, y);
    const auto& colour = (figure != nullptr ? figure->surface : ground).at(x, y);
    const double light = shade_depth * shade.u(x, y);
    for (int64_t c = 0; c < 3; ++c) {
      image[c * kPixels + i] =
          to_level(colour[static_cast<size_t>(c)] + light + noise_depth * noise(random));
    }
    mask[i] = static_cast<uint8_t>(figure != nullptr ? figure->label : 0);
  }
  outline(mask);
}

DatasetPtr make_split(uint32_t split, int64_t count, const ShapesSegOptions& options,
                      const DatasetInfo& info) {
  auto images = at::empty({count, 3, kSide, kSide}, at::kByte);
  auto masks = at::empty({count, kSide, kSide}, at::kByte);
  auto* image = images.data_ptr<uint8_t>();
  auto* mask = masks.data_ptr<uint8_t>();
  parallel_for(0, count, physical_cores(), [&](int64_t i) {
    Random random(kSeed, Purpose::kProcedural, split, static_cast<uint32_t>(i));
    draw(1 + i % kShapesSegClasses, options.cooccurrence, random, image + i * 3 * kPixels,
         mask + i * kPixels);
  });
  return std::make_shared<MaskBlock>(info, images, masks, "shapes_seg");
}

}  // namespace

DataSplits make_shapes_seg(const ShapesSegOptions& options, int64_t side, const MaskRules& rules) {
  const auto info = shapes_seg_info(side, rules);
  return {.train = make_split(kTrainSplit, kShapesSegTrain, options, info),
          .val = nullptr,
          .test = make_split(kTestSplit, kShapesSegTest, options, info)};
}

}  // namespace lethe
