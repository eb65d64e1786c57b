// Audits of models whose truth is known: a model that still knows the class, oracles, a model that
// forgot at its outputs only, and a damaged one.
#include <gtest/gtest.h>

#include "lethe/audit/checks.h"
#include "lethe/audit/verdict.h"
#include "lethe/model/torch.h"
#include "lethe/run/experiment.h"
#include "lethe/trainer/trainer.h"

namespace lethe {
namespace {

constexpr int64_t kTestImages = 400;  // per class
const char* const kForgotten = "solid circle";

void configure_stream(RunConfig& config, std::vector<std::string> classes, int64_t seed) {
  config.data.name = "shapes";
  config.data.train_per_class = 200;
  config.data.test_per_class = kTestImages;
  config.data.size = 32;
  config.model.width = 8;
  config.model.stem = "cifar_s2";
  config.stream.task_names = {std::move(classes)};
  config.train.epochs = 4;
  config.train.batch = 32;
  config.train.seed = seed;
}

const std::vector<std::string> kKept = {"striped square", "checkered triangle", "dotted cross",
                                        "solid ring"};

std::vector<std::string> with_forgotten() {
  auto classes = kKept;
  classes.insert(classes.begin(), kForgotten);
  return classes;
}

// A trained network and the plan of its stream.
struct Trained {
  RunConfig config;
  Experiment experiment;
};

std::unique_ptr<Trained> train(std::vector<std::string> classes, int64_t seed) {
  auto trained = std::make_unique<Trained>();
  configure_stream(trained->config, std::move(classes), seed);
  trained->experiment = make_experiment(trained->config);
  Trainer trainer(trained->config.train, trained->config.eval,
                  trainer_parts(trained->experiment, trained->config, ""), {});
  trainer.run();
  trained->experiment.network->eval();
  return trained;
}

std::shared_ptr<Network> copy_of(const Network& network) {
  const at::NoGradGuard no_grad;
  const auto copy = network.skeleton();
  auto values = named_state(*copy);
  for (const auto& [name, value] : named_state(network)) values.at(name).copy_(value);
  copy->eval();
  return copy;
}

class PlantedTruthTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    before = train(with_forgotten(), 0);
    for (int64_t seed = 1; seed <= 4; ++seed) oracles.push_back(train(kKept, seed));
  }
  static void TearDownTestSuite() {
    before.reset();
    oracles.clear();
  }

  const TaskPlan& plan() const { return *before->experiment.plan; }
  ClassId forgotten() const { return plan().find("test", kForgotten); }

  AuditModel model_of(const std::string& name, const std::shared_ptr<Network>& network) const {
    std::vector<int64_t> column;
    for (int64_t id = 0; id < plan().num_classes(); ++id)
      column.push_back(network->erased().contains(id) ? -1 : id);
    return {.name = name, .network = network, .column = column};
  }

  AuditModel oracle(size_t index) const {
    const auto& own = *oracles.at(index);
    std::vector<int64_t> column(static_cast<size_t>(plan().num_classes()), -1);
    for (int64_t id = 0; id < own.experiment.plan->num_classes(); ++id)
      column.at(static_cast<size_t>(plan().find("test", own.experiment.plan->class_name(id)))) = id;
    return {.name = "oracle", .network = own.experiment.network, .column = column};
  }

  // Makes the checks on a model, against the first three oracles.
  AuditRecord audit(const AuditModel& model, const std::vector<std::string>& checks) {
    Subject subject;
    subject.version = 1;
    subject.task = plan().task(1);
    subject.forgotten = {{.id = forgotten(), .event = 1, .verdict = "forgotten", .before = 0.95}};
    subject.kept = subject.task.seen() - ClassSet{forgotten()};
    subject.erased = model.network->erased();
    subject.scores = std::make_unique<ScoreTable>(plan(), before->config.metric);
    const RowOptions rows{.batch = 200};
    const auto labels = plan().eval_labels(subject.task);
    Material material{.plan = plan(), .subject = subject};
    material.forgotten = {forgotten()};
    material.kept = subject.kept;
    material.fit = image_rows(before->experiment.data.train, labels, subject.task.seen(), rows);
    material.test = image_rows(before->experiment.eval, labels, subject.task.seen(), rows);
    material.truth = {.fit = material.fit.labels, .test = material.test.labels};
    material.scale = 30;
    const auto measured = [&](const AuditModel& one) {
      return std::make_unique<MeasuredModel>(one, material.truth, material.fit, material.test,
                                             rows);
    };
    material.model = measured(model);
    for (size_t i = 0; i < 3; ++i) material.oracles.push_back(measured(oracle(i)));
    material.before = measured(model_of("before", before->experiment.network));
    AuditOptions options;
    options.draws = 400;
    options.relearn_steps = 60;
    Checks made(material, options);
    AuditRecord record{.run = "planted", .method = "none", .version = 1, .unit = "images"};
    for (const auto& check : checks) {
      for (auto& one : made.run(check)) record.checks.push_back(std::move(one));
    }
    return record;
  }

  static const CheckRecord& find(const AuditRecord& record, const std::string& title) {
    for (const auto& check : record.checks) {
      if (check.title == title) return check;
    }
    throw std::runtime_error("no check '" + title + "'");
  }

  static inline std::unique_ptr<Trained> before;
  static inline std::vector<std::unique_ptr<Trained>> oracles;
};

