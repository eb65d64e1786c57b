// Python pickles, as far as the files of CIFAR need them: a dictionary of lists and one array of
// bytes. No code of the pickle is run: of its objects only NumPy's arrays are known.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lethe {

struct PickleValue;
using PicklePtr = std::shared_ptr<PickleValue>;

struct PickleArray {
  std::vector<int64_t> shape;
  std::string bytes;  // uint8, last dimension fastest
};

struct PickleValue {
  struct None {};
  struct Mark {};
  struct Global {
    std::string name;  // "module name"
  };
  using List = std::vector<PicklePtr>;  // tuples too
  using Dict = std::map<std::string, PicklePtr>;
  std::variant<None, Mark, Global, int64_t, std::string, List, Dict, PickleArray> value;
};

// The dictionary that bytes hold (protocols 2 to 4). Throws DataError, naming origin, for anything
// that is not understood.
PickleValue::Dict read_pickle_dict(std::string_view bytes, const std::string& origin);

// Parts of it. Throw DataError, naming origin and key, if it is not there or of another kind.
const PickleArray& array_of(const PickleValue::Dict& dict, const std::string& key,
                            const std::string& origin);
std::vector<int64_t> numbers_of(const PickleValue::Dict& dict, const std::string& key,
                                const std::string& origin);
std::vector<std::string> texts_of(const PickleValue::Dict& dict, const std::string& key,
                                  const std::string& origin);

}  // namespace lethe
