#include "lethe/core/safetensors.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/tensor_check.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::json;

static_assert(std::endian::native == std::endian::little,
              "safetensors files are little-endian; big-endian machines are not supported");

namespace {

constexpr std::string_view kMetadata = "__metadata__";
constexpr uint64_t kLengthBytes = 8;               // length of the header, stored before it
constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // as in the reference implementation
constexpr size_t kMaxRank = 64;                    // as in LibTorch
constexpr int kMaxDepth = 2;                       // header, entry, list of sizes
constexpr auto kMaxInt = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());

struct DtypeName {
  std::string_view name;
  at::ScalarType dtype;
};

constexpr std::array<DtypeName, 8> kDtypes = {{{"F16", at::kHalf},
                                               {"BF16", at::kBFloat16},
                                               {"F32", at::kFloat},
                                               {"F64", at::kDouble},
                                               {"I64", at::kLong},
                                               {"I32", at::kInt},
                                               {"U8", at::kByte},
                                               {"BOOL", at::kBool}}};

// Quoted as in JSON: a name from a file may contain any character, but a message must stay on one
// line.
std::string in_quotes(const std::string& name) { return json(name).dump(); }

std::string_view name_of(at::ScalarType dtype) {
  for (const auto& known : kDtypes) {
    if (known.dtype == dtype) return known.name;
  }
  return "";
}

at::ScalarType dtype_called(const json& name) {
  const std::string text = name.get<std::string>();
  for (const auto& known : kDtypes) {
    if (known.name == text) return known.dtype;
  }
  std::string list;
  for (const auto& known : kDtypes) list.append(list.empty() ? "" : ", ").append(known.name);
  throw_error<DataError>("unknown dtype {}; known: {}", in_quotes(text), list);
}

// A number of the header that is used as a size or an offset.
uint64_t read_size(const json& value, std::string_view what) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > kMaxInt) {
    throw_error<DataError>("{} must contain integers >= 0, found {}", what, value.dump());
  }
  return value.get<uint64_t>();
}

// The number of bytes that a tensor needs. In the overflow check a size of 0 counts as 1, because
// LibTorch computes strides that way.
uint64_t bytes_of(const SafetensorsEntry& entry) {
  uint64_t product = c10::elementSize(entry.dtype);
  bool empty = false;
  for (const int64_t size : entry.shape) {
    empty = empty || size == 0;
    const auto factor = static_cast<uint64_t>(std::max<int64_t>(size, 1));
    if (product > kMaxInt / factor) {
      throw_error<DataError>("shape {} is too large", shape_text(entry.shape));
    }
    product *= factor;
  }
  return empty ? 0 : product;
}

SafetensorsEntry read_entry(const json& value, uint64_t data_bytes) {
  const bool complete = value.is_object() && value.size() == 3 && value.contains("dtype") &&
                        value.contains("shape") && value.contains("data_offsets") &&
                        value["dtype"].is_string() && value["shape"].is_array() &&
                        value["data_offsets"].is_array() && value["data_offsets"].size() == 2;
  if (!complete) throw DataError("must have dtype, shape and two data_offsets, and nothing else");

  SafetensorsEntry entry;
  entry.dtype = dtype_called(value["dtype"]);
  if (value["shape"].size() > kMaxRank) {
    throw_error<DataError>("has {} dimensions, at most {} are possible", value["shape"].size(),
                           kMaxRank);
  }
  for (const auto& size : value["shape"]) {
    entry.shape.push_back(static_cast<int64_t>(read_size(size, "shape")));
  }
  entry.begin = read_size(value["data_offsets"][0], "data_offsets");
  entry.end = read_size(value["data_offsets"][1], "data_offsets");
  if (entry.begin > entry.end || entry.end > data_bytes) {
    throw_error<DataError>("data_offsets [{}, {}] are not within the {} bytes of data", entry.begin,
                           entry.end, data_bytes);
  }
  const uint64_t needed = bytes_of(entry);
  if (entry.end - entry.begin != needed) {
    throw_error<DataError>("{} {} needs {} bytes, data_offsets [{}, {}] give {}",
                           name_of(entry.dtype), shape_text(entry.shape), needed, entry.begin,
                           entry.end, entry.end - entry.begin);
  }
  return entry;
}

