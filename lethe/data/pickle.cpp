#include "lethe/data/pickle.h"

#include <algorithm>
#include <utility>

#include "lethe/core/error.h"

namespace lethe {

namespace {

using List = PickleValue::List;
using Dict = PickleValue::Dict;

PicklePtr make(decltype(PickleValue::value) value) {
  return std::make_shared<PickleValue>(PickleValue{std::move(value)});
}

// Python 3 hides bytes in protocol 2 as text of the characters 0 to 255: back to bytes.
std::string from_utf8(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<uint8_t>(text[i]);
    if (first < 0x80 || i + 1 == text.size()) {
      bytes += text[i];
    } else {
      bytes += static_cast<char>((first & 0x03) << 6 | (static_cast<uint8_t>(text[++i]) & 0x3F));
    }
  }
  return bytes;
}

// The machine of the format: opcodes work on a stack, and a memo names what was there before.
class Machine {
 public:
  Machine(std::string_view bytes, const std::string& origin) : bytes_(bytes), origin_(origin) {}

  PicklePtr run() {
    for (;;) {
      const auto code = static_cast<uint8_t>(take(1).front());
      if (code == '.') return pop();
      step(code);
    }
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw_error<DataError>("{}: is no pickle that can be read: {} at byte {}", origin_, what,
                           place_);
  }

  std::string_view take(uint64_t count) {
    if (count > bytes_.size() - place_) fail("cut off");
    const auto part = bytes_.substr(place_, count);
    place_ += count;
    return part;
  }

  uint64_t number(size_t count) {
    const auto part = take(count);
    uint64_t value = 0;
    for (size_t i = count; i > 0; --i) value = value << 8 | static_cast<uint8_t>(part[i - 1]);
    return value;
  }

  std::string line() {
    const auto end = bytes_.find('\n', place_);
    if (end == std::string_view::npos) fail("cut off");
    std::string text(take(end - place_));
    take(1);
    return text;
  }

  void push(decltype(PickleValue::value) value) { stack_.push_back(make(std::move(value))); }

  PicklePtr pop() {
    if (stack_.empty()) fail("an empty stack");
    auto top = stack_.back();
    stack_.pop_back();
    return top;
  }

  template <typename T>
  T& as(const PicklePtr& item) const {
    auto* value = std::get_if<T>(&item->value);
    if (value == nullptr) fail("an unexpected kind of value");
    return *value;
  }

  // What was pushed since the last mark, which goes too.
  List since_mark() {
    List items;
    for (;;) {
      auto item = pop();
      if (std::holds_alternative<PickleValue::Mark>(item->value)) break;
      items.push_back(std::move(item));
    }
    std::reverse(items.begin(), items.end());
    return items;
  }

  void push_tuple(size_t count) {
    List items(count);
    for (size_t i = count; i > 0; --i) items[i - 1] = pop();
    push(std::move(items));
  }

  void append(const List& items) {
    if (stack_.empty()) fail("an empty stack");
    auto& list = as<List>(stack_.back());
    list.insert(list.end(), items.begin(), items.end());
  }

  void set_items(const List& items) {
    if (stack_.empty() || items.size() % 2 != 0) fail("keys without values");
    auto& dict = as<Dict>(stack_.back());
    for (size_t i = 0; i < items.size(); i += 2) dict[as<std::string>(items[i])] = items[i + 1];
  }

  void memoize(uint64_t index) {
    if (stack_.empty()) fail("an empty stack");
    memo_[index] = stack_.back();
  }

  void recall(uint64_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) fail("an unknown reference");
    stack_.push_back(found->second);
  }

  void call() {
    const auto arguments = pop();
    const auto name = as<PickleValue::Global>(pop()).name;
    const auto& list = as<List>(arguments);
    if (name.ends_with("multiarray _reconstruct")) {
      push(PickleArray{});
    } else if (name == "numpy dtype" && !list.empty()) {
      push(as<std::string>(list.front()));
    } else if (name == "_codecs encode" && !list.empty()) {
      push(from_utf8(as<std::string>(list.front())));
    } else {
      fail("an object that is not known");
    }
  }

