#include "lethe/core/pickle.h"

#include <algorithm>
#include <bit>

#include "lethe/core/error.h"

namespace lethe {

namespace {

constexpr int kMaxDepth = 32;
constexpr std::string_view kOrderedDict = "collections.OrderedDict";

// A name from a file, for one line of a terminal.
std::string printable(std::string name) {
  constexpr size_t kMost = 100;
  if (name.size() > kMost) name.replace(kMost, std::string::npos, "...");
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return name;
}

class Machine {
 public:
  Machine(std::string_view bytes, const PickleNames& names) : in_(bytes), names_(names) {}

  PicklePtr run() {
    if (!in_.starts_with('\x80')) damaged("it does not start like a pickle");
    const auto protocol = static_cast<unsigned char>(take(2).back());
    if (protocol < 2 || protocol > 4)
      throw_error<DataError>("is pickled with protocol {}; expected 2 to 4", protocol);
    constexpr char kStop = '.';
    for (char code = take(1).front(); code != kStop; code = take(1).front()) step(code);
    if (stack_.size() != 1 || !marks_.empty()) damaged("it ends with an unfinished value");
    return stack_.front();
  }

 private:
  // Mutable while it is on the stack: lists and dicts are filled there.
  using Ptr = std::shared_ptr<PickleValue>;
  using Items = std::vector<PicklePtr>;

  [[noreturn]] void damaged(std::string_view what) const {
    throw_error<DataError>("is damaged: {} (byte {} of its pickle)", what, at_);
  }

  std::string_view take(uint64_t count) {
    if (count > in_.size() - at_) damaged("it ends too early");
    at_ += count;
    return in_.substr(at_ - count, count);
  }

  uint64_t take_number(size_t bytes) {  // little endian
    const auto part = take(bytes);
    uint64_t number = 0;
    for (size_t i = bytes; i > 0; --i) number = number << 8 | static_cast<uint8_t>(part[i - 1]);
    return number;
  }

  std::string_view take_line() {
    const auto end = in_.find('\n', at_);
    if (end == std::string_view::npos) damaged("a name without an end");
    const auto line = take(end - at_);
    take(1);
    return line;
  }

  template <typename T>
  void push(T value, int depth = 1) {
    stack_.push_back(std::make_shared<PickleValue>(PickleValue{std::move(value), depth}));
  }

  // The tuple in a value, which keeps the value alive; null if it is something else.
  static std::shared_ptr<const PickleTuple> tuple_in(const PicklePtr& value) {
    return {value, value->get<PickleTuple>()};
  }

  // The depth of a value that contains these.
  int depth_over(const Items& items) const {
    int depth = 1;
    for (const auto& item : items) depth = std::max(depth, item->depth + 1);
    if (depth > kMaxDepth) throw_error<DataError>("is nested more than {} deep", kMaxDepth);
    return depth;
  }

  size_t available() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }

  const Ptr& top() const {
    if (available() == 0) damaged("a value is missing");
    return stack_.back();
  }

  Ptr pop() {
    auto value = top();
    stack_.pop_back();
    return value;
  }

  Items pop_count(size_t count) {
    if (available() < count) damaged("a value is missing");
    const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
    Items items(first, stack_.end());
    stack_.erase(first, stack_.end());
    return items;
  }

  Items pop_to_mark() {
    if (marks_.empty()) damaged("a mark is missing");
    auto items = pop_count(available());
    marks_.pop_back();
    return items;
  }

  void push_tuple(Items items) {
    const int depth = depth_over(items);
    push(PickleTuple{std::move(items)}, depth);
  }

  template <typename Container>
  Container& container_for(const Items& items) {
    auto* container = std::get_if<Container>(&top()->value);
    if (container == nullptr) damaged("items for a value that is not a list or dict");
    for (const auto& item : items) {
      if (item->get<PickleName>() != nullptr) damaged("a name in place of a value");
    }
    top()->depth = std::max(top()->depth, depth_over(items));
    return *container;
  }

  void append(const Items& items) {
    auto& list = container_for<PickleList>(items);
    list.insert(list.end(), items.begin(), items.end());
  }

  void set_items(const Items& items) {
    auto& dict = container_for<PickleDict>(items);
    if (items.size() % 2 != 0) damaged("a key without a value");
    for (size_t i = 0; i < items.size(); i += 2) dict.emplace_back(items[i], items[i + 1]);
  }

