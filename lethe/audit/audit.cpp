#include "lethe/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>

#include "lethe/audit/checks.h"
#include "lethe/audit/page.h"
#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/nearest.h"
#include "lethe/core/sha256.h"
#include "lethe/core/text.h"
#include "lethe/record/run_files.h"
#include "lethe/run/data_record.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

// Fewer rows of a class tell nothing.
constexpr int64_t kLeastRows = 5;

// The classes and the images that they are measured on.
class MaterialMaker {
 public:
  MaterialMaker(const OpenedRun& opened, const Subject& subject, const AuditOptions& options,
                int threads)
      : opened_(opened), subject_(subject), options_(options), threads_(threads) {}

  Material make(const std::vector<OracleReference>& oracles) {
    Material material{.plan = opened_.plan(), .subject = subject_};
    const auto network = load_version(opened_, subject_.run, subject_.version);
    choose_rows(material, *network);
    const auto measured = [&](AuditModel model) {
      log_info("measuring {}", model.name);
      return std::make_unique<MeasuredModel>(std::move(model), material.truth, material.fit,
                                             material.test, row_options(0));
    };
    material.model = measured(own_model("the audited version", network));
    for (const auto& oracle : oracles) material.oracles.push_back(measured(oracle.model));
    if (auto start = load_start(opened_, subject_.version))
      material.start = measured(own_model("the network at the start", start));
    if (auto before = version_before(subject_.run, first_event()))
      material.before = measured(own_model("the version before the request",
                                           load_version(opened_, subject_.run, *before)));
    material.pixels =
        std::make_unique<StageFigures>(material.truth, raw_pixels(material.fit, row_options(0)),
                                       raw_pixels(material.test, row_options(0)));
    material.scale = masks() ? 1.0 : 30.0;
    return material;
  }

 private:
  bool masks() const { return opened_.plan().problem() == Problem::kMasks; }

  int64_t first_event() const {
    int64_t first = subject_.forgotten.front().event;
    for (const auto& own : subject_.forgotten) first = std::min(first, own.event);
    return first;
  }

  RowOptions row_options(int64_t per_class) const {
    return {.per_class = per_class,
            .seed = static_cast<uint64_t>(options_.seed),
            .batch = opened_.config.eval.batch.value_or(256),
            .loader_threads = threads_};
  }

  // Every class of the run has its own column.
  AuditModel own_model(const std::string& name, const std::shared_ptr<Network>& network) const {
    std::vector<int64_t> column;
    const auto known = network->num_classes();
    for (int64_t id = 0; id < opened_.plan().num_classes(); ++id)
      column.push_back(id < known && !network->erased().contains(id) ? id : -1);
    return {.name = name, .network = network, .column = column};
  }

  Rows rows_of(const DatasetPtr& dataset, const ClassSet& classes, Network& network,
               int64_t per_class) const {
    auto task = opened_.plan().task(subject_.version);
    const auto labels = opened_.plan().eval_labels(task);
    if (masks()) return pixel_rows_of(dataset, labels, classes, network, row_options(per_class));
    return image_rows(dataset, labels, classes, row_options(per_class));
  }

  void choose_rows(Material& material, Network& network) const {
    ClassSet learned;
    for (const auto& own : subject_.forgotten) {
      if (own.was_learned) learned = learned | ClassSet{own.id};
    }
    const auto asked = learned | subject_.kept | (masks() ? ClassSet{0} : ClassSet{});
    const auto& data = opened_.experiment;
    material.test =
        rows_of(data.eval, asked, network, masks() ? options_.pixels : options_.test_rows);
    material.fit =
        rows_of(data.data.train, asked, network, masks() ? options_.pixels : options_.fit_rows);
    const bool all_there = std::all_of(learned.begin(), learned.end(), [&](ClassId id) {
      return material.fit.count(id) >= kLeastRows;
    });
    material.fit_is_training = all_there;
    if (!all_there) halve(material);
    const auto enough = [&](const ClassSet& classes) {
      ClassSet found;
      for (const ClassId id : classes) {
        if (material.fit.count(id) >= kLeastRows && material.test.count(id) >= kLeastRows)
          found = found | ClassSet{id};
      }
      return found;
    };
    material.forgotten = enough(learned);
    material.kept = enough(subject_.kept);
    material.truth = {.fit = material.fit.labels, .test = material.test.labels};
  }

  // Training images of a forgotten class are gone: probes learn from every second test row.
  static void halve(Material& material) {
    const auto all = material.test;
    const auto even = at::floor_divide(all.unit, 1).remainder(2) == 0;
    material.fit = all.subset(even.nonzero().squeeze(1));
    material.test = all.subset(even.logical_not().nonzero().squeeze(1));
  }

  const OpenedRun& opened_;
  const Subject& subject_;
  const AuditOptions& options_;
  int threads_;
};

