// Reads Python pickles (protocols 2 to 4) without running any code.
//
// A pickle is a program for a stack machine and may name any function of Python. This reader knows
// only the opcodes that build plain values. A name must be in the caller's list, and a call of it
// only gives a PickleObject, whose meaning the caller decides. Memory is at most proportional to
// the size of the pickle, values are at most 32 levels deep, and there are no cycles.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lethe {

struct PickleValue;
using PicklePtr = std::shared_ptr<const PickleValue>;

struct PickleNone {};
struct PickleTuple {
  std::vector<PicklePtr> items;

  // Item i if it exists and has this type, otherwise null.
  template <typename T>
  const T* get(size_t i) const;
};
using PickleList = std::vector<PicklePtr>;
using PickleDict = std::vector<std::pair<PicklePtr, PicklePtr>>;  // in the order of the file
struct PickleName {
  std::string name;  // "collections.OrderedDict"
};
// The call of a name, and the state that was set on its result (null = none).
struct PickleObject {
  std::string name;
  std::shared_ptr<const PickleTuple> arguments;
  PicklePtr state = nullptr;
};
// A persistent id: data outside the pickle.
struct PickleReference {
  std::shared_ptr<const PickleTuple> id;
};

struct PickleValue {
  // Texts and bytes are both std::string. An OrderedDict is a PickleDict without attributes.
  std::variant<PickleNone, bool, int64_t, double, std::string, PickleTuple, PickleList, PickleDict,
               PickleName, PickleObject, PickleReference>
      value;
  int depth = 1;  // levels of values within values

  // The content if it has this type, otherwise null.
  template <typename T>
  const T* get() const {
    return std::get_if<T>(&value);
  }
};

template <typename T>
const T* PickleTuple::get(size_t i) const {
  return i < items.size() ? items[i]->get<T>() : nullptr;
}

struct PickleNames {
  std::vector<std::string_view> allowed;  // in addition to collections.OrderedDict
  std::string_view refusal;               // end of the message "refers to 'os.system', which ..."
};

// Throws DataError if the pickle is damaged or contains anything that is not allowed (see above).
// Messages do not name the file, because only the caller knows it.
PicklePtr read_pickle(std::string_view bytes, const PickleNames& names);

// The value of a text key, or null.
PicklePtr find(const PickleDict& dict, std::string_view key);

}  // namespace lethe
