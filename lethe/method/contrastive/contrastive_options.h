// The options of the contrastive method, and the presets that supply the values the user does not
// set.
#pragma once

#include <optional>
#include <vector>

#include "lethe/core/config.h"
#include "lethe/data/dataset.h"
#include "lethe/losses/mask_distillation.h"
#include "lethe/method/contrastive/code_rows.h"
#include "lethe/method/contrastive/contrastive.h"
#include "lethe/method/contrastive/pixel_rows.h"
#include "lethe/method/contrastive/statistic_rows.h"
#include "lethe/method/mask_loss.h"

namespace lethe {

enum class ContrastivePreset { kTuned, kPrint, kSdrLike, kLwfBase };
enum class DisForm { kUnbiasedStar, kLwfStar, kLiteral };  // L_dis of segmentation
enum class ExPPartner { kAll, kNoForgotten };
// What represents old classes in classification.
enum class ClassSource {
  kCodes,       // mnemonic codes
  kStatistics,  // their stored prototypes alone
};
enum class SpaceName { kF, kFStar, kFStarStar };
enum class SpacePrototypes { kProjected, kRunning };
enum class PrototypeWindow { kLastEpoch, kAll };
enum class OldPrototypes { kFrozen, kPseudo };

// [method.contrastive]. The preset supplies every value that is not set here (specification 7.4).
struct ContrastiveOptions {
  static constexpr const char* kSection = "contrastive";
  ContrastivePreset preset = ContrastivePreset::kTuned;

  std::optional<double> lambda_p, lambda_d;  // weights of the terms of kept and forgotten classes
  std::optional<double> w_pc, w_dis;
  double w_in_p = 1, w_ex_p = 1, w_in_d = 1, w_ex_d = 1;  // multiplied by lambda; 0 = off
  std::optional<double> cls_sf;         // classification: weight of L_SF on codes of kept classes
  std::optional<MaskLossForm> ce;       // segmentation: L_ce
  std::optional<DisForm> dis;           // segmentation: L_dis
  StarForm dis_star = StarForm::kDrop;  // segmentation: how L_dis treats forgotten classes

  std::optional<Distance> distance;
  std::optional<RowReduce> pixel_reduce;
  std::optional<GroupScope> class_scope;
  Inverse inv_mode = Inverse::kPerRow;
  double dist_floor = 1e-2;
  std::optional<PairReduce> ex_p_reduce;
  std::optional<ExPPartner> ex_p_partner;
  std::optional<OldClasses> pc_classes;

  std::vector<SpaceName> spaces = {SpaceName::kF, SpaceName::kFStar, SpaceName::kFStarStar};
  bool proj_trainable = true;
  int64_t proj_kernel = 1;
  SpacePrototypes proj_prototype = SpacePrototypes::kProjected;
  std::optional<bool> features_l2norm;
  std::optional<ClassSource> cls_source;
  bool cls_mixed_features = true;
  bool bg_in_keep = true;
  double pseudo_threshold = 0;
  double forgotten_mix = 0;
  bool first_task_terms = false;

  std::optional<PrototypeUpdate> proto_update;
  double proto_momentum = 0.9;
  std::optional<GroupScope> proto_weighting;
  std::optional<PrototypeWindow> proto_window;
  std::optional<OldPrototypes> proto_labels_old;
  bool proto_background = true;

  void resolve(const DatasetInfo& info);

  // Classification: whether mnemonic codes represent old classes. Also before resolve().
  bool uses_codes() const;

  // The options of the parts, after resolve().
  ContrastiveSettings settings() const;
  CodeRowOptions code_rows() const;
  StatisticRowOptions statistic_rows(double scale) const;
  PixelRowOptions pixel_rows() const;
  MaskDistillationOptions distillation() const;
};
Fields config_fields(ContrastiveOptions& options);

}  // namespace lethe
