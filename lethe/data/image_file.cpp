#include "lethe/data/image_file.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <mutex>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <vector>

#include "lethe/core/files.h"
#include "lethe/core/tensor_check.h"
#include "lethe/data/image_flaw.h"
#include "lethe/data/webp_orientation.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

// The loader has its own threads, and our messages describe damaged files.
void set_up_opencv() {
  static std::once_flag once;
  std::call_once(once, [] {
    cv::setNumThreads(1);
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  });
}

// From OpenCV's rows of blue, green, red to planes of red, green, blue.
at::Tensor to_planes(const cv::Mat& pixels) {
  const int64_t area = int64_t{pixels.rows} * pixels.cols;
  auto image = at::empty({3, pixels.rows, pixels.cols}, at::kByte);
  auto* red = image.data_ptr<uint8_t>();
  auto* green = red + area;
  auto* blue = green + area;
  for (int y = 0; y < pixels.rows; ++y) {
    const auto* pixel = pixels.ptr<uint8_t>(y);
    for (int x = 0; x < pixels.cols; ++x) {
      *blue++ = *pixel++;
      *green++ = *pixel++;
      *red++ = *pixel++;
    }
  }
  return image;
}

cv::Mat decode(const std::string& bytes) {
  set_up_opencv();
  // OpenCV does not change its input, but takes a pointer to non-const.
  const cv::Mat wrapped(1, static_cast<int>(bytes.size()), CV_8UC1,
                        const_cast<char*>(bytes.data()));
  try {
    return cv::imdecode(wrapped, cv::IMREAD_COLOR);
  } catch (const cv::Exception&) {
    return {};
  }
}

// Applies EXIF's orientation: 2 to 4 flip the image, 5 to 8 exchange rows and columns first. With
// OpenCV, not LibTorch, which might start threads.
cv::Mat oriented(cv::Mat pixels, int orientation) {
  const auto is_one_of = [orientation](const std::array<int, 4>& numbers) {
    return std::find(numbers.begin(), numbers.end(), orientation) != numbers.end();
  };
  if (is_one_of({5, 6, 7, 8})) cv::transpose(pixels, pixels);
  if (is_one_of({2, 3, 6, 7})) cv::flip(pixels, pixels, 1);  // left and right
  if (is_one_of({3, 4, 7, 8})) cv::flip(pixels, pixels, 0);  // up and down
  return pixels;
}

// The text in lower or upper case.
std::string in_case(std::string text, bool upper) {
  std::transform(text.begin(), text.end(), text.begin(), [&](unsigned char c) {
    return static_cast<char>(upper ? std::toupper(c) : std::tolower(c));
  });
  return text;
}

}  // namespace

const std::vector<std::string>& image_suffixes() {
  static const std::vector<std::string> suffixes = {".jpg", ".png", ".jpeg", ".webp", ".bmp"};
  return suffixes;
}

bool has_image_suffix(const fs::path& path) {
  const auto& known = image_suffixes();
  const auto suffix = in_case(path.extension().string(), /*upper=*/false);
  return std::find(known.begin(), known.end(), suffix) != known.end();
}

fs::path find_image(const fs::path& folder, const std::string& name) {
  for (const bool upper : {false, true}) {
    for (const auto& suffix : image_suffixes()) {
      if (auto path = folder / (name + in_case(suffix, upper)); fs::is_regular_file(path))
        return path;
    }
  }
  return {};
}

at::Tensor read_image(const fs::path& path) {
  const std::string bytes = read_text(path);
  if (bytes.empty())
    throw_error<UndecodableImage>("{}: cannot be decoded: the file is empty", path.string());
  if (const auto flaw = image_flaw(bytes); !flaw.empty()) {
    throw_error<UndecodableImage>("{}: cannot be decoded: {}", path.string(), flaw);
  }
  const cv::Mat pixels = decode(bytes);
  if (pixels.empty()) {
    throw_error<UndecodableImage>(
        "{}: cannot be decoded: it is damaged, or not JPEG, PNG, WebP or BMP", path.string());
  }
  return to_planes(oriented(pixels, webp_orientation(bytes)));
}

void write_png(const fs::path& path, const at::Tensor& image) {
  require_shape("image", image, {3, kAnySize, kAnySize});
  const auto rows = image.flip(0).permute({1, 2, 0}).contiguous();  // [H, W, blue green red]
  const cv::Mat pixels(static_cast<int>(image.size(1)), static_cast<int>(image.size(2)), CV_8UC3,
                       rows.data_ptr<uint8_t>());
  set_up_opencv();
  std::vector<uint8_t> bytes;
  if (!cv::imencode(".png", pixels, bytes)) {
    throw_error<Error>("{}: the image cannot be encoded", path.string());
  }
  write_atomically(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace lethe
