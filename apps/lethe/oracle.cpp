// `lethe oracle`: started by audits, so it is not listed in the help.
#include <memory>
#include <string>

#include "apps/lethe/commands.h"
#include "lethe/audit/oracle_training.h"

namespace lethe::app {

void add_oracle(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "oracle", "Train what is left in an entry of the cache of oracles. Audits start it.");
  command->group("");  // hidden
  auto entry = std::make_shared<std::string>();
  command->add_option("ENTRY", *entry, "the folder of the entry")->required();
  command->callback([entry, &action] {
    action = [entry] {
      start(1);
      train_oracle(*entry);
      return 0;
    };
  });
}

}  // namespace lethe::app
