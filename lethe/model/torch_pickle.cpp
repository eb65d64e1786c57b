#include "lethe/model/torch_pickle.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "lethe/core/error.h"

namespace lethe {

namespace {

// What a value is, as far as its use must be checked. As letters, so that the items of a tuple are
// a text.
enum Kind : char {
  kPlain = 'p',  // None or float
  kBool = 'b',
  kInt = 'i',
  kText = 's',
  kTuple = 't',
  kList = 'l',
  kDict = 'd',
  kStorage = 'm',
  kTensor = 'x',
  kParameter = 'y',
  // Names of Python that may be called or passed on, but are no values.
  kStorageType = 'S',
  kRebuildTensor = 'R',
  kRebuildParameter = 'P',
  kOrderedDict = 'O',
};

constexpr std::string_view kStorageId = "sSssi";     // "storage", type, key, device, elements
constexpr std::string_view kTensorParts = "mittbd";  // storage, offset, sizes, strides, grad, hooks
constexpr std::string_view kParameterParts = "xbd";  // tensor, grad, hooks
constexpr size_t kItemsKept = 8;                     // of a tuple: more than any of the above
constexpr int kMaxDepth = 32;                        // of values within values

struct Global {
  std::string_view name;
  Kind kind;
};

constexpr Global kAllowed[] = {
    {"collections.OrderedDict", kOrderedDict},
    {"torch._utils._rebuild_tensor_v2", kRebuildTensor},
    {"torch._utils._rebuild_parameter", kRebuildParameter},
    {"torch.BoolStorage", kStorageType},
    {"torch.ByteStorage", kStorageType},
    {"torch.CharStorage", kStorageType},
    {"torch.ShortStorage", kStorageType},
    {"torch.IntStorage", kStorageType},
    {"torch.LongStorage", kStorageType},
    {"torch.HalfStorage", kStorageType},
    {"torch.BFloat16Storage", kStorageType},
    {"torch.FloatStorage", kStorageType},
    {"torch.DoubleStorage", kStorageType},
};

// Opcodes by their names in Python's pickletools; only those of protocol 2 that torch.save writes.
namespace op {
constexpr char kProto = '\x80', kStop = '.', kMark = '(', kGlobal = 'c', kReduce = 'R',
               kBuild = 'b', kBinPersId = 'Q', kNone = 'N', kNewTrue = '\x88', kNewFalse = '\x89',
               kBinInt = 'J', kBinInt1 = 'K', kBinInt2 = 'M', kLong1 = '\x8a', kBinFloat = 'G',
               kBinUnicode = 'X', kEmptyTuple = ')', kTuple = 't', kTuple1 = '\x85',
               kTuple2 = '\x86', kTuple3 = '\x87', kEmptyList = ']', kAppend = 'a', kAppends = 'e',
               kEmptyDict = '}', kSetItem = 's', kSetItems = 'u', kBinPut = 'q', kLongBinPut = 'r',
               kBinGet = 'h', kLongBinGet = 'j';
// LibTorch's unpickler has no opcode for dropping a value, but this one (NEWOBJ) does just that.
constexpr char kDrop = '\x81';
}  // namespace op

// Opcodes that push one value and are written as they were read.
struct Constant {
  char code;
  size_t bytes;  // that follow
  Kind kind;
};

constexpr Constant kConstants[] = {
    {op::kNone, 0, kPlain},     {op::kNewTrue, 0, kBool},     {op::kNewFalse, 0, kBool},
    {op::kBinInt1, 1, kInt},    {op::kBinInt2, 2, kInt},      {op::kBinInt, 4, kInt},
    {op::kBinFloat, 8, kPlain}, {op::kEmptyTuple, 0, kTuple}, {op::kEmptyList, 0, kList},
    {op::kEmptyDict, 0, kDict},
};

struct Value {
  Kind kind = kPlain;
  std::string items;  // of a tuple: the kinds of the first ones
  int depth = 1;
  size_t begin = 0;  // where what makes it begins in the output
};

struct Mark {
  size_t height = 0;  // of the stack below it
  size_t begin = 0;
};

// Names that LibTorch must not see: they stand on our stack, but not on its.
bool is_hidden(Kind kind) { return kind == kOrderedDict || kind == kRebuildParameter; }

bool is_name(Kind kind) {
  return is_hidden(kind) || kind == kRebuildTensor || kind == kStorageType;
}

class Rewriter {
 public:
  explicit Rewriter(std::string_view pickle) : in_(pickle) {}

  std::string run() {
    if (!in_.starts_with(op::kProto)) damaged("it does not begin as a pickle");
    take(1);
    const int protocol = static_cast<unsigned char>(take(1).front());
    if (protocol != 2) {
      throw_error<DataError>("is pickled with protocol {}; torch.save's own is 2", protocol);
    }
    out_ = {op::kProto, '\2'};
    while (step(take(1).front())) {
    }
    if (stack_.size() != 1 || !marks_.empty()) damaged("it ends with something unfinished");
    return std::move(out_);
  }

