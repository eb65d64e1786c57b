// The page of a suite: its table, and above it what was run and how.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/suite/suite.h"
#include "tools/suite/suite_results.h"

namespace lethe {

SuiteResults results_of(const Suite& suite, const SuiteProfile& profile,
                        const std::vector<SuiteRecord>& records);

// The table in the suite's layout. If the records do not have the same settings, it begins with a
// warning.
SuiteDocument document_of(const Suite& suite, const SuiteProfile& profile,
                          const SuiteResults& results);

// The summary as a sentence: "the paper's Table 1" -> "The paper's Table 1."
std::string sentence(std::string summary);

// How accuracy is measured in classification. Empty if the records are of masks.
std::string accuracy_note(const std::vector<SuiteRecord>& records);

// The whole page. how: the command that wrote it.
std::string page_text(const Suite& suite, const SuiteResults& results, const std::string& how,
                      const std::string& body);

// Writes the page and the files of the document. name: of the suite, as in a command.
void write_page(const std::filesystem::path& folder, const Suite& suite,
                const SuiteResults& results, const std::string& name,
                const SuiteDocument& document);

}  // namespace lethe
