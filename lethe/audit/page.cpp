#include "lethe/audit/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "lethe/audit/page_text.h"
#include "lethe/audit/verdict.h"
#include "lethe/core/progress.h"
#include "lethe/report/html.h"
#include "lethe/report/line_chart.h"
#include "lethe/report/table.h"

namespace lethe {

namespace {

std::string paragraph(const std::string& text, const char* style = "") {
  return fmt::format("<p{}>{}</p>\n", *style ? fmt::format(" class=\"{}\"", style) : "",
                     html_escaped(text));
}

bool is_in_points(const CheckRecord& check) {
  return check.excess && std::isfinite(check.excess->low) && check.margin &&
         check.check != "relearning" && check.check != "membership";
}

// Every check as a point with its interval; a dashed line at its margin.
std::string interval_plot(const AuditRecord& record) {
  std::vector<const CheckRecord*> shown;
  double low = -0.02, high = 0.05;
  for (const auto& check : record.checks) {
    if (!is_in_points(check)) continue;
    shown.push_back(&check);
    low = std::min({low, check.excess->low, *check.margin});
    high = std::max({high, check.excess->high, *check.margin});
  }
  if (shown.empty()) return "";
  constexpr double kLeft = 260, kWidth = 460, kRow = 24;
  const auto x = [&](double value) { return kLeft + kWidth * (value - low) / (high - low); };
  const double height = kRow * static_cast<double>(shown.size()) + 40;
  std::string text = fmt::format(
      "<div class=\"scroll\"><svg viewBox=\"0 0 {} {}\" width=\"{}\" role=\"img\" "
      "aria-label=\"Excess over the oracles with 95 % intervals, check by check\">\n",
      kLeft + kWidth + 20, height, kLeft + kWidth + 20);
  text += fmt::format("<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"10\" y2=\"{1}\"/>\n",
                      x(0), height - 25);
  for (const double tick : {low, 0.0, high})
    text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x(tick),
                        height - 8, signed_points(tick));
  for (size_t i = 0; i < shown.size(); ++i) {
    const auto& check = *shown[i];
    const double y = 24 + kRow * static_cast<double>(i);
    const char* style = name_of(check.outcome);
    text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLeft - 12,
                        y + 4, html_escaped(check.title));
    text += fmt::format(
        "<line class=\"margin\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n",
        x(*check.margin), y - 9, y + 9);
    text += fmt::format(
        "<line class=\"{0}\" x1=\"{1:.1f}\" x2=\"{2:.1f}\" y1=\"{3}\" y2=\"{3}\" "
        "stroke-width=\"2\"/><circle class=\"{0}\" cx=\"{4:.1f}\" cy=\"{3}\" r=\"4\"/>\n",
        style, x(check.excess->low), x(check.excess->high), y, x(check.excess->value));
  }
  return text + "</svg></div>\n" +
         paragraph(
             "Excess over the oracles in points, with one-sided 95 % intervals on both "
             "sides. Dashed: the excess that is allowed.",
             "soft");
}

std::string checks_table(const AuditRecord& record) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> styles;
  for (const auto& check : record.checks) {
    const auto other = [](const std::optional<double>& value) {
      return value ? percent(*value) : std::string("-");
    };
    rows.push_back({check.title + (check.gated ? " *" : ""), check.figure, model_text(check),
                    reference_text(check), other(check.start), other(check.before),
                    other(check.pixels), excess_text(check), margin_text(check),
                    name_of(check.outcome)});
    styles.emplace_back(name_of(check.outcome));
  }
  return html_table({"check", "figure", "model", "oracles", "start", "before", "pixels",
                     "excess (95 %)", "allowed", "outcome"},
                    rows, styles) +
         paragraph(
             "* decides the verdict. Start: the network before it learned anything. Before: "
             "the version before the request. Pixels: the images without a network.",
             "soft");
}

std::string notes(const AuditRecord& record) {
  std::string text;
  for (const auto& check : record.checks) {
    if (check.note.empty()) continue;
    text += fmt::format("<li><strong>{}</strong>: {}</li>\n", html_escaped(check.title),
                        html_escaped(check.note));
  }
  for (const auto& remark : record.remarks)
    text += fmt::format("<li>{}</li>\n", html_escaped(remark));
  return text.empty() ? "" : "<h2>Remarks</h2>\n<ul>\n" + text + "</ul>\n";
}

