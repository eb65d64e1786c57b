#include "lethe/method/contrastive/contrastive_options.h"

#include <algorithm>
#include <array>

#include "lethe/core/error.h"
#include "lethe/core/log.h"

namespace lethe {

namespace {

// What "auto" means: specification 7.4, and "tuned" from our own searches on held-out images
// (docs/methods/contrastive.md).
struct Preset {
  const char* name;
  double lambda_p, lambda_d, w_pc;
  const char* distance;
  const char* pixel_reduce;
  const char* ex_p_reduce;
  const char* proto_update;
};
struct ImagePreset : Preset {
  double cls_sf;
};
struct MaskPreset : Preset {
  double w_dis;
  const char* ce;
  const char* dis;
  const char* class_scope;
  const char* proto_weighting;
  const char* pc_classes;
};
constexpr std::array<ImagePreset, 4> kImagePresets = {{
    {{"tuned", 0.01, 10, 0.1, "l2", "mean", "printed", "pixel_count"}, 10},
    {{"print", 0.001, 0.001, 1, "l2", "sum", "printed", "iteration"}, 0},
    {{"sdr_like", 0.001, 0.001, 0.01, "mse", "mean", "pairs", "pixel_count"}, 0},
    {{"lwf_base", 0.001, 0.001, 0.01, "mse", "mean", "pairs", "pixel_count"}, 0},
}};
constexpr std::array<MaskPreset, 4> kMaskPresets = {{
    {{"tuned", 0.001, 0.01, 0.01, "mse", "mean", "pairs", "pixel_count"},
     10,
     "unbiased",
     "unbiased_star",
     "batch",
     "pixel",
     "preserved"},
    {{"print", 0.001, 0.001, 1, "l2", "sum", "printed", "iteration"},
     1,
     "plain",
     "literal",
     "image",
     "image",
     "all_old"},
    {{"sdr_like", 0.001, 0.001, 0.01, "mse", "mean", "pairs", "pixel_count"},
     100,
     "unbiased",
     "unbiased_star",
     "batch",
     "pixel",
     "all_old"},
    {{"lwf_base", 0.001, 0.001, 0.01, "mse", "mean", "pairs", "pixel_count"},
     100,
     "plain",
     "lwf_star",
     "batch",
     "pixel",
     "all_old"},
}};

template <typename T, size_t N>
const T& find_preset(const std::array<T, N>& presets, const std::string& name) {
  const auto* found = std::find_if(presets.begin(), presets.end(),
                                   [&](const T& preset) { return preset.name == name; });
  if (found == presets.end())
    throw_error<ConfigError>("method.contrastive.preset: unknown preset '{}'", name);
  return *found;
}

void set_default(std::string& value, const char* meaning) {
  if (value == "auto") value = meaning;
}

template <typename T>
void set_default(std::optional<T>& value, T meaning) {
  if (!value) value = meaning;
}

constexpr std::array<const char*, 3> kSpaces = {"F", "F*", "F**"};

}  // namespace

size_t space_index(const std::string& name) {
  const auto* found = std::find(kSpaces.begin(), kSpaces.end(), name);
  if (found == kSpaces.end())
    throw_error<ConfigError>("method.contrastive.spaces: '{}' is none of F, F*, F**", name);
  return static_cast<size_t>(found - kSpaces.begin());
}

size_t projection_depth(const ContrastiveOptions& options) {
  size_t depth = 0;
  for (const auto& space : options.spaces) depth = std::max(depth, space_index(space));
  return depth;
}

Fields config_fields(ContrastiveOptions& o) {
  const std::string key = "method.contrastive.";
  return {
      {key + "preset",
       &o.preset,
       "what auto means below: the paper's formulas, SDR's code, LwF's base, or tuned by us",
       {},
       {"tuned", "print", "sdr_like", "lwf_base"}},
      {key + "lambda_p", &o.lambda_p, "weight of what compacts and separates kept classes",
       at_least(0)},
      {key + "lambda_d", &o.lambda_d, "weight of what disperses forgotten classes", at_least(0)},
      {key + "w_pc", &o.w_pc, "weight of prototype consistency (L_pc)", at_least(0)},
      {key + "w_dis", &o.w_dis, "masks: weight of the distillation (L_dis)", at_least(0)},
      {key + "w_in_p", &o.w_in_p, "attraction to the own prototype (L_in^p), times lambda_p",
       at_least(0)},
      {key + "w_ex_p", &o.w_ex_p, "separation of class means (L_ex^p), times lambda_p",
       at_least(0)},
      {key + "w_in_d", &o.w_in_d, "dispersion of forgotten classes (L_in^d), times lambda_d",
       at_least(0)},
      {key + "w_ex_d", &o.w_ex_d,
       "masks: forgotten pixels towards the background (L_ex^d), times lambda_d", at_least(0)},
      formerly_value("unbiased_drop_deleted", "unbiased_drop_forgotten",
                     {key + "ce",
                      &o.ce,
                      "masks: loss of the new classes: plain, MiB's unbiased, the same without "
                      "forgotten classes "
                      "in the background, or plain on pseudo labels",
                      {},
                      {"auto", "plain", "unbiased", "unbiased_drop_forgotten", "pseudo"}}),
      {key + "dis",
       &o.dis,
       "masks: distillation on kept classes: MiB's unbiased, LwF's, or the printed sum",
       {},
       {"auto", "unbiased_star", "lwf_star", "literal"}},
      {key + "dis_star",
       &o.dis_star,
       "masks: channels of forgotten classes in the distillation: pushed down (the printed sum) or "
       "left alone, so that only the other terms forget",
       {},
       {"drop", "restrict"}},
      {key + "cls_sf", &o.cls_sf, "weight of L_SF on codes of kept classes; the printed sum has 0",
       at_least(0)},
      {key + "distance",
       &o.distance,
       "of features to prototypes; fro = one norm over all rows of a class, where pixel_reduce and "
       "inv_mode do not act",
       {},
       {"auto", "l2", "mse", "fro"}},
      {key + "pixel_reduce",
       &o.pixel_reduce,
       "over the rows of a class",
       {},
       {"auto", "mean", "sum"}},
      {key + "class_scope",
       &o.class_scope,
       "masks: whose rows a class has: those of the batch, or of one image (mean over "
       "the images that show it)",
       {},
       {"auto", "batch", "image"}},
      {key + "inv_mode",
       &o.inv_mode,
       "L_in^d: inverse of every row's distance, or of the class's",
       {},
       {"per_pixel", "per_class"}},
      {key + "dist_floor", &o.dist_floor, "smallest distance whose inverse is taken", above(0)},
      {key + "ex_p_reduce",
       &o.ex_p_reduce,
       "L_ex^p: sum over partners per kept class, or mean over pairs",
       {},
       {"auto", "printed", "pairs"}},
      formerly_value("no_deleted", "no_forgotten",
                     {key + "ex_p_partner",
                      &o.ex_p_partner,
                      "L_ex^p: whether forgotten classes are partners",
                      {},
                      {"all", "no_forgotten"}}),
      {key + "pc_classes",
       &o.pc_classes,
       "L_pc: old classes whose prototype is held; auto = preserved, for masks of presets other "
       "than tuned all_old",
       {},
       {"auto", "all_old", "preserved"}},
      {key + "spaces", &o.spaces, "feature spaces of L_in^d: F and its projections F*, F**"},
      {key + "proj_trainable", &o.proj_trainable, "whether the projections are trained"},
      {key + "proj_kernel", &o.proj_kernel,
       "masks: 1 = pixels are projected one by one, 3 = over their neighbours", between(1, 3)},
      {key + "proj_prototype",
       &o.proj_prototype,
       "masks: prototypes of a projected space: the projected ones, or running ones of its own",
       {},
       {"projected", "running"}},
      {key + "features_l2norm", &o.features_l2norm,
       "features of unit length; auto = yes for images, no for masks"},
      {key + "bg_in_keep", &o.bg_in_keep,
       "masks: whether background is compacted and, with ex_p_reduce = printed, an anchor of "
       "L_ex^p"},
      {key + "pseudo_threshold", &o.pseudo_threshold,
       "masks: the old model's answers below this probability are no pseudo labels",
       at_least_below(0, 1)},
      {key + "cls_mixed_features", &o.cls_mixed_features,
       "whether images mixed with codes count as samples of their class"},
      formerly(key + "deleted_mix", {key + "forgotten_mix", &o.forgotten_mix,
                                     "m > 0: forgotten inputs are lambda x + (1 - lambda) code "
                                     "with lambda ~ U[0, m]; a request "
                                     "without images has the codes alone",
                                     between(0, 1)}),
      {key + "first_task_terms", &o.first_task_terms,
       "contrastive terms in the first task as well"},
      {key + "proto_update",
       &o.proto_update,
       "how a batch enters a prototype",
       {},
       {"auto", "pixel_count", "iteration", "ema"}},
      only_with("method.contrastive.proto_update = \"ema\"",
                [&o] { return o.proto_update == "ema"; },
                {key + "proto_momentum", &o.proto_momentum, "momentum of proto_update = ema",
                 at_least_below(0, 1)}),
      {key + "proto_weighting",
       &o.proto_weighting,
       "masks: a class's mean over all its pixels, or over the means of its images",
       {},
       {"auto", "pixel", "image"}},
      {key + "proto_window",
       &o.proto_window,
       "which rows a prototype holds: those of the last epoch, or all; auto = last_epoch, for "
       "masks "
       "all",
       {},
       {"auto", "last_epoch", "all"}},
      {key + "proto_labels_old",
       &o.proto_labels_old,
       "prototypes of old classes: frozen, or updated by their codes or pseudo labels; auto = "
       "frozen, for masks pseudo",
       {},
       {"auto", "frozen", "pseudo"}},
      {key + "proto_background", &o.proto_background,
       "masks: whether background has a prototype (L_ex^d needs it)"},
  };
}

const std::vector<std::string>& mask_only_keys() {
  static const std::vector<std::string> keys = {"method.contrastive.w_dis",
                                                "method.contrastive.w_ex_d",
                                                "method.contrastive.ce",
                                                "method.contrastive.dis",
                                                "method.contrastive.dis_star",
                                                "method.contrastive.class_scope",
                                                "method.contrastive.proj_kernel",
                                                "method.contrastive.proj_prototype",
                                                "method.contrastive.bg_in_keep",
                                                "method.contrastive.pseudo_threshold",
                                                "method.contrastive.proto_weighting",
                                                "method.contrastive.proto_background"};
  return keys;
}

const std::vector<std::string>& image_only_keys() {
  static const std::vector<std::string> keys = {"method.contrastive.cls_sf",
                                                "method.contrastive.cls_mixed_features",
                                                "method.contrastive.forgotten_mix"};
  return keys;
}

void ContrastiveOptions::resolve(const DatasetInfo& info) {
  for (const auto& space : spaces) {
    space_index(space);
    if (std::count(spaces.begin(), spaces.end(), space) > 1)
      throw_error<ConfigError>("method.contrastive.spaces: '{}' stands twice", space);
  }
  if (spaces.empty())
    throw ConfigError("method.contrastive.spaces: is empty; w_in_d = 0 switches dispersion off");
  if (proj_kernel == 2) throw ConfigError("method.contrastive.proj_kernel = 2: must be 1 or 3");
  if (proj_kernel == 3 && proj_prototype != "running")
    throw ConfigError(
        "method.contrastive.proj_kernel = 3: a prototype alone has no neighbours; set "
        "method.contrastive.proj_prototype = \"running\"");
  const bool masks = info.problem == Problem::kMasks;
  if (masks && !proto_background && w_ex_d > 0)
    log_warning(
        "method.contrastive.proto_background = false: L_ex^d has no prototype to draw to and is "
        "left out");
  const auto& image = find_preset(kImagePresets, preset);
  const auto& mask = find_preset(kMaskPresets, preset);
  const Preset& found = masks ? static_cast<const Preset&>(mask) : image;
  set_default(lambda_p, found.lambda_p);
  set_default(lambda_d, found.lambda_d);
  set_default(w_pc, found.w_pc);
  set_default(distance, found.distance);
  set_default(pixel_reduce, found.pixel_reduce);
  set_default(ex_p_reduce, found.ex_p_reduce);
  set_default(proto_update, found.proto_update);
  set_default(cls_sf, image.cls_sf);
  set_default(w_dis, mask.w_dis);
  set_default(ce, mask.ce);
  set_default(dis, mask.dis);
  set_default(class_scope, mask.class_scope);
  set_default(proto_weighting, mask.proto_weighting);
  set_default(pc_classes, masks ? mask.pc_classes : "preserved");
  set_default(features_l2norm, !masks);
  set_default(proto_window, masks ? "all" : "last_epoch");
  set_default(proto_labels_old, masks ? "pseudo" : "frozen");
}

}  // namespace lethe
