#!/usr/bin/env bash
# Installs missing Debian or Ubuntu packages, so that `make demo` and `make test` work on a new machine.
#
#   scripts/install_deps.sh [format] [lint] [compat]
#
# Without arguments: the packages to build, test and run lethe. The arguments add the tools of `make format`,
# `make lint` (also `make clang`) and `make compat`. If nothing is missing, it prints nothing and only runs dpkg-query.
#
# Environment: LETHE_SKIP_DEPS=1 skips everything; with a non-empty CMAKE_PREFIX_PATH, LibTorch is not installed.
set -euo pipefail

if [[ "${LETHE_SKIP_DEPS:-0}" == 1 ]]; then
  exit 0
fi

# One table for both uses: the package to install, and the software to install by hand on systems without apt.
needs=(
  "g++|a C++20 compiler (g++ 12 or newer)"
  "cmake|CMake 3.22 or newer"
  "ninja-build|Ninja"
  "pkg-config|pkg-config"
  "git|Git"
  "ccache|ccache (installed later, it would change the compile commands: everything would be built again)"
  "ca-certificates|CA certificates"
  "python3|Python 3 (for scripts/)"
  "libtorch-dev|LibTorch 1.13 or newer, found through CMAKE_PREFIX_PATH"
  "libopenblas0-openmp|OpenBLAS"
  "libtomlplusplus-dev|toml++"
  "libcli11-dev|CLI11"
  "nlohmann-json3-dev|JSON for Modern C++ (nlohmann)"
  "libspdlog-dev|spdlog"
  "libfmt-dev|fmt"
  "libgtest-dev|GoogleTest"
  "zlib1g-dev|zlib"
  "libssl-dev|OpenSSL"
  "librandom123-dev|Random123"
  "libboost-dev|Boost (Boost.Math, headers only)"
  "libopencv-core-dev|OpenCV: core"
  "libopencv-imgproc-dev|OpenCV: imgproc"
  "libopencv-imgcodecs-dev|OpenCV: imgcodecs"
  "libpng-dev|libpng"
  "libmatio-dev|matio"
  "dataset-fashion-mnist|the four idx.gz files of Fashion-MNIST (for the demo)"
)
for mode in "$@"; do
  case "$mode" in
    format) needs+=("clang-format|clang-format") ;;
    lint)
      needs+=("clang-format|clang-format" "clang-tidy|clang-tidy" "cppcheck|cppcheck" "clang|clang")
      # Faster than Debian 12's default version (.clang-tidy).
      if apt-cache show clang-tidy-22 >/dev/null 2>&1; then
        needs+=("clang-tidy-22|clang-tidy 22")
      fi
      ;;
    compat) needs+=("python3-venv|Python's venv module") ;;
    *)
      echo "install_deps.sh: unknown argument '$mode'; known: format, lint, compat" >&2
      exit 2
      ;;
  esac
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  {
    echo "install_deps.sh: this system has no apt-get. Please install these in another way:"
    printf '  - %s\n' "${needs[@]#*|}"
    echo "Then set LETHE_SKIP_DEPS=1 in the environment and run make again."
  } >&2
  exit 1
fi

packages=()
for need in "${needs[@]}"; do
  package=${need%%|*}
  if [[ "$package" == libtorch-dev && -n "${CMAKE_PREFIX_PATH:-}" ]]; then
    continue  # the user provides another LibTorch
  fi
  packages+=("$package")
done

# Any OpenBLAS with threads works.
openblas_variants=(libopenblas0-openmp libopenblas0-pthread libopenblas0)
# dpkg-query fails if one name is unknown, but still prints the others.
installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' \
  "${packages[@]}" "${openblas_variants[@]}" 2>/dev/null | sed -n 's/^installed //p' || true)
is_installed() {
  [[ $'\n'"$installed"$'\n' == *$'\n'"$1"$'\n'* ]]
}

missing=()
for package in "${packages[@]}"; do
  if is_installed "$package"; then
    continue
  fi
  if [[ "$package" == libopenblas0-openmp ]]; then
    for variant in "${openblas_variants[@]}"; do
      if is_installed "$variant"; then
        continue 2
      fi
    done
  fi
  missing+=("$package")
done

# With the reference BLAS, matrix products take about ten times as long. Debian selects the best BLAS unless an
# administrator has selected one by hand. Prints the alternatives that still use the reference libraries.
reference_alternatives() {
  local link
  for link in /etc/alternatives/libblas.so.3-* /etc/alternatives/liblapack.so.3-*; do
    case "$(readlink "$link" || true)" in
      */blas/libblas.so.3 | */lapack/liblapack.so.3) basename "$link" ;;
    esac
  done
}

as_root=()
if [[ "$(id -u)" != 0 ]]; then
  as_root=(sudo)
fi
may_be_root() {
  [[ ${#as_root[@]} == 0 ]] || command -v sudo >/dev/null
}

if ((${#missing[@]} > 0)); then
  by_hand="apt-get update && apt-get install --yes --no-install-recommends ${missing[*]}"
  if ! may_be_root; then
    {
      echo "install_deps.sh: packages are missing, and there is neither root access nor sudo. Please run as root:"
      echo "  $by_hand"
    } >&2
    exit 1
  fi
  apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600)
  echo "installing ${missing[*]}"
  if ! "${apt[@]}" update --quiet=2; then
    echo "install_deps.sh: apt-get update failed; trying with the existing package lists" >&2
  fi

  absent=()
  for package in "${missing[@]}"; do
    if ! apt-cache show "$package" >/dev/null 2>&1; then
      absent+=("$package")
    fi
  done
  if ((${#absent[@]} > 0)); then
    {
      echo "install_deps.sh: not in this system's package sources: ${absent[*]}"
      echo "Debian 12 and Ubuntu 25.10 ('universe') or later have all of them; Ubuntu 24.04 lacks libtorch-dev."
      echo "Any other LibTorch works instead of it: make CMAKE_PREFIX_PATH=/path/to/libtorch."
      echo "If everything is already installed in another way, set LETHE_SKIP_DEPS=1."
    } >&2
    exit 1
  fi

  if ! "${apt[@]}" install --yes --quiet=2 --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}" </dev/null; then
    {
      echo "install_deps.sh: the installation failed. To see the reason, run as root:"
      echo "  $by_hand"
    } >&2
    exit 1
  fi
fi

for alternative in $(reference_alternatives); do
  if may_be_root; then
    "${as_root[@]}" update-alternatives --quiet --auto "$alternative" || true
  fi
done
if [[ -n "$(reference_alternatives)" ]]; then
  echo "install_deps.sh: warning: the reference BLAS is still in use; training will be slow." \
    "As root: update-alternatives --config libblas.so.3-$(gcc -print-multiarch)" >&2
fi
