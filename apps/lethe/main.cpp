// The executable. Errors are caught only here; each kind has its own exit status (help.cpp).
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>

#include "apps/lethe/commands.h"
#include "apps/lethe/help.h"
#include "apps/lethe/spin_count.h"
#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/nearest.h"
#include "lethe/core/signals.h"
#include "lethe/core/system.h"
#include "lethe/record/environment.h"

namespace lethe::app {

int start(int threads) {
  const int used = set_up_threads(threads);
  log_environment(used);
  return used;
}

void add_sets(CLI::App& command, std::vector<std::string>& sets) {
  command.add_option("--set", sets, "override one key, e.g. train.lr=0.05; may be repeated")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
}

void add_threads(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "number of compute threads")
      ->check(CLI::Range(1, 1024))
      ->default_str("the physical cores available to the process")
      ->type_name("N");
}

namespace {

// -1 if the text is not an integer that fits.
int64_t integer_in(const std::string& text) {
  int64_t value = -1;
  const auto* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end ? value : -1;
}

}  // namespace

const CLI::Validator kSeed(
    [](const std::string& text) {
      return integer_in(text) >= 0
                 ? std::string()
                 : fmt::format("'{}' is not an integer from 0 to {}", text, INT64_MAX);
    },
    "");

const CLI::Validator kPositive(
    [](const std::string& text) {
      return integer_in(text) >= 1 ? std::string() : fmt::format("'{}': must be at least 1", text);
    },
    "");

CLI::App& find_command(CLI::App& app, const std::vector<std::string>& words) {
  CLI::App* at = &app;
  for (const auto& word : words) {
    CLI::App* next = nullptr;
    std::vector<std::string> known;
    for (auto* command : at->get_subcommands({})) {
      if (command->get_name() == word) next = command;
      if (!command->get_group().empty()) known.push_back(command->get_name());
    }
    if (next == nullptr && known.empty()) break;  // an argument of the command
    if (next == nullptr)
      throw_error<ConfigError>("unknown command '{}'{}", word, choose_from(word, known));
    at = next;
  }
  return *at;
}

void add_help(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("help", "Show the help of a command.");
  command->footer("example: lethe help data check");
  auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("COMMAND", *words, "the command, e.g. run")->type_name("");
  command->callback([&app, words, &action] {
    action = [&app, words] {
      fmt::print("{}", help_text(find_command(app, *words)));
      return 0;
    };
  });
}

namespace {

int fail(int status, std::string_view message) {
  log_message(LogLevel::kError, message);
  return status;
}

// A command line that CLI11 rejected. A group without its command, as `lethe data`, shows its help.
int fail_to_parse(CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    if (!std::string_view(argv[i]).starts_with('-')) words.emplace_back(argv[i]);
  }
  const auto& command = find_command(app, words);  // throws if a word is unknown
  if (!command.get_subcommands({}).empty() && words.size() + 1 == static_cast<size_t>(argc)) {
    fmt::print("{}", &command == &app ? short_help_text(app) : help_text(command));
    return 0;
  }
  return fail(2, fmt::format("{} (see `{} --help`)", error.what(), full_name(command)));
}

int run_main(int argc, char** argv) {
  catch_stop_signals();
  CLI::App app("Lifelong image classification and segmentation, with forgetting on request.",
               "lethe");
  use_help_text(app);
  app.footer(
      "examples:\n"
      "  lethe run demo --out runs/first          learn, forget two classes, report\n"
      "  lethe run my.toml --set train.epochs=10  use your own configuration\n"
      "  lethe run my.toml --resume               continue an interrupted run\n"
      "  lethe eval runs/first                    evaluate the last model again\n"
      "  lethe run --help-config                  common configuration keys");
  app.set_version_flag("--version",
                       fmt::format("lethe {} ({}), LibTorch {}, {}", version(), commit(),
                                   torch_version(), compiler_version()),
                       "print the versions of lethe, LibTorch and the compiler");
  app.require_subcommand(1);
  bool quiet = false;
  bool verbose = false;
  app.add_flag("-q,--quiet", quiet, "print warnings and errors only");
  app.add_flag("-v,--verbose", verbose, "print more log messages");
  app.parse_complete_callback([&] {
    if (verbose) set_log_level(LogLevel::kDebug);
    if (quiet) set_log_level(LogLevel::kWarning);
  });
  app.fallthrough();  // -q and -v may follow the command
  Action action;
  add_run(app, action);
  add_eval(app, action);
  add_forget(app, action);
  add_learn(app, action);
  add_history(app, action);
  add_verify(app, action);
  add_purge(app, action);
  add_suite(app, action);
  add_data(app, action);
  add_list(app, action);
  add_bench(app, action);
  add_oracle(app, action);
  add_help(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    return asked ? app.exit(error) : fail_to_parse(app, error, argc, argv);
  }
  return action();
}

}  // namespace

}  // namespace lethe::app

int main(int argc, char** argv) {
  using lethe::app::fail;
  lethe::app::ensure_spin_count(argv);
  try {
    return lethe::app::run_main(argc, argv);
  } catch (const lethe::Interrupted& error) {
    const int signal = lethe::stop_signal();
    return fail(128 + (signal == 0 ? SIGINT : signal), error.what());
  } catch (const lethe::ConfigError& error) {
    return fail(2, error.what());
  } catch (const lethe::DataError& error) {
    return fail(3, error.what());
  } catch (const lethe::Error& error) {
    return fail(1, error.what());
  } catch (const c10::Error& error) {
    const std::string what = error.what_without_backtrace();
    return fail(1, what.substr(0, what.find('\n')));
  } catch (const std::bad_alloc&) {
    return fail(1, "out of memory; try a smaller train.batch or eval.batch");
  } catch (const std::exception& error) {
    return fail(1, error.what());
  }
}