  // The state of an array: version, shape, type, whether columns come first, the bytes.
  void build() {
    const auto state = pop();
    if (stack_.empty()) fail("an empty stack");
    auto* array = std::get_if<PickleArray>(&stack_.back()->value);
    if (array == nullptr) return;  // of a type: byte order and the like, nothing for bytes
    const auto& parts = as<List>(state);
    if (parts.size() != 5) fail("an array of another form");
    for (const auto& side : as<List>(parts[1])) array->shape.push_back(as<int64_t>(side));
    if (as<std::string>(parts[2]) != "u1") fail("an array that is not of bytes");
    if (as<int64_t>(parts[3]) != 0) fail("an array with its columns first");
    array->bytes = as<std::string>(parts[4]);
  }

  void push_text(uint64_t length) { push(std::string(take(length))); }

  void step(uint8_t code) {
    switch (code) {
      case 0x80:
        take(1);
        return;  // protocol
      case 0x95:
        take(8);
        return;  // frame
      case '(':
        push(PickleValue::Mark{});
        return;
      case 'N':
        push(PickleValue::None{});
        return;
      case 0x88:
        push(int64_t{1});
        return;  // true
      case 0x89:
        push(int64_t{0});
        return;  // false
      case 'K':
        push(static_cast<int64_t>(number(1)));
        return;
      case 'M':
        push(static_cast<int64_t>(number(2)));
        return;
      case 'J':
        push(int64_t{static_cast<int32_t>(number(4))});
        return;
      case 'U':
      case 0x8C:
      case 'C':
        push_text(number(1));
        return;  // short texts and bytes
      case 'T':
      case 'X':
      case 'B':
        push_text(number(4));
        return;
      case 0x8D:
      case 0x8E:
        push_text(number(8));
        return;
      case ']':
      case ')':
        push(List{});
        return;
      case '}':
        push(Dict{});
        return;
      case 't':
      case 'l':
        push(since_mark());
        return;
      case 0x85:
        push_tuple(1);
        return;
      case 0x86:
        push_tuple(2);
        return;
      case 0x87:
        push_tuple(3);
        return;
      case 'a':
        append({pop()});
        return;
      case 'e':
        append(since_mark());
        return;
      case 's': {
        auto value = pop();
        auto key = pop();
        set_items({key, value});
        return;
      }
      case 'u':
        set_items(since_mark());
        return;
      case 'q':
        memoize(number(1));
        return;
      case 'r':
        memoize(number(4));
        return;
      case 0x94:
        memoize(memo_.size());
        return;
      case 'h':
        recall(number(1));
        return;
      case 'j':
        recall(number(4));
        return;
      case 'c': {
        auto module = line();
        push(PickleValue::Global{module + ' ' + line()});
        return;
      }
      case 0x93: {
        const auto name = as<std::string>(pop());
        push(PickleValue::Global{as<std::string>(pop()) + ' ' + name});
        return;
      }
      case 'R':
        call();
        return;
      case 'b':
        build();
        return;
      default:
        fail("an operation that is not known");
    }
  }

  std::string_view bytes_;
  const std::string& origin_;
  size_t place_ = 0;
  List stack_;
  std::map<uint64_t, PicklePtr> memo_;
};

template <typename T>
const T& part(const Dict& dict, const std::string& key, const std::string& origin) {
  const auto found = dict.find(key);
  const T* value = found == dict.end() ? nullptr : std::get_if<T>(&found->second->value);
  if (value == nullptr) throw_error<DataError>("{}: has no '{}' of the expected kind", origin, key);
  return *value;
}

template <typename T>
std::vector<T> parts_of(const Dict& dict, const std::string& key, const std::string& origin) {
  std::vector<T> result;
  for (const auto& item : part<List>(dict, key, origin)) {
    const auto* value = std::get_if<T>(&item->value);
    if (value == nullptr) throw_error<DataError>("{}: '{}' holds an unexpected kind", origin, key);
    result.push_back(*value);
  }
  return result;
}

}  // namespace

Dict read_pickle_dict(std::string_view bytes, const std::string& origin) {
  const auto top = Machine(bytes, origin).run();
  const auto* dict = std::get_if<Dict>(&top->value);
  if (dict == nullptr) throw_error<DataError>("{}: expected a pickled dictionary", origin);
  return *dict;
}

const PickleArray& array_of(const Dict& dict, const std::string& key, const std::string& origin) {
  return part<PickleArray>(dict, key, origin);
}

std::vector<int64_t> numbers_of(const Dict& dict, const std::string& key,
                                const std::string& origin) {
  return parts_of<int64_t>(dict, key, origin);
}

std::vector<std::string> texts_of(const Dict& dict, const std::string& key,
                                  const std::string& origin) {
  return parts_of<std::string>(dict, key, origin);
}

}  // namespace lethe
