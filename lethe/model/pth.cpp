#include "lethe/model/pth.h"

#include <ATen/ATen.h>
#include <caffe2/serialize/inline_container.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "lethe/core/error.h"
#include "lethe/core/short_list.h"
#include "lethe/core/tensor_check.h"
#include "lethe/model/torch_pickle.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

using caffe2::serialize::PyTorchStreamReader;

static_assert(std::endian::native == std::endian::little, "storages are read as they are");

struct Record {
  at::DataPtr data;
  size_t bytes = 0;

  std::string_view text() const { return {static_cast<const char*>(data.get()), bytes}; }
};

// The files in the zip file, each read once: several tensors may be views of one storage.
class Archive {
 public:
  explicit Archive(const fs::path& path) : reader_(path.string()) {}

  bool has(const std::string& name) { return reader_.hasRecord(name); }

  const Record& read(const std::string& name) {
    const auto [place, is_new] = records_.try_emplace(name);
    if (is_new) std::tie(place->second.data, place->second.bytes) = reader_.getRecord(name);
    return place->second;
  }

 private:
  PyTorchStreamReader reader_;
  std::map<std::string, Record> records_;
};

// The dict that is meant to be the state_dict: see pth.h.
const PickleDict& find_state(const PickleValue& whole) {
  const auto* dict = whole.get<PickleDict>();
  if (dict == nullptr)
    throw_error<DataError>("contains a {}, not a state_dict", tensor_parts(whole) ? "tensor"
                                                              : whole.get<PickleList>() != nullptr
                                                                  ? "list"
                                                                  : "single value");
  for (const char* key : {"state_dict", "model_state_dict", "model"}) {
    const auto found = find(*dict, key);
    if (found && found->get<PickleDict>() != nullptr) return *found->get<PickleDict>();
  }
  return *dict;
}

// Sizes, strides and offset come from the file and may be anything.
void check_extent(const TensorParts& parts, int64_t available) {
  const auto fail = [&] {
    throw_error<DataError>(
        "shape {} with strides {} from element {} on leaves the {} values of its storage",
        shape_text(parts.sizes), shape_text(parts.strides), parts.offset, available);
  };
  const auto& sizes = parts.sizes;
  if (std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size < 0; })) fail();
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  int64_t last = parts.offset;
  int64_t count = 1;
  if (last < 0 || last >= available) fail();
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t steps = sizes[d] - 1;
    const int64_t stride = parts.strides[d];
    if (stride < 0 || (stride > 0 && steps > (available - 1 - last) / stride)) fail();
    last += steps * stride;
    // A stride of 0 could repeat one value beyond all memory.
    if (sizes[d] > available / count) fail();
    count *= sizes[d];
  }
}

at::Tensor read_tensor(const TensorParts& parts, Archive& archive) {
  const auto& record = archive.read("data/" + parts.storage);
  const auto element = static_cast<int64_t>(c10::elementSize(parts.type));
  check_extent(parts, static_cast<int64_t>(record.bytes) / element);
  const auto options = at::TensorOptions(parts.type);
  const auto& sizes = parts.sizes;
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return at::empty(sizes, options);
  auto* begin = static_cast<char*>(record.data.get()) + parts.offset * element;
  // A copy: the archive owns the memory of the view.
  return at::from_blob(begin, sizes, parts.strides, options).clone(at::MemoryFormat::Contiguous);
}

StateDict read_tensors(const PickleDict& dict, Archive& archive) {
  StateDict state;
  for (const auto& [key, value] : dict) {
    const auto* name = key->get<std::string>();
    if (name == nullptr) continue;
    try {
      if (const auto parts = tensor_parts(*value)) state[*name] = read_tensor(*parts, archive);
    } catch (const DataError& error) {
      throw_error<DataError>("entry '{}': {}", *name, error.what());
    }
  }
  return state;
}

std::string keys_of(const PickleDict& dict) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : dict) {
    if (const auto* text = key->get<std::string>()) keys.push_back(*text);
  }
  return keys.empty() ? "nothing" : short_list(keys, "entries");
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
  const auto whole = read_torch_pickle(archive.read("data.pkl").text());
  const auto& dict = find_state(*whole);
  auto state = read_tensors(dict, archive);
  if (state.empty())
    throw_error<DataError>("has no tensors in its state_dict; it contains {}", keys_of(dict));
  while (strip(state, "module.") || strip(state, "_orig_mod.")) {
  }
  return state;
}

// LibTorch's messages may continue with a stack trace; names from a file may contain anything.
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
