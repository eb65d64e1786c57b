#include "lethe/model/load_weights.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "lethe/core/error.h"
#include "lethe/core/tensor_check.h"
#include "lethe/core/text.h"

namespace lethe {

namespace {

constexpr size_t kMaxListed = 3;  // names of one kind in a message

bool is_head(const std::string& name) {
  return name.starts_with("heads.") || name.starts_with("classifier.");
}

// Entries outside the backbone. If the file lacks them, they are initialised from scratch without a
// warning.
bool is_beyond_backbone(const std::string& name) {
  return is_head(name) || name.starts_with("aspp.") || name.starts_with("low_level.") ||
         name.starts_with("decoder.");
}

// torchvision's batch counter, which is not used here.
bool is_counter(const std::string& name) { return name.ends_with("num_batches_tracked"); }

std::string typed_shape(const at::Tensor& tensor) {
  return fmt::format("{} {}", c10::toString(tensor.scalar_type()), shape_text(tensor.sizes()));
}

enum class Types { kMustEqual, kConvertFloats };

bool types_fit(const at::Tensor& a, const at::Tensor& b, Types types) {
  if (a.scalar_type() == b.scalar_type()) return true;
  return types == Types::kConvertFloats && a.is_floating_point() && b.is_floating_point();
}

WeightReport compare(const StateDict& network, const StateDict& file, Types types) {
  WeightReport report;
  for (const auto& [name, own] : network) {
    const auto found = file.find(name);
    if (found == file.end()) {
      report.missing.push_back({name, shape_text(own.sizes())});
    } else if (own.sizes() != found->second.sizes()) {
      report.mis_shaped.push_back(
          {name, shape_text(own.sizes()), shape_text(found->second.sizes())});
    } else if (!types_fit(own, found->second, types)) {
      report.mis_shaped.push_back({name, typed_shape(own), typed_shape(found->second)});
    } else {
      report.loaded.push_back({name, shape_text(own.sizes())});
    }
  }
  for (const auto& [name, tensor] : file) {
    if (!network.contains(name)) report.unexpected.push_back({name, shape_text(tensor.sizes())});
  }
  return report;
}

void copy_loaded(const WeightReport& report, const StateDict& from, const StateDict& to) {
  at::NoGradGuard no_grad;
  for (const auto& entry : report.loaded) to.at(entry.name).copy_(from.at(entry.name));
}

std::string listed(const std::vector<std::string>& texts) {
  const auto shown = std::min(texts.size(), kMaxListed);
  auto text = fmt::format(
      "{}", fmt::join(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < texts.size()) text += fmt::format(" and {} more", texts.size() - shown);
  return text;
}

std::string listed(const std::vector<WeightEntry>& entries) {
  std::vector<std::string> texts;
  for (const auto& entry : entries) texts.push_back(entry.name + ' ' + entry.shape);
  return listed(texts);
}

std::string listed(const std::vector<WeightMismatch>& entries) {
  std::vector<std::string> texts;
  for (const auto& entry : entries) {
    texts.push_back(
        fmt::format("{} (network {}, file {})", entry.name, entry.in_network, entry.in_file));
  }
  return listed(texts);
}

template <typename Drop>
std::vector<WeightEntry> without(std::vector<WeightEntry> entries, Drop drop) {
  std::erase_if(entries, [&](const WeightEntry& entry) { return drop(entry.name); });
  return entries;
}

// "; what: a, b", or "" if there are no entries.
template <typename Entries>
std::string clause(const char* what, const Entries& entries) {
  return entries.empty() ? "" : fmt::format("; {}: {}", what, listed(entries));
}

// Suggests model.width if the file has another width. Uses the first norm, by torchvision's name.
std::string width_hint(const StateDict& network, const StateDict& file) {
  const auto own = network.find("bn1.weight");
  const auto other = file.find("bn1.weight");
  if (own == network.end() || other == file.end() || own->second.dim() != 1 ||
      other->second.dim() != 1 || own->second.size(0) == other->second.size(0)) {
    return "";
  }
  return fmt::format("; its first stage has {1} channels, the network's {0}: set model.width = {1}",
                     own->second.size(0), other->second.size(0));
}

}  // namespace

bool WeightReport::backbone_complete() const {
  return mis_shaped.empty() && without(missing, is_beyond_backbone).empty();
}

WeightReport load_weights(Network& network, const StateDict& weights, const std::string& file) {
  const auto state = named_state(network);
  auto usable = weights;
  std::erase_if(usable, [](const auto& item) { return is_head(item.first); });
  auto report = compare(state, usable, Types::kConvertFloats);
  for (const auto& [name, tensor] : weights) {
    if (is_head(name)) report.unexpected.push_back({name, shape_text(tensor.sizes())});
  }
  std::sort(report.unexpected.begin(), report.unexpected.end(),
            [](const WeightEntry& a, const WeightEntry& b) { return a.name < b.name; });
  if (report.loaded.empty()) {
    auto why = width_hint(state, usable);
    if (why.empty()) {
      why = clause("the network needs", without(report.missing, is_beyond_backbone)) +
            clause("other shapes", report.mis_shaped);
    }
    throw_error<DataError>("{}: none of its entries ({}) fits the network{}", file, weights.size(),
                           why);
  }
  copy_loaded(report, weights, state);
  return report;
}

std::string summary(const WeightReport& report, const std::string& file) {
  const auto missing = without(report.missing, is_beyond_backbone);
  const size_t wanted = report.loaded.size() + missing.size() + report.mis_shaped.size();
  return fmt::format(
      "{}: {} of {} loaded{}{}{}; heads initialised from scratch", file, report.loaded.size(),
      counted(static_cast<int64_t>(wanted), "backbone entry", "backbone entries"),
      clause("missing, initialised from scratch", missing),
      clause("initialised from scratch because their shapes differ", report.mis_shaped),
      clause("not used", without(report.unexpected, is_counter)));
}

void load_state(torch::nn::Module& module, const StateDict& state, const std::string& origin) {
  const auto own = named_state(module);
  const auto report = compare(own, state, Types::kMustEqual);
  const bool fits =
      report.missing.empty() && report.unexpected.empty() && report.mis_shaped.empty();
  if (!fits) {
    throw_error<DataError>(
        "{}: does not fit the network{}{}{}", origin, clause("missing", report.missing),
        clause("unexpected", report.unexpected), clause("different", report.mis_shaped));
  }
  copy_loaded(report, state, own);
}

}  // namespace lethe