 private:
  [[noreturn]] void damaged(std::string_view what) const {
    throw_error<DataError>("is damaged: {} (byte {} of its pickle)", what, at_);
  }

  std::string_view take(size_t count) {
    if (count > in_.size() - at_) damaged("it ends too early");
    at_ += count;
    return in_.substr(at_ - count, count);
  }

  template <typename T>
  T take_number() {  // little endian; read_pth refuses to work on other machines
    T number = 0;
    std::memcpy(&number, take(sizeof(T)).data(), sizeof(T));
    return number;
  }

  std::string_view take_line() {
    const auto end = in_.find('\n', at_);
    if (end == std::string_view::npos) damaged("a name without an end");
    const auto line = take(end - at_);
    take(1);
    return line;
  }

  void push(Kind kind, size_t begin) {
    stack_.push_back({.kind = kind, .items = {}, .begin = begin});
  }

  // The values above the last mark, or all.
  size_t available() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back().height); }

  Value pop() {
    if (available() == 0) damaged("a value is missing");
    auto value = std::move(stack_.back());
    stack_.pop_back();
    return value;
  }

  Value& top() {
    if (available() == 0) damaged("a value is missing");
    return stack_.back();
  }

  std::vector<Value> pop_count(size_t count) {
    if (available() < count) damaged("a value is missing");
    std::vector<Value> values(
        std::make_move_iterator(stack_.end() - static_cast<std::ptrdiff_t>(count)),
        std::make_move_iterator(stack_.end()));
    stack_.resize(stack_.size() - count);
    return values;
  }

  Mark pop_mark(std::vector<Value>& above) {
    if (marks_.empty()) damaged("a mark is missing");
    above = pop_count(available());
    const auto mark = marks_.back();
    marks_.pop_back();
    return mark;
  }

  // The depth of what holds these.
  int depth_over(const std::vector<Value>& items) const {
    int depth = 1;
    for (const auto& item : items) depth = std::max(depth, item.depth + 1);
    if (depth > kMaxDepth) throw_error<DataError>("is nested more than {} deep", kMaxDepth);
    return depth;
  }

  void tuple(const std::vector<Value>& items, size_t begin, char code) {
    Value made = {.kind = kTuple, .items = {}, .depth = depth_over(items), .begin = begin};
    for (const auto& item : items) {
      if (is_hidden(item.kind)) damaged("a name where a value should be");
      if (made.items.size() < kItemsKept) made.items.push_back(item.kind);
    }
    stack_.push_back(std::move(made));
    out_ += code;
  }

  // Puts items into the list or dict below them.
  void fill(Kind container, const std::vector<Value>& items) {
    if (top().kind != container) damaged("items for something that is no list or dict");
    if (container == kDict && items.size() % 2 != 0) damaged("a key without a value");
    for (const auto& item : items) {
      if (is_name(item.kind)) damaged("a name where a value should be");
    }
    top().depth = std::max(top().depth, depth_over(items));
    out_ += container == kDict ? op::kSetItems : op::kAppends;
  }

  // The same without a mark, which is therefore put before what made the items.
  void fill_last(Kind container, size_t count) {
    const auto items = pop_count(count);
    out_.insert(items.front().begin, 1, op::kMark);
    fill(container, items);
  }

  void fill_marked(Kind container) {
    std::vector<Value> items;
    pop_mark(items);
    fill(container, items);
  }

  void global() {
    const auto module = take_line();
    const auto attribute = take_line();
    const auto name = fmt::format("{}.{}", module, attribute);
    const auto* found = std::find_if(std::begin(kAllowed), std::end(kAllowed),
                                     [&](const Global& allowed) { return allowed.name == name; });
    if (found == std::end(kAllowed)) {
      throw_error<DataError>(
          "refers to '{}', which has no place among weights (nothing of it was run); save the "
          "state_dict alone: torch.save(model.state_dict(), 'new.pth')",
          printable(name));
    }
    push(found->kind, out_.size());
    if (!is_hidden(found->kind)) out_ += fmt::format("{}{}\n{}\n", op::kGlobal, module, attribute);
  }

  // A name from a file, for one line of a terminal.
  static std::string printable(std::string name) {
    constexpr size_t kMost = 100;
    if (name.size() > kMost) name.replace(kMost, std::string::npos, "...");
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return name;
  }

  void reduce() {
    const auto arguments = pop();
    const auto callee = pop();
    if (arguments.kind != kTuple) damaged("a call without arguments");
    switch (callee.kind) {
      case kOrderedDict:
        if (!arguments.items.empty())
          damaged("an OrderedDict in a form that torch.save does not write");
        out_ += {op::kDrop, op::kEmptyDict};
        push(kDict, callee.begin);
        break;
      case kRebuildTensor:
        if (arguments.items != kTensorParts) damaged("a tensor whose parts are not those of one");
        out_ += op::kReduce;
        push(kTensor, callee.begin);
        break;
      case kRebuildParameter:
        if (arguments.items != kParameterParts)
          damaged("a parameter whose parts are not those of one");
        push(kParameter, callee.begin);
        break;
      default:
        damaged("a call of something that cannot be called");
    }
  }

