#include "lethe/method/contrastive/contrastive_options.h"

#include <algorithm>
#include <array>

#include "lethe/core/error.h"
#include "lethe/core/log.h"

namespace lethe {

namespace {

// The values that a preset sets: specification 7.4. "tuned" comes from our searches on held-out
// images (docs/methods/contrastive.md).
struct Preset {
  ContrastivePreset preset;
  double lambda_p, lambda_d, w_pc;
  Distance distance;
  RowReduce pixel_reduce;
  PairReduce ex_p_reduce;
  PrototypeUpdate proto_update;
};
struct ImagePreset : Preset {
  double cls_sf;
  ClassSource cls_source;
};
struct MaskPreset : Preset {
  double w_dis;
  MaskLossForm ce;
  DisForm dis;
  GroupScope class_scope;
  GroupScope proto_weighting;
  OldClasses pc_classes;
};

// clang-format off
constexpr std::array<ImagePreset, 4> kImagePresets = {{
    {{ContrastivePreset::kTuned, 0.01, 1, 0.1, Distance::kL2, RowReduce::kMean,
      PairReduce::kPrinted, PrototypeUpdate::kPixelCount}, 10, ClassSource::kStatistics},
    {{ContrastivePreset::kPrint, 0.001, 0.001, 1, Distance::kL2, RowReduce::kSum,
      PairReduce::kPrinted, PrototypeUpdate::kIteration}, 0, ClassSource::kCodes},
    {{ContrastivePreset::kSdrLike, 0.001, 0.001, 0.01, Distance::kMse, RowReduce::kMean,
      PairReduce::kPairs, PrototypeUpdate::kPixelCount}, 0, ClassSource::kCodes},
    {{ContrastivePreset::kLwfBase, 0.001, 0.001, 0.01, Distance::kMse, RowReduce::kMean,
      PairReduce::kPairs, PrototypeUpdate::kPixelCount}, 0, ClassSource::kCodes},
}};
constexpr std::array<MaskPreset, 4> kMaskPresets = {{
    {{ContrastivePreset::kTuned, 0.001, 0.01, 0.01, Distance::kMse, RowReduce::kMean,
      PairReduce::kPairs, PrototypeUpdate::kPixelCount},
     10, MaskLossForm::kPseudo, DisForm::kUnbiasedStar, GroupScope::kBatch, GroupScope::kBatch,
     OldClasses::kKept},
    {{ContrastivePreset::kPrint, 0.001, 0.001, 1, Distance::kL2, RowReduce::kSum,
      PairReduce::kPrinted, PrototypeUpdate::kIteration},
     1, MaskLossForm::kPlain, DisForm::kLiteral, GroupScope::kImage, GroupScope::kImage,
     OldClasses::kAll},
    {{ContrastivePreset::kSdrLike, 0.001, 0.001, 0.01, Distance::kMse, RowReduce::kMean,
      PairReduce::kPairs, PrototypeUpdate::kPixelCount},
     100, MaskLossForm::kUnbiased, DisForm::kUnbiasedStar, GroupScope::kBatch, GroupScope::kBatch,
     OldClasses::kAll},
    {{ContrastivePreset::kLwfBase, 0.001, 0.001, 0.01, Distance::kMse, RowReduce::kMean,
      PairReduce::kPairs, PrototypeUpdate::kPixelCount},
     100, MaskLossForm::kPlain, DisForm::kLwfStar, GroupScope::kBatch, GroupScope::kBatch,
     OldClasses::kAll},
}};
// clang-format on

template <typename T, size_t N>
const T& find_preset(const std::array<T, N>& presets, ContrastivePreset preset) {
  return *std::find_if(presets.begin(), presets.end(),
                       [&](const T& candidate) { return candidate.preset == preset; });
}

template <typename T>
void set_default(std::optional<T>& value, T meaning) {
  if (!value) value = meaning;
}

// Names in configurations.
const ChoiceNames<ContrastivePreset> kPresets = {{ContrastivePreset::kTuned, "tuned"},
                                                 {ContrastivePreset::kPrint, "print"},
                                                 {ContrastivePreset::kSdrLike, "sdr_like"},
                                                 {ContrastivePreset::kLwfBase, "lwf_base"}};
const ChoiceNames<DisForm> kDisForms = {{DisForm::kUnbiasedStar, "unbiased_star"},
                                        {DisForm::kLwfStar, "lwf_star"},
                                        {DisForm::kLiteral, "literal"}};
const ChoiceNames<StarForm> kDisStars = {{StarForm::kDrop, "drop"},
                                         {StarForm::kRestrict, "restrict"}};
const ChoiceNames<Distance> kDistances = {
    {Distance::kL2, "l2"}, {Distance::kMse, "mse"}, {Distance::kFrobenius, "fro"}};
const ChoiceNames<RowReduce> kRowReduces = {{RowReduce::kMean, "mean"}, {RowReduce::kSum, "sum"}};
const ChoiceNames<GroupScope> kClassScopes = {{GroupScope::kBatch, "batch"},
                                              {GroupScope::kImage, "image"}};
const ChoiceNames<Inverse> kInverses = {{Inverse::kPerRow, "per_pixel"},
                                        {Inverse::kPerClass, "per_class"}};
const ChoiceNames<PairReduce> kPairReduces = {{PairReduce::kPrinted, "printed"},
                                              {PairReduce::kPairs, "pairs"}};
const ChoiceNames<ExPPartner> kPartners = {{ExPPartner::kAll, "all"},
                                           {ExPPartner::kNoForgotten, "no_forgotten"}};
const ChoiceNames<OldClasses> kPcClasses = {{OldClasses::kAll, "all_old"},
                                            {OldClasses::kKept, "kept"}};
const ChoiceNames<ClassSource> kSources = {{ClassSource::kCodes, "codes"},
                                           {ClassSource::kStatistics, "statistics"}};
const ChoiceNames<SpaceName> kSpaces = {
    {SpaceName::kF, "F"}, {SpaceName::kFStar, "F*"}, {SpaceName::kFStarStar, "F**"}};
const ChoiceNames<SpacePrototypes> kSpacePrototypes = {{SpacePrototypes::kProjected, "projected"},
                                                       {SpacePrototypes::kRunning, "running"}};
const ChoiceNames<PrototypeUpdate> kUpdates = {{PrototypeUpdate::kPixelCount, "pixel_count"},
                                               {PrototypeUpdate::kIteration, "iteration"},
                                               {PrototypeUpdate::kEma, "ema"}};
const ChoiceNames<GroupScope> kWeightings = {{GroupScope::kBatch, "pixel"},
                                             {GroupScope::kImage, "image"}};
const ChoiceNames<PrototypeWindow> kWindows = {{PrototypeWindow::kLastEpoch, "last_epoch"},
                                               {PrototypeWindow::kAll, "all"}};
const ChoiceNames<OldPrototypes> kOldPrototypes = {{OldPrototypes::kFrozen, "frozen"},
                                                   {OldPrototypes::kPseudo, "pseudo"}};

// "F" is 0, "F*" 1, "F**" 2.
size_t index_of(SpaceName space) { return static_cast<size_t>(space); }

}  // namespace

Fields config_fields(ContrastiveOptions& o) {
  const std::string key = "method.contrastive.";
  const auto masks_only = [](Field field) { return only_for(Problem::kMasks, std::move(field)); };
  const auto images_only = [](Field field) { return only_for(Problem::kImages, std::move(field)); };
  // Terms of kept classes act in the first task only if they are asked for.
  const auto term = [&o](Field field) {
    return after_first_task(std::move(field), !o.first_task_terms);
  };
  return {
      // It acts through the values that it sets.
      common(after_first_task(
          {key + "preset", choice(&o.preset, kPresets),
           "set of defaults for the keys below: print = the formulas as printed in the paper, "
           "sdr_like = as in SDR's code, lwf_base = LwF losses, tuned = the result of our "
           "search"})),
      common(term({key + "lambda_p", &o.lambda_p,
                   "weight of the terms that pull each kept class together and push kept classes "
                   "apart (L_in^p, L_ex^p)",
                   at_least(0)})),
      common(after_first_task(
          {key + "lambda_d", &o.lambda_d,
           "weight of the terms that disperse forgotten classes (L_in^d, L_ex^d)", at_least(0)})),
      after_first_task(
          {key + "w_pc", &o.w_pc, "weight of prototype consistency (L_pc)", at_least(0)}),
      masks_only(
          after_first_task({key + "w_dis", &o.w_dis,
                            "segmentation: weight of the distillation (L_dis)", at_least(0)})),
      term({key + "w_in_p", &o.w_in_p,
            "weight of the attraction to the class prototype (L_in^p), multiplied by lambda_p",
            at_least(0)}),
      term({key + "w_ex_p", &o.w_ex_p,
            "weight of the separation of class means (L_ex^p), multiplied by lambda_p",
            at_least(0)}),
      after_first_task(
          {key + "w_in_d", &o.w_in_d,
           "weight of the dispersion of forgotten classes (L_in^d), multiplied by lambda_d",
           at_least(0)}),
      masks_only(after_first_task(
          {key + "w_ex_d", &o.w_ex_d,
           "segmentation: weight of pulling forgotten pixels towards the background prototype "
           "(L_ex^d), multiplied by lambda_d",
           at_least(0)})),
      common(masks_only(after_first_task(formerly_value(
          "unbiased_drop_deleted", "unbiased_drop_forgotten",
          {key + "ce", choice(&o.ce, mask_loss_names()),
           "segmentation: cross-entropy of the new classes: plain, unbiased (MiB), unbiased "
           "without forgotten classes in the background, or plain on pseudo labels"})))),
      masks_only(after_first_task(
          {key + "dis", choice(&o.dis, kDisForms),
           "segmentation: distillation on kept classes: unbiased (MiB), LwF, or the formula "
           "printed in the paper"})),
      masks_only(after_first_task(
          {key + "dis_star", choice(&o.dis_star, kDisStars),
           "segmentation: effect of the distillation on the outputs of forgotten classes: drop = "
           "it lowers them (as in the paper's formula), restrict = none, so that only the other "
           "terms cause forgetting"})),
      images_only(after_first_task(
          {key + "cls_sf", &o.cls_sf,
           "classification: weight of the loss on codes of kept classes (L_SF); 0 = without it, as "
           "in the paper's formula",
           at_least(0)})),
      term({key + "distance", choice(&o.distance, kDistances),
            "distance between features and prototypes; fro = one Frobenius norm over all feature "
            "vectors of a class (ignores pixel_reduce and inv_mode)"}),
      term({key + "pixel_reduce", choice(&o.pixel_reduce, kRowReduces),
            "reduction over the feature vectors of a class (segmentation: over its pixels)"}),
      masks_only(
          term({key + "class_scope", choice(&o.class_scope, kClassScopes),
                "segmentation: group the pixels of a class over the whole batch, or per image "
                "(then averaged over the images that contain the class)"})),
      after_first_task(
          {key + "inv_mode", choice(&o.inv_mode, kInverses),
           "L_in^d: per_pixel = invert the distance of each feature vector, then reduce "
           "(pixel_reduce); per_class = reduce the distances of a class, then invert"}),
      term({key + "dist_floor", &o.dist_floor, "lower bound of distances before they are inverted",
            above(0)}),
      term({key + "ex_p_reduce", choice(&o.ex_p_reduce, kPairReduces),
            "L_ex^p: printed = sum over the other classes for each kept class, pairs = mean over "
            "all pairs"}),
      term(formerly_value("no_deleted", "no_forgotten",
                          {key + "ex_p_partner", choice(&o.ex_p_partner, kPartners),
                           "L_ex^p: whether kept classes are also separated from forgotten "
                           "classes; auto = no_forgotten (preset print: all)"})),
      after_first_task(formerly_value(
          "preserved", "kept",
          {key + "pc_classes", choice(&o.pc_classes, kPcClasses),
           "L_pc: which old classes it applies to; auto = kept (segmentation with a preset other "
           "than tuned: all_old)"})),
      {key + "spaces", choice_list(&o.spaces, kSpaces),
       "feature spaces of L_in^d: F and its projections F*, F**"},
      {key + "proj_trainable", &o.proj_trainable, "whether the projections are trained"},
      masks_only({key + "proj_kernel", &o.proj_kernel,
                  "segmentation: kernel size of the projections, 1 or 3", between(1, 3)}),
      masks_only({key + "proj_prototype", choice(&o.proj_prototype, kSpacePrototypes),
                  "segmentation: prototypes in the projected spaces: project the stored "
                  "prototypes, or keep separate running means"}),
      {key + "features_l2norm", &o.features_l2norm,
       "normalise features to unit length; auto = yes for classification, no for segmentation"},
      masks_only(term({key + "bg_in_keep", &o.bg_in_keep,
                       "segmentation: treat background as a kept class in L_in^p and, with "
                       "ex_p_reduce = printed, in L_ex^p"})),
      masks_only(after_first_task(
          {key + "pseudo_threshold", &o.pseudo_threshold,
           "segmentation: minimum probability for using the old model's prediction as a pseudo "
           "label",
           at_least_below(0, 1)})),
      images_only(
          {key + "cls_source", choice(&o.cls_source, kSources),
           "classification: what represents old classes: codes = mnemonic codes; statistics = only "
           "their stored prototypes, then nothing is mixed into images, [method.code] and "
           "cls_sf have no effect, and a request needs images; auto = statistics with preset = "
           "tuned, else codes"}),
      images_only(term({key + "cls_mixed_features", &o.cls_mixed_features,
                        "classification: whether to use images mixed with codes as samples of "
                        "their class in the contrastive terms"})),
      images_only(after_first_task(formerly(
          key + "deleted_mix",
          {key + "forgotten_mix", &o.forgotten_mix,
           "classification: the codes of forgotten classes are mixed with images x, lambda x + (1 "
           "- "
           "lambda) code with lambda ~ U[0, m]; this key is m; 0 = no mixing; a request without "
           "images uses the codes alone",
           between(0, 1)}))),
      {key + "first_task_terms", &o.first_task_terms,
       "also use the contrastive terms in the first task"},
      {key + "proto_update", choice(&o.proto_update, kUpdates),
       "prototype update: pixel_count = mean over all feature vectors, iteration = mean over "
       "batches, ema = exponential moving average"},
      only_with("method.contrastive.proto_update = \"ema\"",
                [&o] { return o.proto_update == PrototypeUpdate::kEma; },
                {key + "proto_momentum", &o.proto_momentum,
                 "momentum of the moving average if proto_update = ema", at_least_below(0, 1)}),
      masks_only({key + "proto_weighting", choice(&o.proto_weighting, kWeightings),
                  "segmentation: average a class over all its pixels, or first per image and then "
                  "over images"}),
      {key + "proto_window", choice(&o.proto_window, kWindows),
       "which epochs a prototype is averaged over: the last one, or all; auto = last_epoch "
       "(segmentation: all)"},
      after_first_task({key + "proto_labels_old", choice(&o.proto_labels_old, kOldPrototypes),
                        "prototypes of old classes: frozen, or pseudo = updated from codes "
                        "(segmentation: from pseudo labels); auto = frozen (segmentation: "
                        "pseudo)"}),
      masks_only({key + "proto_background", &o.proto_background,
                  "segmentation: whether background has a prototype (L_ex^d needs it)"}),
  };
}

void ContrastiveOptions::resolve(const DatasetInfo& info) {
  for (const auto space : spaces) {
    if (std::count(spaces.begin(), spaces.end(), space) > 1)
      throw_error<ConfigError>("method.contrastive.spaces: '{}' is listed twice",
                               name_of(space, kSpaces));
  }
  if (spaces.empty())
    throw ConfigError("method.contrastive.spaces: is empty; w_in_d = 0 switches dispersion off");
  if (proj_kernel == 2) throw ConfigError("method.contrastive.proj_kernel = 2: must be 1 or 3");
  if (proj_kernel == 3 && proj_prototype != SpacePrototypes::kRunning)
    throw ConfigError(
        "method.contrastive.proj_kernel = 3: a prototype alone has no neighbours; set "
        "method.contrastive.proj_prototype = \"running\"");
  const bool masks = info.problem == Problem::kMasks;
  if (masks && !proto_background && w_ex_d > 0)
    log_warning(
        "method.contrastive.proto_background = false: L_ex^d needs the prototype of background and "
        "is skipped");
  const auto& image = find_preset(kImagePresets, preset);
  const auto& mask = find_preset(kMaskPresets, preset);
  const Preset& found = masks ? static_cast<const Preset&>(mask) : image;
  set_default(lambda_p, found.lambda_p);
  set_default(lambda_d, found.lambda_d);
  set_default(w_pc, found.w_pc);
  set_default(distance, found.distance);
  set_default(pixel_reduce, found.pixel_reduce);
  set_default(ex_p_reduce, found.ex_p_reduce);
  set_default(ex_p_partner,
              preset == ContrastivePreset::kPrint ? ExPPartner::kAll : ExPPartner::kNoForgotten);
  set_default(proto_update, found.proto_update);
  set_default(cls_sf, image.cls_sf);
  set_default(cls_source, masks ? ClassSource::kCodes : image.cls_source);  // masks have pixels
  set_default(w_dis, mask.w_dis);
  set_default(ce, mask.ce);
  set_default(dis, mask.dis);
  set_default(class_scope, mask.class_scope);
  set_default(proto_weighting, mask.proto_weighting);
  set_default(pc_classes, masks ? mask.pc_classes : OldClasses::kKept);
  set_default(features_l2norm, !masks);
  set_default(proto_window, masks ? PrototypeWindow::kAll : PrototypeWindow::kLastEpoch);
  set_default(proto_labels_old, masks ? OldPrototypes::kPseudo : OldPrototypes::kFrozen);
}

bool ContrastiveOptions::uses_codes() const {
  const auto by_default = find_preset(kImagePresets, preset).cls_source;
  return cls_source.value_or(by_default) == ClassSource::kCodes;
}

ContrastiveSettings ContrastiveOptions::settings() const {
  ContrastiveSettings made;
  made.weights = {.in_p = lambda_p.value() * w_in_p,
                  .ex_p = lambda_p.value() * w_ex_p,
                  .in_d = lambda_d.value() * w_in_d,
                  .ex_d = lambda_d.value() * w_ex_d,
                  .pc = w_pc.value()};
  made.first_task_terms = first_task_terms;
  made.loss = {.distance = distance.value(),
               .reduce = pixel_reduce.value(),
               .inverse = inv_mode,
               .floor = dist_floor};
  made.ex_p_reduce = ex_p_reduce.value();
  made.ex_p_forgotten = ex_p_partner.value() == ExPPartner::kAll;
  made.ex_p_stored = cls_source.value() == ClassSource::kStatistics;
  made.pc_classes = pc_classes.value();
  made.background_in_keep = bg_in_keep;
  made.background_prototype = proto_background;
  made.spaces.clear();
  for (const auto space : spaces) made.spaces.push_back(index_of(space));
  made.projections = {.depth = *std::max_element(made.spaces.begin(), made.spaces.end()),
                      .kernel = proj_kernel,
                      .trainable = proj_trainable};
  made.running_spaces = proj_prototype == SpacePrototypes::kRunning;
  made.prototypes = {.update = proto_update.value(), .momentum = proto_momentum};
  made.restart_every_epoch = proto_window == PrototypeWindow::kLastEpoch;
  return made;
}

CodeRowOptions ContrastiveOptions::code_rows() const {
  const auto own = settings();
  const auto& weights = own.weights;
  const bool partners = weights.ex_p > 0 && own.ex_p_forgotten;
  const bool consistent = weights.pc > 0 && own.pc_classes == OldClasses::kAll;
  return {
      .unit_length = features_l2norm.value(),
      .mixed_images = cls_mixed_features,
      .kept_codes = weights.pc > 0 || weights.in_p > 0 || weights.ex_p > 0,
      .forgotten_codes = weights.in_d > 0 || weights.ex_d > 0 || partners || consistent,
      .forgotten_mix = forgotten_mix,
      .update_old = proto_labels_old == OldPrototypes::kPseudo,
  };
}

StatisticRowOptions ContrastiveOptions::statistic_rows(double scale) const {
  return {.unit_length = features_l2norm.value(), .scale = scale};
}

PixelRowOptions ContrastiveOptions::pixel_rows() const {
  return {
      .unit_length = features_l2norm.value(),
      .pseudo_threshold = pseudo_threshold,
      .scope = class_scope.value(),
      .weighting = proto_weighting.value(),
      .update_old = proto_labels_old == OldPrototypes::kPseudo,
      .update_background = proto_background,
  };
}

// Specification 5.14.2.
MaskDistillationOptions ContrastiveOptions::distillation() const {
  return {.mass = dis == DisForm::kUnbiasedStar ? StudentMass::kUnbiased : StudentMass::kOld,
          .star = dis_star,
          .norm = dis == DisForm::kLiteral ? StarNorm::kNone : StarNorm::kKept};
}

}  // namespace lethe