const std::vector<std::string> kFeatureChecks = {"outputs", "probe", "5-shot", "control"};

TEST_F(PlantedTruthTest, TheUntouchedModelFails) {
  const auto record = audit(model_of("untouched", before->experiment.network), kFeatureChecks);

  EXPECT_EQ(find(record, "outputs, with the task given").outcome, Outcome::kFailed);
  EXPECT_EQ(find(record, "outputs, over all classes").outcome, Outcome::kFailed);
  EXPECT_EQ(verdict_of(record).outcome, Outcome::kFailed);
  EXPECT_EQ(exit_status(verdict_of(record)), 4);
}

TEST_F(PlantedTruthTest, AnOracleThatIsNoReferenceDoesNotFail) {
  const auto record = audit(oracle(3), kFeatureChecks);

  for (const auto& check : record.checks)
    EXPECT_NE(check.outcome, Outcome::kFailed) << check.title << ": " << check.note;
  EXPECT_EQ(find(record, "outputs, with the task given").outcome, Outcome::kPassed);
  EXPECT_NE(verdict_of(record).outcome, Outcome::kFailed);
}

TEST_F(PlantedTruthTest, AnOracleAgainstItselfPasses) {
  // Without the choice of oracles and of images as a reason for spread, nothing is left to decide.
  const auto record = audit(oracle(0), {"probe"});
  const auto& probe = find(record, "linear probe, stage 4 (last)");

  ASSERT_TRUE(probe.excess.has_value());
  EXPECT_NE(probe.outcome, Outcome::kFailed);
  EXPECT_LT(std::abs(probe.excess->value), 0.06);
}

TEST_F(PlantedTruthTest, AModelThatForgotOnlyAtItsOutputsIsFoundByItsFeatures) {
  const auto erased = copy_of(*before->experiment.network);
  erased->erase({forgotten()});

  const auto record = audit(model_of("erased row", erased), kFeatureChecks);

  EXPECT_EQ(find(record, "outputs, with the task given").outcome, Outcome::kPassed);
  EXPECT_EQ(find(record, "outputs, with the task given").excess->model, 0);
  for (const auto& check : record.checks) {
    if (check.check != "probe" && check.check != "5-shot") continue;
    if (check.excess && check.excess->value > *check.margin)
      EXPECT_NE(check.outcome, Outcome::kPassed) << check.title;
  }
  // A few images are enough to tell that it knew the class.
  EXPECT_GT(find(record, "5-shot").excess->value, 0.0);
  EXPECT_NE(find(record, "5-shot").outcome, Outcome::kPassed);
}

TEST_F(PlantedTruthTest, ANetworkWithSpoiledStatisticsFailsTheControl) {
  const auto spoiled = copy_of(*before->experiment.network);
  spoiled->erase({forgotten()});
  {
    const at::NoGradGuard no_grad;
    at::manual_seed(0);
    for (auto& [name, value] : named_state(*spoiled)) {
      if (name.find("running_mean") != std::string::npos) value.add_(3 * at::randn(value.sizes()));
      if (name.find("running_var") != std::string::npos) value.mul_(20);
    }
  }

  const auto record = audit(model_of("spoiled", spoiled), kFeatureChecks);

  EXPECT_EQ(find(record, "5-shot of kept classes").outcome, Outcome::kFailed);
  EXPECT_EQ(verdict_of(record).outcome, Outcome::kFailed);
}

TEST_F(PlantedTruthTest, TheOldRowFindsTheClassInAModelThatForgotOnlyAtItsOutputs) {
  const auto erased = copy_of(*before->experiment.network);
  erased->erase({forgotten()});

  const auto own = audit(model_of("erased row", erased), {"graft"});
  const auto other = audit(oracle(3), {"graft"});

  EXPECT_EQ(own.checks.front().outcome, Outcome::kFailed);
  EXPECT_GT(own.checks.front().excess->model, 0.7);
  EXPECT_LT(other.checks.front().excess->model, own.checks.front().excess->model);
}

TEST_F(PlantedTruthTest, AModelThatKnowsTheClassRelearnsItInFewerSteps) {
  const auto erased = copy_of(*before->experiment.network);
  erased->erase({forgotten()});

  const auto own = audit(model_of("erased row", erased), {"relearning"});
  const auto other = audit(oracle(3), {"relearning"});

  ASSERT_TRUE(own.checks.front().excess.has_value());
  EXPECT_LE(own.checks.front().excess->value, other.checks.front().excess->value);
}

TEST_F(PlantedTruthTest, AnAuditIsTheSameEveryTime) {
  const auto model = model_of("untouched", before->experiment.network);
  const std::vector<std::string> checks = {"outputs",    "probe",  "k-nn",   "5-shot",
                                           "membership", "closer", "control"};

  EXPECT_EQ(to_json(audit(model, checks)).dump(), to_json(audit(model, checks)).dump());
}

TEST_F(PlantedTruthTest, TheRecordIsReadAsItWasWritten) {
  const auto record =
      audit(model_of("untouched", before->experiment.network), {"outputs", "probe"});

  const auto again = to_audit_record(to_json(record), "test");

  EXPECT_EQ(to_json(again).dump(), to_json(record).dump());
  EXPECT_EQ(summary_of(again), summary_of(record));
}

}  // namespace
}  // namespace lethe
