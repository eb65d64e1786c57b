#include "lethe/audit/checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "lethe/audit/closeness.h"
#include "lethe/audit/membership.h"
#include "lethe/audit/recorded_checks.h"
#include "lethe/audit/relearning.h"
#include "lethe/core/error.h"
#include "lethe/model/cosine_head.h"
#include "lethe/model/torch.h"
#include "lethe/report/table.h"

namespace lethe {

namespace {

// The mean over the drawn figures of several classes.
Draws mean_of(const std::vector<Draws>& all) {
  Draws mean;
  for (const auto& own : all) {
    const double share = 1 / static_cast<double>(all.size());
    mean.value += share * own.value;
    mean.values = mean.values.defined() ? mean.values + share * own.values : share * own.values;
  }
  return mean;
}

Draws constant(double value, int64_t draws) {
  return {.value = value, .values = at::full({draws}, value, at::kDouble)};
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// The outcome for |excess| <= margin.
Outcome decide_two_sided(const Excess& excess, double margin) {
  const Excess mirrored{.value = -excess.value, .low = -excess.high, .high = -excess.low};
  const auto above = decide(excess, margin);
  const auto below = decide(mirrored, margin);
  if (above == Outcome::kFailed || below == Outcome::kFailed) return Outcome::kFailed;
  return above == Outcome::kPassed ? below : above;
}

void add_note(CheckRecord& record, const std::string& text) {
  if (!record.note.empty()) record.note += "; ";
  record.note += text;
}

}  // namespace

Checks::Checks(Material& material, const AuditOptions& options)
    : material_(material),
      options_(options),
      seed_(static_cast<uint64_t>(options.seed)),
      resampling_(material.test.unit, material.test.strata(), options.draws, seed_) {}

CheckRecord Checks::start(const std::string& check, const std::string& title,
                          const std::string& figure) const {
  const auto& gate = options_.gate;
  return {.check = check,
          .title = title,
          .figure = figure,
          .gated = std::find(gate.begin(), gate.end(), check) != gate.end()};
}

std::vector<CheckRecord> Checks::run(const std::string& check) {
  if (check == "probe")
    return every_stage(check, "linear probe", "balanced accuracy", options_.probe_margin,
                       [](StageFigures& stage, ClassId id) { return stage.probe(id); });
  if (check == "k-nn")
    return every_stage(check, "10 nearest neighbours", "balanced accuracy",
                       options_.neighbours_margin,
                       [](StageFigures& stage, ClassId id) { return stage.neighbours(id); });
  if (check == "outputs") return outputs();
  if (check == "5-shot") return shots();
  if (check == "graft") return graft();
  if (check == "relearning") return relearning();
  if (check == "membership") return membership();
  if (check == "closer") return closer();
  if (check == "control") return control();
  const auto made = start(check, "", "");
  if (check == "collateral") return collateral_checks(made, material_, options_);
  if (check == "relapse") return relapse_checks(made, material_, options_);
  if (check == "files") return files_checks(made, material_);
  throw_error<ConfigError>("'{}' is not a check; known: {}", check,
                           fmt::join(audit_checks(), ", "));
}

void Checks::judge(CheckRecord& record, double margin) const {
  record.margin = margin;
  record.outcome = decide(*record.excess, margin);
  if (record.outcome == Outcome::kInconclusive)
    add_note(record, what_would_decide(*record.excess, margin, "test " + material_.unit()));
}

CheckRecord Checks::feature_check(CheckRecord record, int64_t stage, double margin,
                                  const PerClass& figure) {
  const bool is_control = record.check == "control";
  const auto& classes = is_control ? material_.kept : material_.forgotten;
  auto& oracles = material_.oracles;
  if (classes.empty() || oracles.empty()) {
    record.outcome = Outcome::kNotMeasured;
    add_note(record, classes.empty() ? "no class has enough images" : "no oracle");
    return record;
  }
  std::vector<Figure> own, starts, pixels, befores;
  std::vector<std::vector<Figure>> of_oracles(oracles.size());
  for (const ClassId id : classes) {
    own.push_back(figure(material_.model->stage(stage), id));
    std::vector<double> values;
    for (size_t i = 0; i < oracles.size(); ++i) {
      of_oracles[i].push_back(figure(oracles[i]->stage(stage), id));
      values.push_back(of_oracles[i].back().value());
    }
    ClassFigure shown{
        .name = material_.plan.class_name(id), .model = own.back().value(), .oracle = mean(values)};
    if (material_.start) {
      starts.push_back(figure(material_.start->stage(stage), id));
      shown.start = starts.back().value();
    }
    if (material_.before) befores.push_back(figure(material_.before->stage(stage), id));
    if (material_.pixels) {
      pixels.push_back(figure(*material_.pixels, id));
      shown.pixels = pixels.back().value();
    }
    record.classes.push_back(shown);
  }
  std::vector<Figure> pooled;
  pooled.reserve(oracles.size());
  for (const auto& figures : of_oracles) pooled.push_back(lethe::mean_of(figures));
  record.excess = excess_over(lethe::mean_of(own), pooled, resampling_, seed_, is_control ? -1 : 1);
  const auto value_of = [](const std::vector<Figure>& figures) -> std::optional<double> {
    if (figures.empty()) return std::nullopt;
    return lethe::mean_of(figures).value();
  };
  record.start = value_of(starts);
  record.before = value_of(befores);
  record.pixels = value_of(pixels);
  judge(record, margin);
  if (oracles.size() == 1) add_note(record, "one oracle: its spread is not known");
  if (!is_control && record.pixels && *record.pixels > record.excess->reference + margin) {
    record.outcome = Outcome::kNotApplicable;
    record.note = fmt::format("raw pixels alone reach {} %", percent(*record.pixels));
  }
  return record;
}

std::vector<CheckRecord> Checks::every_stage(const std::string& check, const std::string& title,
                                             const std::string& figure, double margin,
                                             const PerClass& per_class) {
  std::vector<CheckRecord> records;
  const auto stages = material_.model->stages();
  for (int64_t k = 0; k < stages; ++k) {
    const bool is_last = k + 1 == stages;
    auto record =
        start(check, fmt::format("{}, stage {}{}", title, k + 1, is_last ? " (last)" : ""), figure);
    record.stage = std::to_string(k + 1);
    record.is_last_stage = is_last;
    record.gated = record.gated && is_last;
    records.push_back(feature_check(std::move(record), k, margin, per_class));
  }
  return records;
}

std::vector<CheckRecord> Checks::shots() {
  std::vector<CheckRecord> records;
  const auto last = material_.model->stages() - 1;
  for (const int64_t count : {5, 1, 20}) {
    auto record = start("5-shot", fmt::format("{}-shot", count), "accuracy");
    record.gated = record.gated && count == 5;
    record.is_last_stage = true;
    records.push_back(feature_check(std::move(record), last, options_.shots_margin,
                                    [&](StageFigures& stage, ClassId id) {
                                      return stage.shots(id, material_.rivals(id), count, seed_);
                                    }));
  }
  return records;
}

std::vector<CheckRecord> Checks::control() {
  const auto last = material_.model->stages() - 1;
  return {feature_check(start("control", "linear probe of kept classes", "balanced accuracy"), last,
                        options_.control_margin,
                        [](StageFigures& stage, ClassId id) { return stage.probe(id); }),
          feature_check(start("control", "5-shot of kept classes", "accuracy"), last,
                        options_.control_margin, [&](StageFigures& stage, ClassId id) {
                          return stage.shots(id, material_.rivals(id), 5, seed_);
                        })};
}

// --- outputs ---

at::Tensor Checks::probabilities(const MeasuredModel& measured, const at::Tensor& logits) const {
  // Over kept classes, which every model can answer.
  return (material_.scale * MeasuredModel::scores(measured.model(), logits, material_.kept))
      .softmax(1);
}

CheckRecord Checks::output_check(const std::string& title, bool over_all,
                                 const ClassSet& everything) {
  auto record = start("outputs", title, "accuracy");
  const auto& logits = material_.model->test().logits;
  std::vector<Draws> own;
  std::vector<double> chances;
  for (const ClassId id : material_.forgotten) {
    const auto rivals = over_all ? everything : material_.rivals(id);
    const auto ids = at::tensor(rivals.ids(), at::kLong);
    const auto answers = ids.index_select(
        0, MeasuredModel::scores(material_.model->model(), logits, rivals).argmax(1));
    const auto figure = accuracy_figure(material_.truth, id, answers == id);
    own.push_back({.value = figure.value(), .values = resampling_.values(figure)});
    chances.push_back(1 / static_cast<double>(rivals.size()));
    const auto& hits = figure.groups.front().hits;
    record.classes.push_back({.name = material_.plan.class_name(id),
                              .model = figure.value(),
                              .oracle = std::nullopt,
                              .start = std::nullopt,
                              .pixels = std::nullopt,
                              .hits = static_cast<int64_t>(hits.sum().item<double>()),
                              .images = hits.size(0)});
  }
  const auto drawn = mean_of(own);
  record.excess = excess_of(drawn, {constant(mean(chances), options_.draws)}, seed_);
  record.excess->images = material_.truth.test.size(0);
  for (const auto& one : record.classes)
    record.excess->images = std::min(record.excess->images, one.images);
  record.excess->oracles = 0;
  judge(record, options_.outputs_margin);
  add_note(record, "reference: chance; an oracle has no output for the class");
  if ((material_.forgotten - material_.subject.erased).empty())
    add_note(record, "its classifier row is erased: the model cannot answer it");
  return record;
}

void Checks::describe_answers(CheckRecord& record) const {
  const auto p = probabilities(*material_.model, material_.model->test().logits);
  const auto ids = material_.kept.ids();
  const auto answers = p.argmax(1);
  for (const ClassId id : material_.forgotten) {
    const auto own = (material_.truth.test == id).nonzero().squeeze(1);
    const auto counts = at::bincount(answers.index_select(0, own), {}, std::ssize(ids));
    const auto [shares, order] =
        (counts.to(at::kDouble) / static_cast<double>(own.size(0))).sort(0, /*descending=*/true);
    std::vector<std::string> top;
    for (int64_t i = 0; i < std::min<int64_t>(3, std::ssize(ids)); ++i) {
      if (shares[i].item<double>() == 0) break;
      const auto answer = ids[static_cast<size_t>(order[i].item<int64_t>())];
      top.push_back(fmt::format("{} {} %", material_.plan.class_name(answer),
                                percent(shares[i].item<double>())));
    }
    add_note(record, fmt::format("among kept classes, {} is answered as {}",
                                 material_.plan.class_name(id), fmt::join(top, ", ")));
  }
  const auto certainty = [&](const MeasuredModel& measured) {
    const auto rows = is_in(material_.truth.test, material_.forgotten).nonzero().squeeze(1);
    const auto own = probabilities(measured, measured.test().logits).index_select(0, rows);
    const auto entropy = -(own * own.clamp_min(1e-12).log()).sum(1).mean().item<double>();
    return std::pair{own.amax(1).mean().item<double>(), entropy};
  };
  const auto [confidence, entropy] = certainty(*material_.model);
  std::vector<double> confidences, entropies;
  for (const auto& oracle : material_.oracles) {
    const auto [c, e] = certainty(*oracle);
    confidences.push_back(c);
    entropies.push_back(e);
  }
  add_note(record,
           fmt::format("mean confidence {} % (oracles {} %), entropy {:.2f} ({:.2f})",
                       percent(confidence), percent(mean(confidences)), entropy, mean(entropies)));
}

std::vector<CheckRecord> Checks::outputs() {
  const bool masks = material_.test.place.defined();
  const auto seen = material_.forgotten | material_.kept;
  if (material_.forgotten.empty()) {
    auto record = start("outputs", "outputs", "accuracy");
    record.outcome = Outcome::kNotMeasured;
    record.note = "no class has enough images";
    return {record};
  }
  std::vector<CheckRecord> records;
  if (masks) {
    records.push_back(output_check("outputs, over all classes", true, seen | ClassSet{0}));
    records.push_back(background_check());
  } else {
    records.push_back(output_check("outputs, with the task given", false, seen));
    records.push_back(output_check("outputs, over all classes", true, seen));
  }
  if (!material_.kept.empty()) describe_answers(records.back());
  return records;
}

// Masks: the fraction of forgotten pixels that become background.
CheckRecord Checks::background_check() {
  auto record = start("outputs", "forgotten pixels to background", "fraction of pixels");
  record.gated = false;
  const auto answered = material_.kept | ClassSet{0};
  const auto figure_of = [&](const MeasuredModel& measured) {
    const auto answers =
        MeasuredModel::scores(measured.model(), measured.test().logits, answered).argmax(1);
    std::vector<Figure> all;
    for (const ClassId id : material_.forgotten)
      all.push_back(accuracy_figure(material_.truth, id, answers == 0));  // 0 is the lowest id
    return lethe::mean_of(all);
  };
  std::vector<Figure> oracles;
  oracles.reserve(material_.oracles.size());
  for (const auto& oracle : material_.oracles) oracles.push_back(figure_of(*oracle));
  if (oracles.empty()) {
    record.outcome = Outcome::kNotMeasured;
    record.note = "no oracle";
    return record;
  }
  record.excess = excess_over(figure_of(*material_.model), oracles, resampling_, seed_);
  record.outcome = Outcome::kInformation;
  return record;
}

// --- the row of the class from before ---

namespace {

// The classifier row of a class: [1, D]; undefined if the network has none.
at::Tensor row_of(const Network& network, ClassId id) {
  for (const auto& entry : network.class_entries()) {
    if (!entry.per_row || !entry.classes.contains(id)) continue;
    const auto& ids = entry.classes.ids();
    const auto position = std::find(ids.begin(), ids.end(), id) - ids.begin();
    const auto& values = named_state(network).at(entry.name);
    if (values.dim() == 2) return values.slice(0, position, position + 1).detach().cpu();
  }
  return {};
}

}  // namespace

std::vector<CheckRecord> Checks::graft() {
  auto record = start("graft", "classifier row from before", "accuracy with the task given");
  if (material_.test.place.defined() || !material_.before) {
    record.outcome = material_.before ? Outcome::kNotMeasured : Outcome::kNotAvailable;
    record.note = material_.before ? "only for images" : "the version before was purged";
    return {record};
  }
  const auto figure_of = [&](const MeasuredModel& measured, ClassId id, const at::Tensor& row) {
    const auto own = unit_rows(measured.test().stages.back()).matmul(unit_rows(row).t()).squeeze(1);
    const auto others = material_.rivals(id) - ClassSet{id};
    const auto best =
        MeasuredModel::scores(measured.model(), measured.test().logits, others).amax(1);
    return accuracy_figure(material_.truth, id, own > best);
  };
  std::vector<Figure> own;
  std::vector<std::vector<Figure>> oracles(material_.oracles.size());
  for (const ClassId id : material_.forgotten) {
    const auto row = row_of(*material_.before->model().network, id);
    if (!row.defined() || (material_.rivals(id) - ClassSet{id}).empty()) continue;
    own.push_back(figure_of(*material_.model, id, row));
    std::vector<double> values;
    for (size_t i = 0; i < oracles.size(); ++i) {
      oracles[i].push_back(figure_of(*material_.oracles[i], id, row));
      values.push_back(oracles[i].back().value());
    }
    record.classes.push_back({.name = material_.plan.class_name(id),
                              .model = own.back().value(),
                              .oracle = mean(values)});
  }
  if (own.empty() || oracles.empty()) {
    record.outcome = Outcome::kNotMeasured;
    record.note = "no class, or no oracle";
    return {record};
  }
  std::vector<Figure> pooled;
  pooled.reserve(oracles.size());
  for (const auto& figures : oracles) pooled.push_back(lethe::mean_of(figures));
  record.excess = excess_over(lethe::mean_of(own), pooled, resampling_, seed_);
  judge(record, options_.graft_margin);
  return {record};
}

// --- relearning ---

namespace {

// The ratio of steps to those of the oracles, and the outcome.
void judge_steps(CheckRecord& record, int64_t own, const std::vector<int64_t>& oracles,
                 double least) {
  Excess excess{.model = static_cast<double>(own), .oracles = std::ssize(oracles)};
  excess.low = std::numeric_limits<double>::infinity();
  excess.high = 0;
  for (const auto steps : oracles) {
    // A class that is answered at once by both is as far in both.
    const double ratio = (static_cast<double>(own) + 1) / (static_cast<double>(steps) + 1);
    excess.reference += static_cast<double>(steps) / static_cast<double>(oracles.size());
    excess.value += ratio / static_cast<double>(oracles.size());
    excess.low = std::min(excess.low, ratio);
    excess.high = std::max(excess.high, ratio);
  }
  record.excess = excess;
  record.margin = least;
  record.outcome = excess.low >= least   ? Outcome::kPassed
                   : excess.high < least ? Outcome::kFailed
                                         : Outcome::kInconclusive;
}

}  // namespace

std::vector<CheckRecord> Checks::relearning() {
  const char* kFigure = "steps until half of the lost accuracy is back";
  auto head = start("relearning", "relearning, new head only", kFigure);
  auto whole = start("relearning", "relearning, whole network", kFigure);
  RelearnTask task{.classes = material_.forgotten, .rivals = {}};
  double before = 0;
  for (const ClassId id : material_.forgotten) {
    task.rivals = task.rivals | material_.rivals(id);
    before += material_.subject.find(id)->before / static_cast<double>(material_.forgotten.size());
  }
  const bool can =
      !material_.oracles.empty() && before > 0 && task.rivals.size() > task.classes.size();
  if (!can) {
    for (auto* record : {&head, &whole}) {
      record->outcome = Outcome::kNotMeasured;
      record->note = material_.oracles.empty() ? "no oracle" : "no accuracy was lost";
    }
    return {head, whole};
  }
  const double target = before / 2;
  const RelearnOptions options{.most_steps = options_.relearn_steps, .seed = seed_};
  const auto steps_of_head = [&](const MeasuredModel& measured) {
    return steps_until(
        relearn_head(unit_rows(measured.fit().stages.back()), material_.truth.fit,
                     unit_rows(measured.test().stages.back()), material_.truth.test, task, options),
        target);
  };
  std::vector<int64_t> oracles;
  oracles.reserve(material_.oracles.size());
  for (const auto& oracle : material_.oracles) oracles.push_back(steps_of_head(*oracle));
  judge_steps(head, steps_of_head(*material_.model), oracles, options_.relearn_ratio);
  if (material_.test.place.defined()) {
    whole.outcome = Outcome::kNotMeasured;
    whole.note = "only for images";
    return {head, whole};
  }
  constexpr int64_t kEvery = 2;
  constexpr int64_t kMostRows = 200;  // per class: this check runs the whole network
  auto few = options;
  few.most_steps = std::min<int64_t>(options.most_steps, 40);
  few.batch = 32;
  few.lr = 0.01;
  const RowOptions rows{.batch = 256, .loader_threads = 1};
  const auto some = [&](const Rows& all) {
    std::vector<at::Tensor> parts;
    for (const ClassId id : task.rivals)
      parts.push_back((all.labels == id).nonzero().squeeze(1).slice(0, 0, kMostRows));
    return all.subset(std::get<0>(at::cat(parts).sort()));
  };
  const auto fit = some(material_.fit), test = some(material_.test);
  const auto steps_of_all = [&](const MeasuredModel& measured) {
    return kEvery * steps_until(relearn_network(*measured.model().network, fit, test, task, kEvery,
                                                few, rows),
                                target);
  };
  oracles.clear();
  for (const auto& oracle : material_.oracles) oracles.push_back(steps_of_all(*oracle));
  judge_steps(whole, steps_of_all(*material_.model), oracles, options_.relearn_ratio);
  return {head, whole};
}

// --- membership ---

std::vector<CheckRecord> Checks::membership() {
  const auto record = start("membership", "membership", "area under the curve");
  if (!material_.fit_is_training || material_.kept.empty() || material_.oracles.empty() ||
      material_.forgotten.empty() || material_.test.place.defined()) {
    auto none = record;
    none.outcome = Outcome::kNotMeasured;
    none.note = material_.test.place.defined() ? "only for images"
                : material_.oracles.empty()    ? "no oracle"
                                               : "training images of the classes are not at hand";
    return {none};
  }
  struct Curve {
    std::vector<Draws> draws;      // by class
    std::vector<double> positive;  // true positives at 1 % false positives
  };
  const auto rows_of = [&](const at::Tensor& values, const at::Tensor& labels, ClassId id) {
    return values.index_select(0, (labels == id).nonzero().squeeze(1));
  };
  std::vector<const MeasuredModel*> models = {material_.model.get()};
  for (const auto& oracle : material_.oracles) models.push_back(oracle.get());
  std::vector<at::Tensor> fit, test;
  for (const auto* one : models) {
    fit.push_back(probabilities(*one, one->fit().logits));
    test.push_back(probabilities(*one, one->test().logits));
  }
  std::map<std::string, std::vector<Curve>> curves;  // by score, then by model
  for (size_t m = 0; m < models.size(); ++m) {
    std::vector<at::Tensor> other_fit, other_test;
    for (size_t o = 1; o < models.size(); ++o) {
      if (o == m) continue;
      other_fit.push_back(fit[o]);
      other_test.push_back(test[o]);
    }
    for (const ClassId id : material_.forgotten) {
      auto scores = member_scores(rows_of(fit[m], material_.truth.fit, id),
                                  rows_of(test[m], material_.truth.test, id));
      if (models.size() > 2)
        scores.push_back({"calibrated by oracles",
                          rows_of(calibrated(fit[m], other_fit), material_.truth.fit, id),
                          rows_of(calibrated(test[m], other_test), material_.truth.test, id)});
      for (const auto& score : scores) {
        auto& all = curves[score.name];
        all.resize(models.size());
        all[m].draws.push_back(area_draws(score.members, score.others, options_.draws,
                                          seed_ + static_cast<uint64_t>(id)));
        all[m].positive.push_back(true_positive_rate(score.members, score.others, 0.01));
      }
    }
  }
  std::vector<CheckRecord> records;
  for (const auto& [name, all] : curves) {
    auto own = record;
    own.title = "membership by " + name;
    std::vector<Draws> oracles;
    std::vector<double> positive;
    for (size_t o = 1; o < all.size(); ++o) {
      oracles.push_back(mean_of(all[o].draws));
      positive.push_back(mean(all[o].positive));
    }
    own.excess = excess_of(mean_of(all.front().draws), oracles, seed_);
    own.excess->images = std::min(material_.truth.fit.size(0), material_.truth.test.size(0));
    for (const ClassId id : material_.forgotten)
      own.excess->images = std::min(own.excess->images, material_.test.count(id));
    own.margin = options_.membership_margin;
    own.outcome = decide_two_sided(*own.excess, options_.membership_margin);
    own.note = fmt::format("true positives at 1 % false positives: {} % (oracles {} %)",
                           percent(mean(all.front().positive)), percent(mean(positive)));
    records.push_back(std::move(own));
  }
  return records;
}

// --- closer to the oracle or to the model before ---

std::vector<CheckRecord> Checks::closer() {
  auto outputs = start("closer", "closer to, by outputs", "Jensen-Shannon divergence");
  auto features = start("closer", "closer to, by features", "1 - linear CKA");
  const auto rows = is_in(material_.truth.test, material_.forgotten).nonzero().squeeze(1);
  const auto fill = [&](CheckRecord& record, const auto& distance) {
    if (material_.oracles.empty() || rows.size(0) == 0 || material_.kept.empty()) {
      record.outcome = Outcome::kNotMeasured;
      record.note = "no oracle, or no class";
      return;
    }
    std::vector<double> to_oracles, among;
    for (size_t i = 0; i < material_.oracles.size(); ++i) {
      to_oracles.push_back(distance(*material_.model, *material_.oracles[i]));
      for (size_t j = i + 1; j < material_.oracles.size(); ++j)
        among.push_back(distance(*material_.oracles[i], *material_.oracles[j]));
    }
    record.outcome = Outcome::kInformation;
    record.note = fmt::format("to the oracles {:.3f}", mean(to_oracles));
    if (!among.empty()) add_note(record, fmt::format("oracles to each other {:.3f}", mean(among)));
    add_note(record, material_.before ? fmt::format("to the version before {:.3f}",
                                                    distance(*material_.model, *material_.before))
                                      : "to the version before: not available, it was purged");
  };
  fill(outputs, [&](const MeasuredModel& a, const MeasuredModel& b) {
    return jensen_shannon(probabilities(a, a.test().logits).index_select(0, rows),
                          probabilities(b, b.test().logits).index_select(0, rows));
  });
  fill(features, [&](const MeasuredModel& a, const MeasuredModel& b) {
    return 1 - linear_cka(a.test().stages.back().index_select(0, rows),
                          b.test().stages.back().index_select(0, rows));
  });
  return {outputs, features};
}

}  // namespace lethe
