#include "lethe/data/mask_file.h"

#include <ATen/ATen.h>
#include <png.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <sstream>

#include "lethe/core/class_set.h"
#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/nearest.h"
#include "lethe/core/tensor_check.h"
#include "lethe/data/image_flaw.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

// The unconverted contents of a PNG; only packed bits are expanded to bytes.
struct RawPng {
  png_uint_32 width = 0;
  png_uint_32 height = 0;
  int bits = 0;  // bits per value
  int colour_type = 0;
  size_t row_bytes = 0;
  std::vector<uint8_t> pixels;
  std::vector<png_bytep> rows;
  std::vector<Rgb> palette;
};

struct Source {
  const std::string& bytes;
  size_t place = 0;
};

void read_bytes(png_structp png, png_bytep out, size_t count) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (count > source->bytes.size() - source->place) png_error(png, "cut off");
  std::memcpy(out, source->bytes.data() + source->place, count);
  source->place += count;
}

void append_bytes(png_structp png, png_bytep bytes, size_t count) {
  static_cast<std::string*>(png_get_io_ptr(png))
      ->append(reinterpret_cast<const char*>(bytes), count);
}

void ignore_warning(png_structp, png_const_charp) {}
void ignore_flush(png_structp) {}

[[noreturn]] void jump(png_structp png, png_const_charp) { png_longjmp(png, 1); }

// libpng reports errors with longjmp. Functions that call it therefore have no local objects with
// destructors; all memory belongs to `raw`, which the caller owns.
void read_raw(png_structp png, png_infop info, RawPng& raw) {
  png_read_info(png, info);
  png_get_IHDR(png, info, &raw.width, &raw.height, &raw.bits, &raw.colour_type, nullptr, nullptr,
               nullptr);
  png_colorp colours = nullptr;
  int count = 0;
  if (png_get_PLTE(png, info, &colours, &count) != 0) {
    for (int i = 0; i < count; ++i) {
      raw.palette.push_back({colours[i].red, colours[i].green, colours[i].blue});
    }
  }
  png_set_packing(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  raw.row_bytes = png_get_rowbytes(png, info);
  raw.pixels.resize(raw.row_bytes * raw.height);
  for (png_uint_32 y = 0; y < raw.height; ++y) {
    raw.rows.push_back(raw.pixels.data() + y * raw.row_bytes);
  }
  png_read_image(png, raw.rows.data());
  png_read_end(png, nullptr);
}

bool try_read(png_structp png, png_infop info, RawPng& raw) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  read_raw(png, info, raw);
  return true;
}

std::optional<RawPng> decode(const std::string& bytes) {
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, jump, ignore_warning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  if (info == nullptr) throw Error("libpng: out of memory");
  Source source = {.bytes = bytes};
  png_set_read_fn(png, &source, read_bytes);
  RawPng raw;
  const bool ok = try_read(png, info, raw);
  png_destroy_read_struct(&png, &info, nullptr);
  return ok ? std::optional(std::move(raw)) : std::nullopt;
}

RawPng read_png(const fs::path& path) {
  const std::string bytes = read_text(path);
  constexpr const char* kFailed = "{}: cannot be decoded: {}";
  if (!bytes.starts_with("\x89PNG\r\n\x1A\n")) {
    throw_error<UndecodableImage>(kFailed, path.string(), "it is not a PNG");
  }
  if (const auto flaw = image_flaw(bytes); !flaw.empty()) {
    throw_error<UndecodableImage>(kFailed, path.string(), flaw);
  }
  auto raw = decode(bytes);
  if (!raw) throw_error<UndecodableImage>(kFailed, path.string(), "it is damaged");
  return std::move(*raw);
}

bool has_palette(const RawPng& raw) { return raw.colour_type == PNG_COLOR_TYPE_PALETTE; }
bool is_grey(const RawPng& raw) { return raw.colour_type == PNG_COLOR_TYPE_GRAY; }
bool is_rgb(const RawPng& raw) { return raw.colour_type == PNG_COLOR_TYPE_RGB; }

void require_ids(const RawPng& raw, bool has_table, const fs::path& path) {
  if (raw.bits == 16) {
    throw_error<DataError>("{}: has 16 bits per value; class ids need 8 bits", path.string());
  }
  if (is_grey(raw) || has_palette(raw)) return;
  if (!is_rgb(raw)) throw_error<DataError>("{}: has alpha; save it without", path.string());
  if (!has_table) {
    throw_error<DataError>(
        "{}: contains colours, not class ids; set data.mask_colours to a table of \"R G B class\" "
        "lines",
        path.string());
  }
}

// Looks up colours. Remembers the last one, because adjacent pixels usually have the same colour.
class ColourLookup {
 public:
  ColourLookup(const ColourTable& table, const fs::path& path) : table_(table), path_(path) {}

  uint8_t operator()(const Rgb& colour) {
    if (known_ && colour == last_) return id_;
    const auto found = table_.ids.find(colour);
    if (found == table_.ids.end()) {
      throw_error<DataError>("{}: colour {} {} {} is not in {}", path_.string(), colour[0],
                             colour[1], colour[2], table_.origin);
    }
    known_ = true;
    last_ = colour;
    id_ = found->second;
    return id_;
  }