SafetensorsMetadata read_metadata(const json& value) {
  if (!value.is_object()) throw DataError("must be an object of strings");
  SafetensorsMetadata metadata;
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) throw_error<DataError>("{} must be a string", in_quotes(key));
    metadata[key] = text.get<std::string>();
  }
  return metadata;
}

// Parses JSON and rejects repeated keys; the parser alone would silently keep the last value.
json parse_header(const std::string& text) {
  std::vector<std::set<std::string>> keys;  // keys of the open objects
  const auto check = [&keys](int depth, json::parse_event_t event, json& parsed) {
    const bool opens =
        event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
    if (opens && depth > kMaxDepth) throw DataError("is nested too deeply");
    if (event == json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == json::parse_event_t::key) {
      if (!keys.back().insert(parsed.get<std::string>()).second) {
        throw_error<DataError>("the name {} occurs twice", parsed.dump());
      }
    }
    return true;
  };
  // The format requires '{' as the first byte and allows padding with spaces only at the end.
  if (!text.starts_with('{')) throw DataError("must begin with '{'");
  try {
    return json::parse(text, check);
  } catch (const json::exception&) {
    throw DataError("is not valid JSON");
  }
}

// Every byte of data must belong to exactly one entry.
void check_layout(const std::map<std::string, SafetensorsEntry>& entries, uint64_t data_bytes) {
  std::vector<const std::pair<const std::string, SafetensorsEntry>*> order;
  for (const auto& entry : entries) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(a->second.begin, a->second.end) < std::pair(b->second.begin, b->second.end);
  });
  uint64_t covered = 0;
  for (const auto* item : order) {
    const auto& [name, entry] = *item;
    if (entry.begin < covered) {
      throw_error<DataError>("entry {} overlaps the previous one: begins at byte {}, expected {}",
                             in_quotes(name), entry.begin, covered);
    }
    if (entry.begin > covered) {
      throw_error<DataError>("{} bytes before entry {} belong to no entry", entry.begin - covered,
                             in_quotes(name));
    }
    covered = entry.end;
  }
  if (covered != data_bytes) {
    throw_error<DataError>("the entries end at byte {} of {}", covered, data_bytes);
  }
}

struct Record {
  const std::string* name;
  at::Tensor values;  // contiguous, on the CPU
};

std::vector<Record> prepare(const StateDict& state) {
  std::vector<Record> records;
  for (const auto& [name, tensor] : state) {
    if (name == kMetadata)
      throw_error<Error>("safetensors: '{}' is reserved, a tensor cannot have this name", name);
    if (!tensor.defined()) throw_error<Error>("safetensors: '{}' has no tensor", name);
    if (tensor.layout() != at::kStrided || name_of(tensor.scalar_type()).empty()) {
      throw_error<Error>("safetensors: '{}' is of type {}, which cannot be stored", name,
                         c10::toString(tensor.scalar_type()));
    }
    records.push_back({&name, tensor.detach().to(at::kCPU).contiguous()});
  }
  // Large elements first, so that every tensor is aligned to its element size.
  std::stable_sort(records.begin(), records.end(), [](const Record& a, const Record& b) {
    return a.values.element_size() > b.values.element_size();
  });
  return records;
}

std::string dump(const json& header) {
  try {
    return header.dump();
  } catch (const json::exception&) {
    throw Error("safetensors: a name or a metadata string is not UTF-8");
  }
}

}  // namespace

