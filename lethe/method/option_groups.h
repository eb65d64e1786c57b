// The options of all methods: one group per [method.<section>], made by the methods that use it. A
// group is a plain struct with `static constexpr const char* kSection` and a config_fields(), and
// a resolve(info) if it has values that follow from the data set; composed methods share groups.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "lethe/core/config.h"
#include "lethe/core/error.h"
#include "lethe/data/dataset.h"

namespace lethe {

class OptionGroups {
 public:
  OptionGroups() = default;
  OptionGroups(const OptionGroups&) = delete;  // fields() point into the groups
  OptionGroups& operator=(const OptionGroups&) = delete;

  template <typename T>
  void add() {
    if (groups_.contains(T::kSection)) return;
    auto group = std::make_shared<T>();
    groups_[T::kSection] = {group, [group] { return config_fields(*group); },
                            [group](const DatasetInfo& info) {
                              if constexpr (requires { group->resolve(info); })
                                group->resolve(info);
                            }};
  }

  template <typename T>
  T& get() const {
    const auto found = groups_.find(T::kSection);
    if (found == groups_.end()) throw_error<Error>("no method declares [method.{}]", T::kSection);
    return *std::static_pointer_cast<T>(found->second.value);
  }

  // Replaces every "auto" by what it means for this data set.
  void resolve(const DatasetInfo& info) const {
    for (const auto& [section, group] : groups_) group.resolve(info);
  }

  Fields fields() const {
    Fields all;
    for (const auto& [section, group] : groups_) {
      for (auto& field : group.fields()) all.push_back(std::move(field));
    }
    return all;
  }

 private:
  struct Group {
    std::shared_ptr<void> value;
    std::function<Fields()> fields;
    std::function<void(const DatasetInfo&)> resolve;
  };
  std::map<std::string, Group> groups_;
};

}  // namespace lethe