std::string classes_of(const AuditRecord& record) {
  std::string text;
  for (const auto& check : record.checks) {
    if (check.classes.empty() || check.check == "control") continue;
    std::vector<std::vector<std::string>> rows;
    for (const auto& own : check.classes) {
      const auto cell = [](const std::optional<double>& value) {
        return value ? percent(*value) : std::string("-");
      };
      std::string exact = "-";
      if (own.images > 0) {
        const auto interval = clopper_pearson(own.hits, own.images);
        exact = fmt::format("{} to {} ({} of {})", percent(interval.low), percent(interval.high),
                            own.hits, own.images);
      }
      rows.push_back({own.name, percent(own.model), cell(own.oracle), cell(own.start),
                      cell(own.pixels), exact});
    }
    text += fmt::format(
        "<details><summary>{}</summary>\n{}</details>\n", html_escaped(check.title),
        html_table({"class", "model", "oracles", check.check == "collateral" ? "before" : "start",
                    "pixels", "exact 95 % interval"},
                   rows));
  }
  return text.empty() ? "" : "<h2>Class by class</h2>\n" + text;
}

std::string costs(const AuditRecord& record) {
  std::vector<std::vector<std::string>> rows = {
      {"the events with requests", "-", duration_text(record.request_seconds), "-", "-"}};
  for (const auto& own : record.references)
    rows.push_back({own.name + (own.from_cache ? " (from the cache)" : ""),
                    std::to_string(own.seed), duration_text(own.seconds),
                    std::to_string(own.images), own.model_hash.substr(0, 12)});
  return "<h2>Cost</h2>\n" + html_table({"", "seed", "time", "images trained on", "model"}, rows);
}

// The excess of probe and 5-shot over the versions of a run.
std::string curve(const AuditRecord& record, const std::vector<AuditRecord>& history) {
  std::vector<const AuditRecord*> all;
  for (const auto& other : history) all.push_back(&other);
  if (std::none_of(all.begin(), all.end(),
                   [&](const auto* other) { return other->version == record.version; }))
    all.push_back(&record);
  if (all.size() < 2) return "";
  std::sort(all.begin(), all.end(),
            [](const auto* a, const auto* b) { return a->version < b->version; });
  LineChart chart{
      .title = "Excess over the oracles, version by version",
      .x_name = "version",
      .y_name = "points",
      .places = {},
      .lines = {{.name = "linear probe", .values = {}, .deviations = {}},
                {.name = "5-shot", .values = {}, .deviations = {}},
                {.name = "5-shot of kept classes, fall", .values = {}, .deviations = {}}},
      .y_min = -5,
      .y_max = 10};
  for (const auto* one : all) {
    chart.places.push_back(std::to_string(one->version));
    double probe = NAN, shots = NAN, control = NAN;
    for (const auto& check : one->checks) {
      if (!check.excess) continue;
      if (check.check == "probe" && check.is_last_stage) probe = 100 * check.excess->value;
      if (check.title == "5-shot") shots = 100 * check.excess->value;
      if (check.title == "5-shot of kept classes") control = 100 * check.excess->value;
    }
    const double values[] = {probe, shots, control};
    for (size_t i = 0; i < 3; ++i) {
      chart.lines[i].values.push_back(values[i]);
      if (!std::isfinite(values[i])) continue;
      chart.y_min = std::min(chart.y_min, std::floor(values[i]));
      chart.y_max = std::max(chart.y_max, std::ceil(values[i]));
    }
  }
  return "<h2>Relapse</h2>\n" + to_svg(chart);
}

}  // namespace

std::string audit_page(const AuditRecord& record, const std::vector<AuditRecord>& history) {
  const auto verdict = verdict_of(record);
  std::string body =
      fmt::format("<h1>Audit of {}, version {}</h1>\n", html_escaped(record.run), record.version);
  body += fmt::format("<p class=\"verdict {0}\">{0}</p>\n", name_of(verdict.outcome));
  body += paragraph(verdict.reason + '.');
  body += paragraph(fmt::format(
      "Method {}. Forgotten: {}. Measured on {} test {}; probes learn from {} rows ({}).",
      record.method, fmt::join(record.forgotten, ", "), record.test_rows, record.unit,
      record.fit_rows, record.fit_source));
  if (!record.never_learned.empty())
    body += paragraph(fmt::format("Never learned, so there is nothing to measure: {}.",
                                  fmt::join(record.never_learned, ", ")));
  body += "<h2>Checks</h2>\n" + interval_plot(record) + checks_table(record);
  body += curve(record, history) + notes(record) + classes_of(record) + costs(record);
  body += "<h2>What an audit cannot show</h2>\n<ul>\n";
  for (const auto& limit : limits_of_audits())
    body += fmt::format("<li>{}</li>\n", html_escaped(limit));
  body += "</ul>\n<h2>To check it again</h2>\n";
  body += html_table({"", "SHA-256"}, {{"model", record.model_hash},
                                       {"configuration", record.config_hash},
                                       {"data", record.data_hash}});
  body += paragraph(fmt::format("Seed {}, {} bootstrap draws. All figures are in audit.json.",
                                record.seed, record.draws),
                    "soft");
  return html_page(fmt::format("Audit of {}, version {}", record.run, record.version), body);
}

}  // namespace lethe