  void push_name() {
    const auto module = take_line();
    push_name(module, take_line());
  }

  void push_name(std::string_view module, std::string_view attribute) {
    auto name = fmt::format("{}.{}", module, attribute);
    const auto& allowed = names_.allowed;
    if (name != kOrderedDict && std::find(allowed.begin(), allowed.end(), name) == allowed.end())
      throw_error<DataError>("refers to '{}', which {}", printable(name), names_.refusal);
    push(PickleName{std::move(name)});
  }

  void push_stacked_name() {
    const auto words = pop_count(2);
    const auto* module = words[0]->get<std::string>();
    const auto* attribute = words[1]->get<std::string>();
    if (module == nullptr || attribute == nullptr) damaged("a name that is not a text");
    push_name(*module, *attribute);
  }

  void call() {
    const auto arguments = pop();
    const auto callee = pop();
    const auto* name = callee->get<PickleName>();
    const auto tuple = tuple_in(arguments);
    if (name == nullptr || tuple == nullptr) damaged("a call that is none");
    if (name->name != kOrderedDict) {
      push(PickleObject{.name = name->name, .arguments = tuple}, depth_over({arguments}));
    } else if (tuple->items.empty()) {
      push(PickleDict{});
    } else {
      damaged("an OrderedDict with arguments");
    }
  }

  // Sets the state of an object. A remembered object stays without: so there can be no cycle.
  void build() {
    const auto state = pop();
    const auto target = pop();
    if (const auto* object = target->get<PickleObject>()) {
      auto made = *object;
      made.state = state;
      push(std::move(made), std::max(target->depth, depth_over({state})));
    } else if (target->get<PickleDict>() != nullptr && state->get<PickleDict>() != nullptr) {
      // Attributes of an OrderedDict, such as the versions that PyTorch keeps there: dropped.
      stack_.push_back(target);
    } else {
      damaged("a state for a value that has none");
    }
  }

  void reference() {
    const auto id = pop();
    const auto tuple = tuple_in(id);
    if (tuple == nullptr) damaged("a reference that is not a tuple");
    push(PickleReference{tuple}, depth_over({id}));
  }

  void remember(uint64_t index) {
    if (index > in_.size()) damaged("the index of a remembered value is too large");
    if (memo_.size() <= index) memo_.resize(index + 1);
    memo_[index] = top();
  }

  void recall(uint64_t index) {
    if (index >= memo_.size() || memo_[index] == nullptr) damaged("an unknown reference");
    const auto& value = memo_[index];
    // It could be filled later, even with itself.
    if (value->get<PickleList>() != nullptr || value->get<PickleDict>() != nullptr)
      throw DataError("contains the same list or dict in two places");
    stack_.push_back(value);
  }

  // Two's complement of any length.
  void push_long() {
    const auto bytes = take(take_number(1));
    if (bytes.size() > sizeof(int64_t)) throw DataError("contains an integer of more than 64 bits");
    uint64_t number = !bytes.empty() && (bytes.back() & '\x80') != 0 ? ~uint64_t{0} : 0;
    for (size_t i = bytes.size(); i > 0; --i)
      number = number << 8 | static_cast<uint8_t>(bytes[i - 1]);
    push(static_cast<int64_t>(number));
  }

  void push_real() {  // big endian
    uint64_t bits = 0;
    for (const char byte : take(8)) bits = bits << 8 | static_cast<uint8_t>(byte);
    push(std::bit_cast<double>(bits));
  }

  void push_text(size_t length_bytes) { push(std::string(take(take_number(length_bytes)))); }

  struct Opcode {
    char code;
    void (*run)(Machine&);
  };

