#include "tools/suite/run_suite.h"

#include <fmt/format.h>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/nearest.h"
#include "tools/suite/suite_file.h"
#include "tools/suite/suite_page.h"
#include "tools/suite/suite_runner.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

const SuiteProfile& find_profile(const Suite& suite, const std::string& name) {
  if (name.empty()) return suite.profiles.front();
  std::vector<std::string> known;
  for (const auto& profile : suite.profiles) {
    if (profile.name == name) return profile;
    if (!profile.name.empty()) known.push_back(profile.name);
  }
  if (known.empty()) throw_error<ConfigError>("--profile: suite '{}' has none", suite.name);
  throw_error<ConfigError>("--profile: suite '{}' has no profile '{}'{}", suite.name, name,
                           choose_from(name, known));
}

}  // namespace

fs::path default_results() {
  // In a clone of the source, tables and records are part of its documentation.
  return fs::is_directory("docs/results") ? "docs/results" : "results";
}

std::string run_suite(SuiteOptions options) {
  const auto suite = find_suite(options.name);
  const auto& profile = find_profile(suite, options.profile);
  check_options(options);
  if (options.from_records && !suite.keeps_records)
    throw_error<ConfigError>("--from-records: suite '{}' keeps no records", suite.name);
  if (!options.results.empty() && !suite.keeps_records)
    throw_error<ConfigError>("--results: suite '{}' keeps no records; --markdown writes its table",
                             suite.name);
  const auto to_resume = resume_command(options);
  if (options.results.empty()) options.results = default_results();

  std::vector<SuiteRecord> records;
  try {
    if (!options.from_records) records = run_all(suite, profile, options);
  } catch (const Interrupted& stop) {
    throw_error<Interrupted>("{}; to resume: {}", stop.what(), to_resume);
  }
  if (suite.keeps_records)
    records = read_records(options.results / "records", suite.name, profile.name);
  if (records.empty())
    throw_error<DataError>("{}: no records of suite '{}'", (options.results / "records").string(),
                           suite.name);

  const auto results = results_of(suite, profile, records);
  const auto document = document_of(suite, profile, results);
  if (suite.keeps_records)
    write_page(options.results, suite, results, published_name(options), document);
  if (!options.markdown.empty())
    write_atomically(
        options.markdown,
        page_text(suite, results, '`' + command_of(options) + " --markdown ...`", document.body));
  if (const auto note = accuracy_note(records); !note.empty()) log_info("{}", note);
  if (document.body.find("| left |") != std::string::npos && !suite.keeps_records)
    log_info("left: the highest accuracy of a forgotten class");
  return document.body;
}

}  // namespace lethe
