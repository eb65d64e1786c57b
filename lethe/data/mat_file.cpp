#include "lethe/data/mat_file.h"

#include <matio.h>

#include <memory>

#include "lethe/core/error.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

struct Close {
  void operator()(mat_t* file) const { Mat_Close(file); }
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, Close>;

Variable read_variable(const fs::path& path, const std::string& name, matio_classes kind) {
  if (!fs::is_regular_file(path)) throw_error<DataError>("{}: no such file", path.string());
  const std::unique_ptr<mat_t, Close> file(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  if (!file) throw_error<DataError>("{}: is not a readable MATLAB file", path.string());
  Variable variable(Mat_VarRead(file.get(), name.c_str()));
  if (!variable) throw_error<DataError>("{}: has no variable '{}'", path.string(), name);
  if (variable->class_type != kind || (variable->data == nullptr && variable->nbytes > 0)) {
    throw_error<DataError>("{}: variable '{}' is not a {} array", path.string(), name,
                           kind == MAT_C_CELL ? "cell" : "struct");
  }
  return variable;
}

size_t elements(const matvar_t& variable) {
  size_t count = 1;
  for (int i = 0; i < variable.rank; ++i) count *= variable.dims[i];
  return count;
}

// matio stores text as bytes or, from newer files, as 16-bit units. All names are ASCII.
bool to_text(const matvar_t* value, std::string& text) {
  if (value == nullptr || value->class_type != MAT_C_CHAR) return false;
  text.clear();
  const size_t count = elements(*value);
  for (size_t i = 0; i < count; ++i) {
    const bool wide = value->data_size == 2;
    text += wide ? static_cast<char>(static_cast<const uint16_t*>(value->data)[i])
                 : static_cast<const char*>(value->data)[i];
  }
  return true;
}

template <typename T>
int64_t first_of(const matvar_t* value) {
  return static_cast<int64_t>(*static_cast<const T*>(value->data));
}

bool to_number(const matvar_t* value, int64_t& number) {
  if (value == nullptr || value->data == nullptr || elements(*value) != 1) return false;
  switch (value->class_type) {
    case MAT_C_DOUBLE:
      number = first_of<double>(value);
      return true;
    case MAT_C_SINGLE:
      number = first_of<float>(value);
      return true;
    case MAT_C_UINT8:
      number = first_of<uint8_t>(value);
      return true;
    case MAT_C_INT8:
      number = first_of<int8_t>(value);
      return true;
    case MAT_C_UINT16:
      number = first_of<uint16_t>(value);
      return true;
    case MAT_C_INT16:
      number = first_of<int16_t>(value);
      return true;
    case MAT_C_UINT32:
      number = first_of<uint32_t>(value);
      return true;
    case MAT_C_INT32:
      number = first_of<int32_t>(value);
      return true;
    default:
      return false;
  }
}

template <typename T>
std::vector<T> read_field(const fs::path& path, const std::string& name, const std::string& field,
                          const char* kind, bool (*convert)(const matvar_t*, T&)) {
  const auto variable = read_variable(path, name, MAT_C_STRUCT);
  std::vector<T> result(elements(*variable));
  for (size_t i = 0; i < result.size(); ++i) {
    const auto* value = Mat_VarGetStructFieldByName(variable.get(), field.c_str(), i);
    if (!convert(value, result[i])) {
      throw_error<DataError>("{}: {}({}).{}: expected {}", path.string(), name, i + 1, field, kind);
    }
  }
  return result;
}

}  // namespace

std::vector<std::string> read_mat_cells(const fs::path& path, const std::string& variable) {
  const auto cells = read_variable(path, variable, MAT_C_CELL);
  std::vector<std::string> result(elements(*cells));
  for (size_t i = 0; i < result.size(); ++i) {
    if (!to_text(Mat_VarGetCell(cells.get(), static_cast<int>(i)), result[i])) {
      throw_error<DataError>("{}: {}{{{}}}: expected a string", path.string(), variable, i + 1);
    }
  }
  return result;
}

std::vector<std::string> read_mat_texts(const fs::path& path, const std::string& variable,
                                        const std::string& field) {
  return read_field<std::string>(path, variable, field, "a string", to_text);
}

std::vector<int64_t> read_mat_numbers(const fs::path& path, const std::string& variable,
                                      const std::string& field) {
  return read_field<int64_t>(path, variable, field, "an integer", to_number);
}

}  // namespace lethe
