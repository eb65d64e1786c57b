#include "lethe/model/torch_pickle.h"

#include <array>

#include "lethe/core/error.h"

namespace lethe {

namespace {

constexpr std::string_view kTensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kParameter = "torch._utils._rebuild_parameter";

struct StorageType {
  std::string_view name;
  at::ScalarType type;
};

constexpr std::array<StorageType, 10> kStorageTypes = {{{"torch.BoolStorage", at::kBool},
                                                        {"torch.ByteStorage", at::kByte},
                                                        {"torch.CharStorage", at::kChar},
                                                        {"torch.ShortStorage", at::kShort},
                                                        {"torch.IntStorage", at::kInt},
                                                        {"torch.LongStorage", at::kLong},
                                                        {"torch.HalfStorage", at::kHalf},
                                                        {"torch.BFloat16Storage", at::kBFloat16},
                                                        {"torch.FloatStorage", at::kFloat},
                                                        {"torch.DoubleStorage", at::kDouble}}};

const PickleNames& names_of_torch() {
  static const PickleNames names = [] {
    PickleNames made = {
        .allowed = {kTensor, kParameter},
        .refusal =
            "is not allowed in a weight file (nothing was executed); save the state_dict alone: "
            "torch.save(model.state_dict(), 'new.pth')"};
    for (const auto& known : kStorageTypes) made.allowed.push_back(known.name);
    return made;
  }();
  return names;
}

[[noreturn]] void fail(const char* what) {
  throw_error<DataError>("is damaged: the {} of a tensor cannot be read", what);
}

// The id is ("storage", type, key, device, number of elements).
void read_storage(const PickleReference* reference, TensorParts& parts) {
  if (reference == nullptr) fail("storage");
  const auto* kind = reference->id->get<std::string>(0);
  const auto* type = reference->id->get<PickleName>(1);
  const auto* key = reference->id->get<std::string>(2);
  if (kind == nullptr || *kind != "storage" || type == nullptr || key == nullptr) fail("storage");
  parts.storage = *key;
  for (const auto& known : kStorageTypes) {
    if (type->name != known.name) continue;
    parts.type = known.type;
    return;
  }
  fail("type");
}

std::vector<int64_t> read_numbers(const PickleTuple* tuple, const char* what) {
  if (tuple == nullptr) fail(what);
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < tuple->items.size(); ++i) {
    const auto* number = tuple->get<int64_t>(i);
    if (number == nullptr) fail(what);
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

PicklePtr read_torch_pickle(std::string_view bytes) { return read_pickle(bytes, names_of_torch()); }

std::optional<TensorParts> tensor_parts(const PickleValue& value) {
  const auto* object = value.get<PickleObject>();
  if (object == nullptr) return std::nullopt;
  if (object->name == kParameter) {  // (tensor, requires_grad, hooks)
    object = object->arguments->get<PickleObject>(0);
    if (object == nullptr || object->name != kTensor) fail("parameter");
  }
  if (object->name != kTensor) return std::nullopt;
  // (storage, offset, sizes, strides, requires_grad, hooks)
  TensorParts parts;
  read_storage(object->arguments->get<PickleReference>(0), parts);
  const auto* offset = object->arguments->get<int64_t>(1);
  if (offset == nullptr) fail("offset");
  parts.offset = *offset;
  parts.sizes = read_numbers(object->arguments->get<PickleTuple>(2), "size");
  parts.strides = read_numbers(object->arguments->get<PickleTuple>(3), "stride");
  if (parts.sizes.size() != parts.strides.size()) fail("stride");
  return parts;
}

}  // namespace lethe