  void step(char code) {
    // Named as in Python's pickletools.
    static constexpr Opcode kOpcodes[] = {
        {'\x95', [](Machine& m) { m.take(8); }},                                    // FRAME
        {'(', [](Machine& m) { m.marks_.push_back(m.stack_.size()); }},             // MARK
        {'N', [](Machine& m) { m.push(PickleNone{}); }},                            // NONE
        {'\x88', [](Machine& m) { m.push(true); }},                                 // NEWTRUE
        {'\x89', [](Machine& m) { m.push(false); }},                                // NEWFALSE
        {'K', [](Machine& m) { m.push(static_cast<int64_t>(m.take_number(1))); }},  // BININT1
        {'M', [](Machine& m) { m.push(static_cast<int64_t>(m.take_number(2))); }},  // BININT2
        {'J',
         [](Machine& m) { m.push(int64_t{static_cast<int32_t>(m.take_number(4))}); }},  // BININT
        {'\x8a', [](Machine& m) { m.push_long(); }},                                    // LONG1
        {'G', [](Machine& m) { m.push_real(); }},                                       // BINFLOAT
        {'U', [](Machine& m) { m.push_text(1); }},                   // SHORT_BINSTRING
        {'C', [](Machine& m) { m.push_text(1); }},                   // SHORT_BINBYTES
        {'\x8c', [](Machine& m) { m.push_text(1); }},                // SHORT_BINUNICODE
        {'T', [](Machine& m) { m.push_text(4); }},                   // BINSTRING
        {'B', [](Machine& m) { m.push_text(4); }},                   // BINBYTES
        {'X', [](Machine& m) { m.push_text(4); }},                   // BINUNICODE
        {'\x8d', [](Machine& m) { m.push_text(8); }},                // BINUNICODE8
        {'\x8e', [](Machine& m) { m.push_text(8); }},                // BINBYTES8
        {')', [](Machine& m) { m.push(PickleTuple{}); }},            // EMPTY_TUPLE
        {'t', [](Machine& m) { m.push_tuple(m.pop_to_mark()); }},    // TUPLE
        {'\x85', [](Machine& m) { m.push_tuple(m.pop_count(1)); }},  // TUPLE1
        {'\x86', [](Machine& m) { m.push_tuple(m.pop_count(2)); }},  // TUPLE2
        {'\x87', [](Machine& m) { m.push_tuple(m.pop_count(3)); }},  // TUPLE3
        {']', [](Machine& m) { m.push(PickleList{}); }},             // EMPTY_LIST
        {'a', [](Machine& m) { m.append(m.pop_count(1)); }},         // APPEND
        {'e', [](Machine& m) { m.append(m.pop_to_mark()); }},        // APPENDS
        {'}', [](Machine& m) { m.push(PickleDict{}); }},             // EMPTY_DICT
        {'s', [](Machine& m) { m.set_items(m.pop_count(2)); }},      // SETITEM
        {'u', [](Machine& m) { m.set_items(m.pop_to_mark()); }},     // SETITEMS
        {'c', [](Machine& m) { m.push_name(); }},                    // GLOBAL
        {'\x93', [](Machine& m) { m.push_stacked_name(); }},         // STACK_GLOBAL
        {'R', [](Machine& m) { m.call(); }},                         // REDUCE
        {'b', [](Machine& m) { m.build(); }},                        // BUILD
        {'Q', [](Machine& m) { m.reference(); }},                    // BINPERSID
        {'q', [](Machine& m) { m.remember(m.take_number(1)); }},     // BINPUT
        {'r', [](Machine& m) { m.remember(m.take_number(4)); }},     // LONG_BINPUT
        {'\x94', [](Machine& m) { m.remember(m.memo_.size()); }},    // MEMOIZE
        {'h', [](Machine& m) { m.recall(m.take_number(1)); }},       // BINGET
        {'j', [](Machine& m) { m.recall(m.take_number(4)); }},       // LONG_BINGET
    };
    const auto* opcode = std::find_if(std::begin(kOpcodes), std::end(kOpcodes),
                                      [code](const Opcode& known) { return known.code == code; });
    if (opcode == std::end(kOpcodes))
      damaged(fmt::format("opcode {:#04x} is not known here", static_cast<unsigned char>(code)));
    opcode->run(*this);
  }

  std::string_view in_;
  const PickleNames& names_;
  size_t at_ = 0;  // the next byte to read
  std::vector<Ptr> stack_;
  std::vector<size_t> marks_;  // heights of the stack
  std::vector<Ptr> memo_;
};

}  // namespace

PicklePtr read_pickle(std::string_view bytes, const PickleNames& names) {
  return Machine(bytes, names).run();
}

PicklePtr find(const PickleDict& dict, std::string_view key) {
  // From the end: a later value replaces an earlier one, as in Python.
  const auto found = std::find_if(dict.rbegin(), dict.rend(), [&](const auto& item) {
    const auto* text = item.first->template get<std::string>();
    return text != nullptr && *text == key;
  });
  return found == dict.rend() ? nullptr : found->second;
}

}  // namespace lethe
