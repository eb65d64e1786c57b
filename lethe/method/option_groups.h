// The options of all methods: one group per [method.<section>]. A group is a plain struct with
// `static constexpr const char* kSection`, a config_fields(), and a resolve(info) if some of its
// values depend on the dataset. Methods that are composed of the same parts share groups.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lethe/core/config.h"
#include "lethe/core/error.h"
#include "lethe/data/dataset.h"

namespace lethe {

class OptionGroups {
 public:
  OptionGroups() = default;
  OptionGroups(const OptionGroups&) = delete;  // fields() point into the groups
  OptionGroups& operator=(const OptionGroups&) = delete;

  // No effect if the group exists.
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
    return *std::static_pointer_cast<T>(find(T::kSection).value);
  }

  // Sets the values of some sections that depend on the dataset. Throws ConfigError if a value does
  // not fit it.
  void resolve(const std::vector<std::string>& sections, const DatasetInfo& info) const {
    for (const auto& section : sections) find(section).resolve(info);
  }

  // The fields of some sections, or of all.
  Fields fields(const std::vector<std::string>& sections) const {
    Fields all;
    for (const auto& section : sections) {
      for (auto& field : find(section).fields()) all.push_back(std::move(field));
    }
    return all;
  }
  Fields fields() const {
    std::vector<std::string> sections;
    for (const auto& [section, group] : groups_) sections.push_back(section);
    return fields(sections);
  }

 private:
  struct Group {
    std::shared_ptr<void> value;
    std::function<Fields()> fields;
    std::function<void(const DatasetInfo&)> resolve;
  };
  const Group& find(const std::string& section) const {
    const auto found = groups_.find(section);
    if (found == groups_.end()) throw_error<Error>("no method declares [method.{}]", section);
    return found->second;
  }

  std::map<std::string, Group> groups_;
};

}  // namespace lethe