 private:
  const ColourTable& table_;
  const fs::path& path_;
  bool known_ = false;
  Rgb last_ = {};
  uint8_t id_ = 0;
};

Rgb colour_at(const RawPng& raw, const uint8_t* row, size_t x) {
  if (is_rgb(raw)) return {row[3 * x], row[3 * x + 1], row[3 * x + 2]};
  if (!has_palette(raw)) return {row[x], row[x], row[x]};
  return row[x] < raw.palette.size() ? raw.palette[row[x]] : Rgb{};
}

uint8_t number_of(const std::string& word, const std::string& origin) {
  const bool is_number = !word.empty() && word.size() <= 3 &&
                         word.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || std::stoi(word) > 255) {
    throw_error<DataError>("{}: expected \"R G B class\" with numbers from 0 to 255, found '{}'",
                           origin, word);
  }
  return static_cast<uint8_t>(std::stoi(word));
}

uint8_t id_of(const std::string& name, const std::vector<std::string>& class_names,
              const std::string& origin) {
  const auto found = std::find(class_names.begin(), class_names.end(), name);
  if (found != class_names.end()) return static_cast<uint8_t>(found - class_names.begin());
  if (name == "void") return static_cast<uint8_t>(kVoid);
  throw_error<DataError>("{}: class '{}' is not among the classes{}", origin, name,
                         did_you_mean(name, class_names));
}

struct Sheet {  // input of try_write
  png_uint_32 width, height;
  std::vector<png_color> palette;
  std::vector<png_bytep> rows;
};

bool try_write(png_structp png, png_infop info, Sheet& sheet) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_IHDR(png, info, sheet.width, sheet.height, 8, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_PLTE(png, info, sheet.palette.data(), static_cast<int>(sheet.palette.size()));
  png_write_info(png, info);
  png_write_image(png, sheet.rows.data());
  png_write_end(png, info);
  return true;
}

}  // namespace

ColourTable read_colour_table(const fs::path& file, const std::vector<std::string>& class_names) {
  ColourTable table;
  table.origin = file.string();
  std::istringstream text(read_text(file));
  int64_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    std::istringstream words(line);
    std::string red, green, blue, name;
    if (!(words >> red) || red.starts_with('#')) continue;
    const auto origin = fmt::format("{}:{}", file.string(), number);
    words >> green >> blue >> std::ws;
    std::getline(words, name);
    while (!name.empty() && std::isspace(static_cast<unsigned char>(name.back()))) name.pop_back();
    const Rgb colour = {number_of(red, origin), number_of(green, origin), number_of(blue, origin)};
    if (!table.ids.emplace(colour, id_of(name, class_names, origin)).second) {
      throw_error<DataError>("{}: colour {} {} {} is listed twice", origin, red, green, blue);
    }
  }
  if (table.empty()) throw_error<DataError>("{}: lists no colours", file.string());
  return table;
}

at::Tensor read_mask(const fs::path& path, const ColourTable& colours) {
  const RawPng raw = read_png(path);
  require_ids(raw, !colours.empty(), path);
  auto ids =
      at::empty({static_cast<int64_t>(raw.height), static_cast<int64_t>(raw.width)}, at::kByte);
  auto* out = ids.data_ptr<uint8_t>();
  ColourLookup lookup(colours, path);
  for (size_t y = 0; y < raw.height; ++y) {
    const uint8_t* row = raw.pixels.data() + y * raw.row_bytes;
    if (colours.empty()) {
      out = std::copy(row, row + raw.width, out);
      continue;
    }
    for (size_t x = 0; x < raw.width; ++x) *out++ = lookup(colour_at(raw, row, x));
  }
  return ids;
}

void write_mask(const fs::path& path, const at::Tensor& ids) {
  require_shape("ids", ids, {kAnySize, kAnySize});
  if (ids.scalar_type() != at::kByte) throw Error("ids: expected uint8");
  const auto pixels = ids.contiguous();
  Sheet sheet = {.width = static_cast<png_uint_32>(ids.size(1)),
                 .height = static_cast<png_uint_32>(ids.size(0)),
                 .palette = {},
                 .rows = {}};
  for (int64_t id = 0; id < 256; ++id) {
    const auto [red, green, blue] = mask_colour(id);
    sheet.palette.push_back({red, green, blue});
  }
  for (int64_t y = 0; y < ids.size(0); ++y) {
    sheet.rows.push_back(pixels.data_ptr<uint8_t>() + y * ids.size(1));
  }
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, jump, ignore_warning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  if (info == nullptr) throw Error("libpng: out of memory");
  std::string bytes;
  png_set_write_fn(png, &bytes, append_bytes, ignore_flush);
  const bool ok = try_write(png, info, sheet);
  png_destroy_write_struct(&png, &info);
  if (!ok) throw_error<Error>("{}: the mask cannot be encoded", path.string());
  write_atomically(path, bytes);
}

}  // namespace lethe
