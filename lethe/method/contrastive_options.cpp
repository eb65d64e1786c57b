#include "lethe/method/contrastive_options.h"

#include <algorithm>
#include <array>

#include "lethe/core/error.h"

namespace lethe {

namespace {

// What "auto" means: methods.md 7.4, and "tuned" from our own search on held-out images
// (docs/methods/contrastive.md).
struct Preset {
  const char* name;
  double lambda_p, lambda_d, w_pc, cls_sf;
  const char* distance;
  const char* pixel_reduce;
  const char* ex_p_reduce;
  const char* proto_update;
};
constexpr std::array<Preset, 4> kPresets = {{
    {"tuned", 0.01, 10, 0.1, 10, "l2", "mean", "printed", "pixel_count"},
    {"print", 0.001, 0.001, 1, 0, "l2", "sum", "printed", "iteration"},
    {"sdr_like", 0.001, 0.001, 0.01, 0, "mse", "mean", "pairs", "pixel_count"},
    {"lwf_base", 0.001, 0.001, 0.01, 0, "mse", "mean", "pairs", "pixel_count"},
}};
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
      {key + "w_in_p", &o.w_in_p, "attraction to the own prototype (L_in^p), times lambda_p",
       at_least(0)},
      {key + "w_ex_p", &o.w_ex_p, "separation of class means (L_ex^p), times lambda_p",
       at_least(0)},
      {key + "w_in_d", &o.w_in_d, "dispersion of forgotten classes (L_in^d), times lambda_d",
       at_least(0)},
      {key + "cls_sf", &o.cls_sf, "weight of L_SF on codes of kept classes; the printed sum has 0",
       at_least(0)},
      {key + "distance",
       &o.distance,
       "of features to prototypes",
       {},
       {"auto", "l2", "mse", "fro"}},
      {key + "pixel_reduce",
       &o.pixel_reduce,
       "over the rows of a class",
       {},
       {"auto", "mean", "sum"}},
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
      {key + "ex_p_partner",
       &o.ex_p_partner,
       "L_ex^p: whether forgotten classes are partners",
       {},
       {"all", "no_deleted"}},
      {key + "pc_classes",
       &o.pc_classes,
       "L_pc: old classes whose prototype is held; auto = preserved",
       {},
       {"auto", "all_old", "preserved"}},
      {key + "spaces", &o.spaces, "feature spaces of L_in^d: F and its projections F*, F**"},
      {key + "proj_trainable", &o.proj_trainable, "whether the projections are trained"},
      {key + "features_l2norm", &o.features_l2norm, "features of unit length"},
      {key + "cls_mixed_features", &o.cls_mixed_features,
       "whether images mixed with codes count as samples of their class"},
      {key + "deleted_mix", &o.deleted_mix,
       "m > 0: forgotten inputs are lambda x + (1 - lambda) code with lambda ~ U[0, m]",
       between(0, 1)},
      {key + "first_task_terms", &o.first_task_terms,
       "contrastive terms in the first task as well"},
      {key + "proto_update",
       &o.proto_update,
       "how a batch enters a prototype",
       {},
       {"auto", "pixel_count", "iteration", "ema"}},
      {key + "proto_momentum", &o.proto_momentum, "of proto_update = ema", at_least_below(0, 1)},
      {key + "proto_window",
       &o.proto_window,
       "which rows a prototype holds: those of the last epoch, or all",
       {},
       {"last_epoch", "all"}},
      {key + "proto_labels_old",
       &o.proto_labels_old,
       "prototypes of old classes: frozen, or updated by the features of their codes (pseudo)",
       {},
       {"frozen", "pseudo"}},
  };
}

const std::vector<std::string>& mask_only_keys() {
  static const std::vector<std::string> keys = {"method.contrastive.w_dis",
                                                "method.contrastive.w_ex_d",
                                                "method.contrastive.ce",
                                                "method.contrastive.dis",
                                                "method.contrastive.class_scope",
                                                "method.contrastive.proj_kernel",
                                                "method.contrastive.proto_weighting",
                                                "method.contrastive.proto_background"};
  return keys;
}

void ContrastiveOptions::resolve(const DatasetInfo&) {
  for (const auto& space : spaces) {
    space_index(space);
    if (std::count(spaces.begin(), spaces.end(), space) > 1)
      throw_error<ConfigError>("method.contrastive.spaces: '{}' stands twice", space);
  }
  if (spaces.empty())
    throw ConfigError("method.contrastive.spaces: is empty; w_in_d = 0 switches dispersion off");
  const auto* found = std::find_if(kPresets.begin(), kPresets.end(),
                                   [&](const Preset& p) { return p.name == preset; });
  if (found == kPresets.end())
    throw_error<ConfigError>("method.contrastive.preset: unknown preset '{}'", preset);
  if (!lambda_p) lambda_p = found->lambda_p;
  if (!lambda_d) lambda_d = found->lambda_d;
  if (!w_pc) w_pc = found->w_pc;
  if (!cls_sf) cls_sf = found->cls_sf;
  if (distance == "auto") distance = found->distance;
  if (pixel_reduce == "auto") pixel_reduce = found->pixel_reduce;
  if (ex_p_reduce == "auto") ex_p_reduce = found->ex_p_reduce;
  if (proto_update == "auto") proto_update = found->proto_update;
  if (pc_classes == "auto") pc_classes = "preserved";
}

}  // namespace lethe