  void put(uint32_t number) {
    // Numbers count up from 0; LibTorch's table is as long as the highest.
    if (number > in_.size()) damaged("a number of a remembered value is too high");
    memo_[number] = top();
    if (is_hidden(top().kind)) return;
    out_ += op::kLongBinPut;
    append_number(number);
  }

  void get(uint32_t number) {
    const auto found = memo_.find(number);
    if (found == memo_.end()) damaged("it recalls what was never there");
    auto value = found->second;
    // Could be filled later, even with itself: its depth would not be known.
    if (value.kind == kList || value.kind == kDict) {
      throw DataError("holds the same list or dict in two places; save the state_dict alone");
    }
    value.begin = out_.size();
    stack_.push_back(std::move(value));
    if (is_hidden(stack_.back().kind)) return;
    out_ += op::kLongBinGet;
    append_number(number);
  }

  template <typename T>
  void append_number(T number) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &number, sizeof(T));
    out_.append(bytes, sizeof(T));
  }

  // A two's complement of any length; LibTorch reads eight bytes only.
  void long_integer() {
    const auto bytes = take(take_number<uint8_t>());
    if (bytes.size() > sizeof(int64_t)) throw DataError("holds an integer of more than 64 bits");
    const bool negative = !bytes.empty() && (bytes.back() & '\x80') != 0;
    int64_t number = negative ? -1 : 0;
    std::memcpy(&number, bytes.data(), bytes.size());
    push(kInt, out_.size());
    out_ += {op::kLong1, '\x8'};
    append_number(number);
  }

  void text() {
    const auto begin = at_;
    take(take_number<uint32_t>());
    push(kText, out_.size());
    out_.append(1, op::kBinUnicode).append(in_.substr(begin, at_ - begin));
  }

  void storage() {
    const auto id = pop();
    if (id.kind != kTuple || id.items != kStorageId)
      damaged("a reference to something other than a storage");
    push(kStorage, id.begin);
    out_ += op::kBinPersId;
  }

  // Attributes (_metadata: versions of the modules) are of no use here.
  void build() {
    const auto attributes = pop();
    if (top().kind != kDict || attributes.kind != kDict)
      damaged("attributes of something that has none");
    out_ += op::kDrop;
  }

  void marked_tuple() {
    std::vector<Value> items;
    const auto mark = pop_mark(items);
    tuple(items, mark.begin, op::kTuple);
  }

  void short_tuple(char code) {
    const auto items = pop_count(static_cast<size_t>(code - op::kTuple1) + 1);
    tuple(items, items.front().begin, code);
  }

  // False at the end.
  bool step(char code) {
    for (const auto& constant : kConstants) {
      if (code != constant.code) continue;
      push(constant.kind, out_.size());
      out_.append(1, code).append(take(constant.bytes));
      return true;
    }
    switch (code) {
      case op::kLong1:
        long_integer();
        break;
      case op::kBinUnicode:
        text();
        break;
      case op::kMark:
        marks_.push_back({.height = stack_.size(), .begin = out_.size()});
        out_ += code;
        break;
      case op::kTuple:
        marked_tuple();
        break;
      case op::kTuple1:
      case op::kTuple2:
      case op::kTuple3:
        short_tuple(code);
        break;
      case op::kAppend:
        fill_last(kList, 1);
        break;
      case op::kAppends:
        fill_marked(kList);
        break;
      case op::kSetItem:
        fill_last(kDict, 2);
        break;
      case op::kSetItems:
        fill_marked(kDict);
        break;
      case op::kGlobal:
        global();
        break;
      case op::kReduce:
        reduce();
        break;
      case op::kBuild:
        build();
        break;
      case op::kBinPersId:
        storage();
        break;
      case op::kBinPut:
        put(take_number<uint8_t>());
        break;
      case op::kLongBinPut:
        put(take_number<uint32_t>());
        break;
      case op::kBinGet:
        get(take_number<uint8_t>());
        break;
      case op::kLongBinGet:
        get(take_number<uint32_t>());
        break;
      case op::kStop:
        out_ += code;
        return false;
      default:
        damaged(fmt::format("opcode {:#04x} is none that torch.save writes",
                            static_cast<unsigned char>(code)));
    }
    return true;
  }

  std::string_view in_;
  size_t at_ = 0;  // the next byte to read
  std::string out_;
  std::vector<Value> stack_;
  std::vector<Mark> marks_;
  std::map<uint32_t, Value> memo_;
};

}  // namespace

std::string checked_pickle(std::string_view pickle) { return Rewriter(pickle).run(); }

}  // namespace lethe
