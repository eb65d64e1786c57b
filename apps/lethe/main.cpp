// The program: parse, wire, run. Only here are errors caught; every kind has its exit status.
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>

#include "apps/lethe/commands.h"
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
  command
      .add_option("--set", sets, "override one key, e.g. train.lr=0.05; may stand several times")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
}

void add_threads(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "of LibTorch [physical cores]")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
}

const CLI::Validator kSeed(
    [](const std::string& text) {
      int64_t value = -1;
      const auto* end = text.data() + text.size();
      const auto parsed = std::from_chars(text.data(), end, value);
      const bool fits = parsed.ec == std::errc() && parsed.ptr == end && value >= 0;
      return fits ? std::string()
                  : fmt::format("'{}' is not a whole number from 0 to {}", text, INT64_MAX);
    },
    "");

namespace {

// The word where a command was expected, if it is none: CLI11 only says that one is required.
std::string unknown_command(CLI::App& app, int argc, char** argv) {
  CLI::App* at = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("-")) continue;
    CLI::App* next = nullptr;
    std::vector<std::string> known;
    for (auto* command : at->get_subcommands({})) {
      known.push_back(command->get_name());
      if (command->get_name() == word) next = command;
    }
    if (known.empty()) return "";
    if (next == nullptr)
      return fmt::format("unknown command '{}'{}", word, choose_from(word, known));
    at = next;
  }
  return "";
}

int fail(int status, std::string_view message) {
  log_message(LogLevel::kError, message);
  return status;
}

int run_main(int argc, char** argv) {
  catch_stop_signals();
  CLI::App app(
      "lifelong learning that can forget on request\n"
      "\n"
      "examples:\n"
      "  lethe run demo --out runs/first          learn, forget two classes, report\n"
      "  lethe run my.toml --set train.epochs=10  with a configuration of your own\n"
      "  lethe run my.toml --resume               go on after an interruption\n"
      "  lethe eval runs/first                    evaluate the last model again",
      "lethe");
  app.footer(
      "exit status: 0 done, 1 the run failed, 2 bad command line or configuration,\n"
      "             3 unreadable data or model file, 4 a check did not pass");
  app.set_version_flag("--version", fmt::format("lethe {} ({}), LibTorch {}, {}", version(),
                                                commit(), torch_version(), compiler_version()));
  app.require_subcommand(1);
  bool quiet = false;
  bool verbose = false;
  app.add_flag("-q,--quiet", quiet, "warnings and errors only");
  app.add_flag("-v,--verbose", verbose, "say more");
  app.parse_complete_callback([&] {
    if (verbose) set_log_level(LogLevel::kDebug);
    if (quiet) set_log_level(LogLevel::kWarning);
  });
  app.fallthrough();  // -q and -v may follow the command
  Action action;
  add_run(app, action);
  add_eval(app, action);
  add_suite(app, action);
  add_data(app, action);
  add_list(app, action);
  add_bench(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (asked) return app.exit(error);
    if (const auto unknown = unknown_command(app, argc, argv); !unknown.empty())
      return fail(2, unknown);
    return fail(2, fmt::format("{} (see `lethe --help`)", error.what()));
  }
  return action();
}

}  // namespace

}  // namespace lethe::app

int main(int argc, char** argv) {
  using lethe::app::fail;
  try {
    return lethe::app::run_main(argc, argv);
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
    return fail(1, "not enough memory; a smaller train.batch or eval.batch needs less");
  } catch (const std::exception& error) {
    return fail(1, error.what());
  }
}
