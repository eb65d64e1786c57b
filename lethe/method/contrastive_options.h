// The options of the contrastive method, and the presets that fill what is not set.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lethe/core/config.h"
#include "lethe/data/dataset.h"

namespace lethe {

// [method.contrastive]: "auto" and unset values follow from the preset (methods.md 7.4).
struct ContrastiveOptions {
  static constexpr const char* kSection = "contrastive";
  std::string preset = "tuned";

  std::optional<double> lambda_p, lambda_d;  // of what stays, of what must go
  std::optional<double> w_pc;
  double w_in_p = 1, w_ex_p = 1, w_in_d = 1;  // within their lambda; 0 switches a term off
  std::optional<double> cls_sf;               // L_SF on codes of kept classes

  std::string distance = "auto";
  std::string pixel_reduce = "auto";
  std::string inv_mode = "per_pixel";
  double dist_floor = 1e-2;
  std::string ex_p_reduce = "auto";
  std::string ex_p_partner = "all";
  std::string pc_classes = "auto";

  std::vector<std::string> spaces = {"F", "F*", "F**"};  // of L_in^d
  bool proj_trainable = true;
  bool features_l2norm = true;
  bool cls_mixed_features = true;
  double deleted_mix = 0;
  bool first_task_terms = false;

  std::string proto_update = "auto";
  double proto_momentum = 0.9;
  std::string proto_window = "last_epoch";
  std::string proto_labels_old = "frozen";

  void resolve(const DatasetInfo& info);
};
Fields config_fields(ContrastiveOptions& options);

// Keys of the paper's method that act on masks: refused until it works on them.
const std::vector<std::string>& mask_only_keys();

// "F" is 0, "F*" 1, "F**" 2. Throws ConfigError for any other.
size_t space_index(const std::string& name);
// How many projections the spaces need.
size_t projection_depth(const ContrastiveOptions& options);

}  // namespace lethe