std::string safetensors_bytes(const StateDict& state, const SafetensorsMetadata& metadata) {
  const auto records = prepare(state);
  json header = json::object();  // sorted by name
  if (!metadata.empty()) header[std::string(kMetadata)] = metadata;
  uint64_t offset = 0;
  for (const auto& record : records) {
    const uint64_t end = offset + record.values.nbytes();
    header[*record.name] = {{"dtype", name_of(record.values.scalar_type())},
                            {"shape", record.values.sizes().vec()},
                            {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = dump(header);
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');

  std::string bytes;
  bytes.reserve(kLengthBytes + text.size() + offset);
  const uint64_t length = text.size();
  std::array<char, kLengthBytes> prefix{};
  std::memcpy(prefix.data(), &length, prefix.size());
  bytes.append(prefix.data(), prefix.size()).append(text);
  for (const auto& record : records) {
    if (record.values.numel() == 0) continue;  // its data pointer may be null
    bytes.append(static_cast<const char*>(record.values.data_ptr()), record.values.nbytes());
  }
  return bytes;
}

void write_safetensors(const fs::path& path, const StateDict& state,
                       const SafetensorsMetadata& metadata) {
  write_durably(path, safetensors_bytes(state, metadata));
}

void SafetensorsFile::fail(const std::string& what) const {
  throw_error<DataError>("{}: {}", path_.string(), what);
}

SafetensorsFile::SafetensorsFile(fs::path path) : path_(std::move(path)) {
  std::error_code code;
  if (fs::is_directory(path_, code)) fail("cannot be opened: it is a folder");
  file_.open(path_, std::ios::binary);
  if (!file_) fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
  const uint64_t size = fs::file_size(path_, code);
  if (code) fail("cannot be opened: " + code.message());

  uint64_t length = 0;
  std::array<char, kLengthBytes> prefix{};
  if (size < kLengthBytes || !file_.read(prefix.data(), prefix.size())) {
    fail(fmt::format("has {} bytes, too few for a safetensors file", size));
  }
  std::memcpy(&length, prefix.data(), prefix.size());
  if (length > kMaxHeaderBytes || length > size - kLengthBytes) {
    fail(
        fmt::format("declares that its header has {} bytes, but {} follow and at most {} are "
                    "allowed; truncated or not a safetensors file",
                    length, size - kLengthBytes, kMaxHeaderBytes));
  }
  data_start_ = kLengthBytes + length;
  const uint64_t data_bytes = size - data_start_;

  std::string text(length, '\0');
  if (!file_.read(text.data(), static_cast<std::streamsize>(length))) fail("reading failed");
  json header;
  try {
    header = parse_header(text);
  } catch (const DataError& error) {
    fail(fmt::format("header: {}", error.what()));
  }
  for (const auto& [name, value] : header.items()) {
    try {
      if (name == kMetadata) {
        metadata_ = read_metadata(value);
      } else {
        entries_[name] = read_entry(value, data_bytes);
      }
    } catch (const DataError& error) {
      fail(fmt::format("entry {}: {}", in_quotes(name), error.what()));
    }
  }
  try {
    check_layout(entries_, data_bytes);
  } catch (const DataError& error) {
    fail(error.what());
  }
}

at::Tensor SafetensorsFile::read(const std::string& name) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) fail(fmt::format("has no entry '{}'", name));
  const auto& entry = found->second;
  auto tensor = at::empty(entry.shape, at::TensorOptions().dtype(entry.dtype));
  if (tensor.numel() == 0) return tensor;

  auto* const data = static_cast<char*>(tensor.data_ptr());
  const auto bytes = static_cast<std::streamsize>(entry.end - entry.begin);
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(data_start_ + entry.begin));
  if (!file_.read(data, bytes)) {
    fail(fmt::format("entry {}: reading failed", in_quotes(name)));
  }
  if (entry.dtype == at::kBool &&
      std::any_of(data, data + bytes, [](char byte) { return byte != 0 && byte != 1; })) {
    fail(fmt::format("entry {}: a BOOL must be 0 or 1", in_quotes(name)));
  }
  return tensor;
}

StateDict SafetensorsFile::read_all() {
  StateDict state;
  for (const auto& [name, entry] : entries_) state[name] = read(name);
  return state;
}

StateDict read_safetensors(const fs::path& path) { return SafetensorsFile(path).read_all(); }

}  // namespace lethe
