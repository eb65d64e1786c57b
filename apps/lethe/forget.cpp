#include <fmt/format.h>

#include <memory>
#include <sstream>

#include "apps/lethe/commands.h"
#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/run/add_event.h"

namespace lethe::app {

namespace {

struct Arguments {
  EventOptions event;
  std::string run;
  std::vector<std::string> classes;
  int64_t epochs = 0;
  int64_t steps = 0;
  int threads = 0;
  bool discard = false;
  bool dry_run = false;
};

int execute(Arguments& arguments) {
  auto& event = arguments.event;
  event.run = arguments.run;
  event.classes = arguments.classes;
  if (arguments.epochs > 0) event.epochs = arguments.epochs;
  if (arguments.steps > 0) event.steps = arguments.steps;
  if (event.accept + event.resume + arguments.discard > 1)
    throw ConfigError("use only one of --accept, --discard and --resume");
  const bool describes = !event.classes.empty() || !event.data.empty() || !event.sets.empty() ||
                         !event.reason.empty() || event.epochs || event.steps || event.replay ||
                         event.use_forgotten_images || event.exact;
  if ((event.accept || event.resume || arguments.discard) && describes)
    throw ConfigError(
        "--accept, --discard and --resume act on the pending event: do not combine them with "
        "options of a new event (--classes, --data, ...)");
  if (arguments.discard) {
    discard_event(event.run, event.kind);
    log_info("{}: the event was dropped, the run is as it was before", event.run.string());
    return 0;
  }
  event.threads = start(arguments.threads);
  if (arguments.dry_run) {
    fmt::print("{}", dry_run(event));
    return 0;
  }
  const auto result = add_event(event);
  fmt::print("{}", result.text);
  return result.accepted ? 0 : 4;
}

void add_common(CLI::App& command, const std::shared_ptr<Arguments>& arguments, Action& action,
                const char* classes, const char* data) {
  command.add_option("RUN", arguments->run, "the directory of a finished run")->required();
  command.add_option("--classes", arguments->classes, classes)
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  command.add_option("--data", arguments->event.data, data)->type_name("SOURCE");
  add_sets(command, arguments->event.sets);
  command.add_option("--epochs", arguments->epochs, "epochs over these images")
      ->check(kPositive)
      ->default_str("as the run's later tasks")
      ->type_name("N");
  command.add_option("--reason", arguments->event.reason, "a text for the ledger")
      ->type_name("TEXT");
  command.add_flag("--replay", arguments->event.replay,
                   "carry the event out twice and compare the bits before anything is removed");
  command.add_flag("--resume", arguments->event.resume, "continue an interrupted event");
  command.add_flag("--discard", arguments->discard,
                   "drop an event that was interrupted or not accepted");
  command.add_flag("--dry-run", arguments->dry_run, "say what would be done, then exit");
  add_threads(command, arguments->threads);
  command.callback([arguments, &action] { action = [arguments] { return execute(*arguments); }; });
}

}  // namespace

void add_forget(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "forget",
      "Forget classes of a finished run: train a new version of the model, then erase the classes "
      "from it.\n"
      "A request is about whole classes. Single images or persons within a class are not covered.\n"
      "The exit status is 4 if a class is not forgotten or kept classes are damaged; the run then "
      "stays as it was.");
  command->footer("example: lethe forget runs/demo --classes Coat --data fashion_mnist");
  auto arguments = std::make_shared<Arguments>();
  arguments->event.kind = EventKind::kForget;
  add_common(*command, arguments, action, "the classes to forget, separated by commas",
             "images that may be used: a configuration, a preset, the name of a dataset, or a "
             "folder. Trains on images of kept classes; classification: also on images of classes "
             "that the run does not know, with predicted labels. Without --data, no training image "
             "is used");
  command->add_flag("--use-forgotten-images", arguments->event.use_forgotten_images,
                    "also train on images in --data that show a class to forget: with a uniform "
                    "target (classification) or as background (segmentation); the ledger says so. "
                    "With --exact: segmentation only");
  command->add_flag(
      "--exact", arguments->event.exact,
      "train the whole stream again from the beginning, without the classes, with the "
      "settings and the seed of the run; needs images of every kept class in --data");
  command->add_option("--steps", arguments->steps, "steps of a request without images")
      ->check(kPositive)
      ->default_str("request.steps")
      ->type_name("N");
  command->add_flag(
      "--accept", arguments->event.accept,
      "accept the candidate: carry the request out again and make the result the newest "
      "version");
}

void add_learn(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("learn", "Learn new classes with a finished run.");
  command->footer("example: lethe learn runs/first --data my_images --classes bird,boat");
  auto arguments = std::make_shared<Arguments>();
  arguments->event.kind = EventKind::kLearn;
  add_common(*command, arguments, action,
             "the new classes, separated by commas; default: all that the run does not know",
             "the images: a configuration, a preset, the name of a dataset, or a folder");
}

}  // namespace lethe::app
