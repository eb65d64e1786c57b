// The options of the contrastive method, and the presets that fill what is not set.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lethe/core/config.h"
#include "lethe/data/dataset.h"

namespace lethe {

// [method.contrastive]: "auto" and unset values follow from the preset (specification 7.4).
struct ContrastiveOptions {
  static constexpr const char* kSection = "contrastive";
  std::string preset = "tuned";

  std::optional<double> lambda_p, lambda_d;  // of what stays, of what must go
  std::optional<double> w_pc, w_dis;
  double w_in_p = 1, w_ex_p = 1, w_in_d = 1, w_ex_d = 1;  // within their lambda; 0 = off
  std::optional<double> cls_sf;                           // L_SF on codes of kept classes
  std::string ce = "auto", dis = "auto";                  // masks: forms of L_ce and L_dis
  std::string dis_star = "drop";                          // masks: forgotten channels in L_dis

  std::string distance = "auto";
  std::string pixel_reduce = "auto";
  std::string class_scope = "auto";
  std::string inv_mode = "per_pixel";
  double dist_floor = 1e-2;
  std::string ex_p_reduce = "auto";
  std::string ex_p_partner = "all";
  std::string pc_classes = "auto";

  std::vector<std::string> spaces = {"F", "F*", "F**"};  // of L_in^d
  bool proj_trainable = true;
  int64_t proj_kernel = 1;
  std::string proj_prototype = "projected";
  std::optional<bool> features_l2norm;
  bool cls_mixed_features = true;
  bool bg_in_keep = true;
  double pseudo_threshold = 0;
  double forgotten_mix = 0;
  bool first_task_terms = false;

  std::string proto_update = "auto";
  double proto_momentum = 0.9;
  std::string proto_weighting = "auto";
  std::string proto_window = "auto";
  std::string proto_labels_old = "auto";
  bool proto_background = true;

  void resolve(const DatasetInfo& info);
};
Fields config_fields(ContrastiveOptions& options);

// Keys that act on one kind of data only: refused where they would do nothing.
const std::vector<std::string>& mask_only_keys();
const std::vector<std::string>& image_only_keys();

// "F" is 0, "F*" 1, "F**" 2. Throws ConfigError for any other.
size_t space_index(const std::string& name);
// How many projections the spaces need.
size_t projection_depth(const ContrastiveOptions& options);

}  // namespace lethe
