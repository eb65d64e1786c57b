#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/lethe/commands.h"
#include "lethe/audit/references.h"
#include "lethe/audit/verdict.h"
#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/system.h"
#include "lethe/record/run_files.h"
#include "lethe/record/verify.h"
#include "lethe/run/runner.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe::app {

namespace {

struct Arguments {
  AuditRequest request;
  std::string run;
  std::vector<std::string> sets;
  int64_t oracles = 0;
  int64_t jobs = 0;
  int threads = 0;
  bool quick = false;
  bool all = false;
  bool from_record = false;
};

AuditOptions options_of(const Arguments& arguments) {
  RunConfig config;
  read_run_config(config, arguments.run);
  ConfigText changes;
  for (const auto& assignment : arguments.sets) {
    if (!assignment.starts_with("audit."))
      throw_error<ConfigError>("--set {}: only keys of [audit] can be changed here", assignment);
    changes.set(assignment);
  }
  changes.apply(config.fields());
  auto options = config.audit;
  if (arguments.quick) {
    options.oracles = 1;
    options.draws = std::min<int64_t>(options.draws, 500);
  }
  if (arguments.oracles > 0) options.oracles = arguments.oracles;
  return options;
}

// The worst of several exit statuses: failed, then inconclusive, then passed.
int worse(int a, int b) {
  if (a == 4 || b == 4) return 4;
  return std::max(a, b);
}

int execute(Arguments& arguments) {
  auto& request = arguments.request;
  request.run = arguments.run;
  require_run(request.run);
  const auto options = options_of(arguments);
  auto versions = arguments.all ? (arguments.from_record ? audited_versions(request.run)
                                                         : versions_of(request.run))
                                : std::vector<int64_t>{request.version};
  int status = 0;
  std::string text;
  if (!arguments.from_record) request.threads = start(arguments.threads);
  if (arguments.quick && request.only.empty()) request.only = quick_checks();
  const ReferenceJobs jobs{.side_by_side = arguments.jobs > 0 ? static_cast<int>(arguments.jobs)
                                                              : physical_cores()};
  for (auto version : versions) {
    request.version = version;
    if (arguments.all && !arguments.from_record && !has_forgotten(request.run, version)) continue;
    if (arguments.from_record && version == 0) {
      const auto audited = audited_versions(request.run);
      if (audited.empty()) throw_error<ConfigError>("{}: has no audit yet", request.run.string());
      version = audited.back();
    }
    const auto record = arguments.from_record
                            ? read_audit(request.run, version)
                            : audit_version(request, options, trained_oracles(options, jobs));
    write_audit(request.run, record);
    text += (text.empty() ? "" : "\n") + summary_of(record) +
            fmt::format("written: {}\n",
                        (audit_folder(request.run, record.version) / kAuditPage).string());
    status = worse(status, exit_status(verdict_of(record)));
  }
  if (text.empty())
    throw_error<ConfigError>("{}: no version has forgotten a class: there is nothing to audit",
                             request.run.string());
  fmt::print("{}", text);
  return status;
}

}  // namespace

void add_audit(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "audit",
      "Measure how much of forgotten classes is left in a model: in its outputs, its features and "
      "its files.\n"
      "It is compared with oracles: the same stream, trained without the classes. Missing oracles "
      "are trained first.\n"
      "The exit status is 0 if every check in audit.gate passed, 4 if one failed, 5 if one is not "
      "decided.");
  command->footer(
      "examples: lethe audit runs/demo\n"
      "          lethe audit runs/demo --quick --only outputs,probe\n"
      "          lethe audit runs/demo --set audit.oracle_method=finetune --oracles 5");
  auto arguments = std::make_shared<Arguments>();
  auto& request = arguments->request;
  command->add_option("RUN", arguments->run, "a run directory")->required();
  command->add_option("--version", request.version, "audit the model that event N wrote")
      ->check(kPositive)
      ->default_str("the newest")
      ->type_name("N");
  auto* all = command->add_flag("--all", arguments->all,
                                "audit every version that still exists and has forgotten a class");
  all->excludes(command->get_option("--version"));
  command->add_flag("--quick", arguments->quick,
                    "one oracle, 500 bootstrap draws, and only the checks that need no training");
  command->add_option("--only", request.only, "make only these checks (`lethe list checks`)")
      ->delimiter(',')
      ->type_name("CHECK,...");
  command->add_option("--oracles", arguments->oracles, "number of oracles")
      ->check(kPositive)
      ->default_str("audit.oracles")
      ->type_name("N");
  command->add_option("--jobs", arguments->jobs, "oracles to train at the same time")
      ->check(kPositive)
      ->default_str("the physical cores available to the process")
      ->type_name("N");
  command
      ->add_option("--data", request.data,
                   "other images than those of the run: a configuration, a preset, the name of "
                   "a dataset, or a folder")
      ->type_name("SOURCE");
  add_sets(*command, arguments->sets);
  command->add_flag("--from-record", arguments->from_record,
                    "measure nothing: make verdict and page again from audit.json");
  add_threads(*command, arguments->threads);
  command->callback([arguments, &action] { action = [arguments] { return execute(*arguments); }; });
}

}  // namespace lethe::app
