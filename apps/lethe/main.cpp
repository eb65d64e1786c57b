// The program: parse, wire, run. Only here are errors caught; every kind has its exit status.
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "apps/lethe/commands.h"
#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/signals.h"
#include "lethe/core/system.h"
#include "lethe/run/environment.h"

namespace lethe::app {

int start(int threads) {
  const int used = set_up_threads(threads);
  log_environment(used);
  return used;
}

namespace {

int fail(int status, std::string_view message) {
  log_message(LogLevel::kError, message);
  return status;
}

int run_main(int argc, char** argv) {
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
    return fail(2, fmt::format("{} (see `lethe --help`)", error.what()));
  }
  catch_stop_signals();
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