std::vector<std::string> names_of(const TaskPlan& plan, const ClassSet& classes) {
  std::vector<std::string> names;
  for (const ClassId id : classes) names.push_back(plan.class_name(id));
  return names;
}

void require_known(const std::vector<std::string>& checks, const char* key) {
  const auto& known = audit_checks();
  for (const auto& check : checks) {
    if (std::find(known.begin(), known.end(), check) == known.end())
      throw_error<ConfigError>("{}: unknown check '{}'{}", key, check, choose_from(check, known));
  }
}

bool needs_models(const std::string& check) {
  return check != "collateral" && check != "relapse" && check != "files";
}

AuditRecord empty_record(const OpenedRun& opened, const Subject& subject,
                         const AuditOptions& options) {
  const auto& lines = opened.ledger->lines();
  AuditRecord record{.run = subject.run.lexically_normal().filename().string(),
                     .method = opened.config.method,
                     .version = subject.version,
                     .model_hash = subject.model_hash,
                     .data_hash = "",
                     .config_hash = sha256_of_file(subject.run / kConfigFile),
                     .seed = static_cast<uint64_t>(options.seed),
                     .draws = options.draws};
  if (record.run.empty()) record.run = subject.run.parent_path().filename().string();
  if (!lines.empty() && lines.front().contains(kDataKey))
    record.data_hash = lines.front().at(kDataKey).value("root", "");
  record.request_seconds = subject.request_seconds;
  for (const auto& own : subject.forgotten) {
    const auto& name = opened.plan().class_name(own.id);
    (own.was_learned ? record.forgotten : record.never_learned).push_back(name);
  }
  return record;
}

}  // namespace

AuditRecord audit_version(const AuditRequest& request, const AuditOptions& options,
                          const OracleSource& oracles) {
  require_known(request.only, "--only");
  require_known(options.gate, "audit.gate");
  const auto checks = request.only.empty() ? audit_checks() : request.only;
  const auto opened = open_run(request.run, request.data);
  const auto subject = open_subject(*opened, request.run, request.version);
  auto record = empty_record(*opened, subject, options);
  std::vector<OracleReference> references;
  if (std::any_of(checks.begin(), checks.end(), needs_models))
    references = oracles(*opened, subject);
  for (const auto& reference : references) record.references.push_back(reference.record);

  MaterialMaker maker(*opened, subject, options, request.threads);
  auto material = maker.make(references);
  record.kept = names_of(opened->plan(), material.kept);
  record.unit = material.unit();
  record.fit_rows = material.fit.size();
  record.test_rows = material.test.size();
  record.fit_source = material.fit_is_training ? "training images"
                                               : "half of the test images, because training images "
                                                 "of a forgotten class are gone";
  for (const auto& own : subject.forgotten) {
    if (own.was_learned && !material.forgotten.contains(own.id))
      record.remarks.push_back(fmt::format("{}: not measured, it has fewer than {} {}",
                                           opened->plan().class_name(own.id), kLeastRows,
                                           material.unit()));
  }
  Checks made(material, options);
  for (const auto& check : checks) {
    log_info("check: {}", check);
    for (auto& one : made.run(check)) {
      if (record.forgotten.empty() && needs_models(check) && one.check != "control") {
        one.outcome = Outcome::kNeverLearned;
        one.note = "no class was learned before it was to be forgotten";
      }
      record.checks.push_back(std::move(one));
    }
  }
  return record;
}

fs::path audit_folder(const fs::path& run, int64_t version) {
  return run / kAuditFolder / fmt::format("{:03}", version);
}

std::vector<int64_t> audited_versions(const fs::path& run) {
  std::vector<int64_t> versions;
  if (!fs::exists(run / kAuditFolder)) return versions;
  for (const auto& entry : fs::directory_iterator(run / kAuditFolder)) {
    const auto name = entry.path().filename().string();
    if (fs::exists(entry.path() / kAuditRecord) && !name.empty() &&
        std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
      versions.push_back(std::stoll(name));
  }
  std::sort(versions.begin(), versions.end());
  return versions;
}

AuditRecord read_audit(const fs::path& run, int64_t version) {
  const auto file = audit_folder(run, version) / kAuditRecord;
  const auto json = ordered_json::parse(read_text(file), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw_error<DataError>("{}: is not JSON", file.string());
  return to_audit_record(json, file.string());
}

void write_audit(const fs::path& run, const AuditRecord& record) {
  const auto folder = audit_folder(run, record.version);
  fs::create_directories(folder);
  write_atomically(folder / kAuditRecord, to_json(record).dump(1) + '\n');
  std::vector<AuditRecord> history;
  for (const auto version : audited_versions(run)) {
    if (version != record.version) history.push_back(read_audit(run, version));
  }
  write_atomically(folder / kAuditPage, audit_page(record, history));
}

}  // namespace lethe
