#include "lethe/model/pth.h"

#include <ATen/ATen.h>
#include <caffe2/serialize/inline_container.h>
#include <fmt/ranges.h>
#include <torch/csrc/jit/serialization/unpickler.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "lethe/core/error.h"
#include "lethe/core/tensor_check.h"
#include "lethe/model/torch_pickle.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

using caffe2::serialize::PyTorchStreamReader;
using Dict = c10::Dict<c10::IValue, c10::IValue>;

static_assert(std::endian::native == std::endian::little, "pickles are read byte by byte");

struct Record {
  at::DataPtr data;
  size_t bytes = 0;

  std::string_view text() const { return {static_cast<const char*>(data.get()), bytes}; }
};

// The files inside the zip file, each read once: several tensors may be views of one.
class Archive {
 public:
  explicit Archive(const fs::path& path) : reader_(path.string()) {}

  bool has(const std::string& name) { return reader_.hasRecord(name); }

  const Record& read(const std::string& name) {
    const auto [place, is_new] = records_.try_emplace(name);
    if (is_new) std::tie(place->second.data, place->second.bytes) = reader_.getRecord(name);
    return place->second;
  }

  // The bytes that follow an address that read() gave out.
  size_t bytes_at(const void* data) const {
    for (const auto& [name, record] : records_) {
      if (record.data.get() == data) return record.bytes;
    }
    return 0;
  }

 private:
  PyTorchStreamReader reader_;
  std::map<std::string, Record> records_;
};

c10::IValue unpickle(Archive& archive) {
  const auto pickle = checked_pickle(archive.read("data.pkl").text());
  size_t at = 0;
  const auto next = [&](char* buffer, size_t count) {
    count = std::min(count, pickle.size() - at);
    std::memcpy(buffer, pickle.data() + at, count);
    at += count;
    return count;
  };
  // Without an owner: the archive keeps the memory until the tensors are copied.
  const auto storage = [&](const std::string& key) {
    return at::DataPtr(archive.read("data/" + key).data.get(), at::kCPU);
  };
  torch::jit::Unpickler unpickler(next, nullptr, nullptr, storage, at::Device(at::kCPU));
  return unpickler.parse_ivalue();
}

// The dict that is meant to be the state_dict: see pth.h.
Dict find_state(const c10::IValue& whole) {
  if (!whole.isGenericDict()) {
    throw_error<DataError>("holds a {}, not a state_dict", whole.tagKind());
  }
  const auto dict = whole.toGenericDict();
  for (const char* key : {"state_dict", "model_state_dict", "model"}) {
    const auto found = dict.find(key);
    if (found != dict.end() && found->value().isGenericDict())
      return found->value().toGenericDict();
  }
  return dict;
}

// A parameter is the tuple (tensor, requires_grad, hooks): see torch_pickle.h.
at::Tensor tensor_in(const c10::IValue& value) {
  if (value.isTensor()) return value.toTensor();
  if (!value.isTuple()) return {};
  const auto& parts = value.toTupleRef().elements();
  const bool is_parameter = parts.size() == 3 && parts[0].isTensor() && parts[1].isBool();
  return is_parameter ? parts[0].toTensor() : at::Tensor();
}

// LibTorch takes sizes, strides and offset from the file as they are.
void check_extent(const at::Tensor& tensor, size_t bytes) {
  const auto available = static_cast<int64_t>(bytes / tensor.element_size());
  const auto fail = [&] {
    throw_error<DataError>(
        "shape {} with strides {} from {} on leaves the {} values of its storage",
        shape_text(tensor.sizes()), shape_text(tensor.strides()), tensor.storage_offset(),
        available);
  };
  for (const int64_t size : tensor.sizes()) {
    if (size < 0) fail();
  }
  const auto sizes = tensor.sizes();
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  int64_t last = tensor.storage_offset();
  int64_t count = 1;
  if (last < 0 || last >= available) fail();
  for (int64_t d = 0; d < tensor.dim(); ++d) {
    const int64_t steps = tensor.size(d) - 1;
    const int64_t stride = tensor.stride(d);
    if (stride < 0 || (stride > 0 && steps > (available - 1 - last) / stride)) fail();
    last += steps * stride;
    // A stride of 0 could repeat one value beyond all memory.
    if (tensor.size(d) > available / count) fail();
    count *= tensor.size(d);
  }
}

StateDict copy_tensors(const Dict& dict, const Archive& archive) {
  at::NoGradGuard no_grad;
  StateDict state;
  for (const auto& item : dict) {
    const auto tensor = tensor_in(item.value());
    if (!tensor.defined() || !item.key().isString()) continue;
    const auto& name = item.key().toStringRef();
    try {
      check_extent(tensor, archive.bytes_at(tensor.storage().data()));
    } catch (const DataError& error) {
      throw_error<DataError>("entry '{}': {}", name, error.what());
    }
    state[name] = tensor.detach().clone(at::MemoryFormat::Contiguous);
  }
  return state;
}

std::string keys_of(const Dict& dict) {
  constexpr size_t kMost = 6;
  std::vector<std::string> keys;
  for (const auto& item : dict) {
    if (keys.size() < kMost && item.key().isString()) keys.push_back(item.key().toStringRef());
  }
  return keys.empty() ? "nothing" : fmt::format("{}", fmt::join(keys, ", "));
}

bool strip(StateDict& state, const std::string& prefix) {
  auto inner = part_of(state, prefix);
  if (inner.empty() || inner.size() != state.size()) return false;
  state = std::move(inner);
  return true;
}

StateDict read(Archive& archive) {
  if (archive.has("constants.pkl")) {
    throw DataError(
        "is a TorchScript program; export its weights: "
        "torch.save(torch.jit.load('old.pt').state_dict(), 'new.pth')");
  }
  if (!archive.has("data.pkl")) throw DataError("is a zip file, but torch.save did not write it");
  if (archive.has("byteorder") && archive.read("byteorder").text() != "little") {
    throw DataError("was written on a machine with big-endian numbers; save it on another");
  }
  const auto dict = find_state(unpickle(archive));
  auto state = copy_tensors(dict, archive);
  if (state.empty())
    throw_error<DataError>("has no tensors where a state_dict has; it holds {}", keys_of(dict));
  while (strip(state, "module.") || strip(state, "_orig_mod.")) {
  }
  return state;
}

// LibTorch's messages may go on with a stack trace; names from a file may hold anything.
std::string first_line(const std::string& text) {
  auto line = text.substr(0, text.find('\n'));
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < ' '; }, '?');
  return line;
}

}  // namespace

StateDict read_pth(const fs::path& path) {
  try {
    Archive archive(path);
    return read(archive);
  } catch (const DataError& error) {
    throw_error<DataError>("{}: {}", path.string(), first_line(error.what()));
  } catch (const c10::Error& error) {
    throw_error<DataError>("{}: truncated, damaged or not written by torch.save: {}", path.string(),
                           first_line(error.what_without_backtrace()));
  } catch (const std::exception& error) {
    throw_error<DataError>("{}: truncated, damaged or not written by torch.save: {}", path.string(),
                           first_line(error.what()));
  }
}

}  // namespace lethe
